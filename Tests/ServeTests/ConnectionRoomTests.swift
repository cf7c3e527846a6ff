import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct ConnectionRoomTests {
    @Test(arguments: [
        (tails: 32, descriptors: UInt64.max, connections: 256, left: 32), (32, 64, 32, 16), (192, 16_384, 256, 192),
        (1000, 16_384, 1064, 1000), (1000, 1024, 512, 448), (1, 0, 0, 0),
    ])
    func `tails leave connections to others`(tails: Int, descriptors: UInt64, connections: Int, left: Int) {
        let room = ConnectionRoom(tails: tails, usual: 256, descriptors: descriptors)
        #expect(room.connections == connections && room.tails == left, "\(room)")
    }

    @Test func `as many tails as the settings allow keep nobody from asking`() async throws {
        var limits = ControlLimits()
        limits.maximumConnections = 4
        try await withServer(limits: limits, maximumTails: 8) { server in
            var tails: [TailClient] = []
            for _ in 0..<8 { tails.append(try await TailClient(server)) }
            for tail in tails { #expect(try await tail.status() == 200) }
            #expect(try await server.get("/v1/status").status == 200)
        }
    }

    @Test func `that clients are refused is said once, until there is room again`() async throws {
        let refusals = Atomic(0)
        let register = ConnectionRegister(limit: 2) { refusals.add(1, ordering: .relaxed) }
        var others: [CInt] = []
        defer { for other in others { close(other) } }
        for round in 1...2 {
            var busy: [any Channel] = []
            for _ in 0..<2 {
                let (channel, other) = try await connected()
                others.append(other)
                register.add(channel)
                register.requestBegan(on: channel)
                busy.append(channel)
            }
            for _ in 0..<3 {
                let (channel, other) = try await connected()
                others.append(other)
                register.add(channel)
                try await channel.closeFuture.get()
            }
            #expect(refusals.load(ordering: .relaxed) == round)
            for channel in busy {
                try await channel.close().get()
                try await channel.closeFuture.get()
            }
        }
    }

    /// A connection whose other end the test has.
    private func connected() async throws -> (channel: any Channel, other: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .withConnectedSocket(ends[0]).get()
        return (channel, ends[1])
    }
}
