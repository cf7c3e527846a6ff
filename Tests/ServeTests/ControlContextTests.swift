import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct ControlContextTests {
    /// A connection whose other end the test has.
    private func connected() async throws -> (context: ControlContext, other: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .withConnectedSocket(ends[0]).get()
        return (ControlContext(source: .init(channel: channel)), ends[1])
    }

    @Test func `work for a client that left is cancelled`() async throws {
        let (context, other) = try await connected()
        let work = Task { try await context.whileConnected { try await Task.sleep(for: .seconds(3600)) } }
        close(other)
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test func `work for a client that waits is done, also when it sends no more`() async throws {
        let (context, other) = try await connected()
        defer { close(other) }
        shutdown(other, CInt(SHUT_WR))
        let value = try await context.whileConnected {
            try await Task.sleep(for: .milliseconds(300))
            return 7
        }
        #expect(value == 7)
        try await context.channel?.close()
    }
}
