import Glibc
import Hummingbird
import NIOCore
import NIOPosix
import Testing

@testable import Serve

/// Hands over the server's end of a connection whose client never reads, with an event loop that is busy at first.
func withIdleClient<Result: Sendable>(
    _ body: (_ writer: any ResponseBodyWriter, _ channel: any Channel) async throws -> Result
) async throws -> Result {
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
    // It blocks the event loop on purpose, which is what a busy one looks like: it sees no write for a while, and so
    // cannot say that there are too many.
    connection.channel.eventLoop.execute { usleep(300_000) }
    return try await connection.executeThenClose { _, outbound in
        try await body(ChannelWriter(outbound: outbound), connection.channel)
    }
}

/// Writes bytes as they are, without HTTP around them.
private struct ChannelWriter: ResponseBodyWriter {
    var outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    func write(_ buffer: ByteBuffer) async throws { try await outbound.write(buffer) }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { outbound.finish() }
}
