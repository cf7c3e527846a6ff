import API
import Hummingbird
import JSON
import NIOCore
import Queries
import Synchronization

/// The body of a response that is written only as fast as the client takes it.
struct PacedBody {
    private var writer: any ResponseBodyWriter
    private let channel: (any Channel)?
    /// Their memory is used in turn.
    private var buffers = (last: ByteBuffer(), next: ByteBuffer())

    init(_ writer: any ResponseBodyWriter, channel: (any Channel)?) {
        self.writer = writer
        self.channel = channel
    }

    /// Returns when the connection has taken them: until then nothing more is made for it.
    /// - Throws: when the connection is gone, by the client or by `WriteDeadline`.
    mutating func write(_ bytes: [UInt8]) async throws {
        guard bytes.count >= LineMemory.leastBytes else {
            buffers = (ByteBuffer(), ByteBuffer())
            return try await write(ByteBuffer(bytes: bytes))
        }
        // The connection may still have the end of the other one.
        swap(&buffers.next, &buffers.last)
        buffers.last.clear()
        buffers.last.writeBytes(bytes)
        try await write(buffers.last)
    }

    /// Returns when the connection has taken it.
    /// - Throws: as above.
    func write(_ buffer: ByteBuffer) async throws {
        var writer = writer
        try await writer.write(buffer)
        // A write returns at once as long as the event loop has not seen the ones before, however many there are:
        // hundreds of megabytes were accepted so. After this turn of the loop the channel knows how full it is.
        guard let channel else { return }
        try await channel.eventLoop.submit {}.get()
        // Nothing is sent of this, but it waits until the channel has room.
        try await writer.write(ByteBuffer())
    }

    /// - Throws: as above; `CancellationError`.
    mutating func write(_ pieces: consuming JSONPieces) async throws {
        while let piece = pieces.next() {
            try Task.checkCancellation()
            try await write(piece)
        }
    }

    consuming func finish() async throws {
        try await writer.finish(nil)
    }
}

/// The NDJSON body of a response on its way out: lines are gathered into chunks, and what follows a chunk is made only
/// when the connection has taken it.
struct LineStream {
    var lines = StreamLineWriter(keepingFrom: JSONPieces.partBytes)
    private var body: PacedBody
    private let chunkBytes: Int

    init(_ writer: any ResponseBodyWriter, channel: (any Channel)?, chunkBytes: Int) {
        body = PacedBody(writer, channel: channel)
        self.chunkBytes = chunkBytes
    }

    /// Writes a page, or gathers it when it is small. The page should not be kept meanwhile.
    mutating func write(_ page: consuming ReplyPage) async throws {
        for pieces in page.lines {
            if let text = pieces.text, lines.pendingBytes + text.count < chunkBytes {
                lines.append(lines: text[...])
            } else {
                try await write()
                try await body.write(pieces)
            }
        }
        page.giveBack()
    }

    /// Writes the lines.
    /// - Throws: when the connection is gone, by the client or by `WriteDeadline`.
    mutating func write() async throws {
        try await body.write(lines.take())
    }

    /// Writes the lines and ends the body.
    consuming func finish() async throws {
        try await write()
        try await body.finish()
    }
}

/// What was made before the response began. The response's body, which is there to its end, must not keep it.
final class TakenOnce<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    /// - Returns: `nil` when it was taken before.
    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
