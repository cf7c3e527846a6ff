import API
import Hummingbird
import NIOCore

/// The NDJSON body of a response on its way out: lines are gathered into chunks, and a chunk is written only when the
/// client has taken what came before.
struct LineStream {
    var lines = StreamLineWriter()
    private var writer: any ResponseBodyWriter
    private let channel: (any Channel)?
    private let chunkBytes: Int

    init(_ writer: any ResponseBodyWriter, channel: (any Channel)?, chunkBytes: Int) {
        self.writer = writer
        self.channel = channel
        self.chunkBytes = chunkBytes
    }

    /// Writes the lines if there are enough of them.
    mutating func writeIfFull() async throws {
        if lines.bytes.count >= chunkBytes { try await write() }
    }

    /// Writes the lines.
    /// - Throws: when the connection is gone, by the client or by `WriteDeadline`.
    mutating func write() async throws {
        guard !lines.bytes.isEmpty else { return }
        try await writer.write(ByteBuffer(bytes: lines.bytes))
        lines.removeAll()
        // A write returns at once as long as the event loop has not seen the ones before, however many there are:
        // hundreds of megabytes were accepted so. After this turn of the loop the channel knows how full it is, and the
        // next write waits until it has room.
        try await channel?.eventLoop.submit {}.get()
    }

    /// Writes the lines and ends the body.
    consuming func finish() async throws {
        try await write()
        try await writer.finish(nil)
    }
}
