import API
import Glibc
import Hummingbird
import NIOCore
import NIOPosix
import Testing

@testable import Serve

struct LineStreamTests {
    @Test func `what is in flight to a client that does not read stays small`() async throws {
        var descriptors: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
        defer { close(descriptors[1]) }
        let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .withConnectedSocket(descriptors[0]) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(WriteDeadline(time: .milliseconds(300)))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        // A busy loop sees no write for a while, and so cannot say that there are too many.
        connection.channel.eventLoop.execute { usleep(300_000) }
        let accepted = try await connection.executeThenClose { _, outbound in
            var stream = LineStream(ChannelWriter(outbound: outbound), channel: connection.channel, chunkBytes: 1)
            var accepted = 0
            while accepted < 1000 {
                stream.lines.append(Problem(status: 500, title: String(repeating: "x", count: 64 << 10)))
                do { try await stream.write() } catch { break }
                accepted += 1
            }
            return accepted
        }
        // The kernel takes about 200 KiB and the channel 64 KiB. Without waiting for the event loop, hundreds get in.
        #expect(accepted < 16)
    }
}

/// Writes bytes as they are, without HTTP around them.
private struct ChannelWriter: ResponseBodyWriter {
    var outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    func write(_ buffer: ByteBuffer) async throws { try await outbound.write(buffer) }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { outbound.finish() }
}
