import API
import Hummingbird
import JSON
import NIOCore
import Queries
import Synchronization

/// Writes the body of a response only as fast as the client receives it.
struct PacedBody {
    private var writer: any ResponseBodyWriter
    private let channel: (any Channel)?
    /// Two buffers, used alternately.
    private var buffers = (last: ByteBuffer(), next: ByteBuffer())

    init(_ writer: any ResponseBodyWriter, channel: (any Channel)?) {
        self.writer = writer
        self.channel = channel
    }

    /// Writes the bytes and returns when the connection has room for more.
    /// - Throws: if the connection is closed, by the client or by `WriteDeadline`.
    mutating func write(_ bytes: [UInt8]) async throws {
        guard bytes.count >= LineMemory.leastBytes else {
            buffers = (ByteBuffer(), ByteBuffer())
            return try await write(ByteBuffer(bytes: bytes))
        }
        // The connection may not have sent the end of the other buffer.
        swap(&buffers.next, &buffers.last)
        buffers.last.clear()
        buffers.last.writeBytes(bytes)
        try await write(buffers.last)
    }

    /// Writes a piece and returns when the connection has room for more.
    /// - Throws: if the connection is closed.
    func write(_ buffer: ByteBuffer) async throws {
        var writer = writer
        try await writer.write(buffer)
        // A write returns immediately until the event loop has handled the previous ones: hundreds of megabytes were
        // accepted that way. After this turn of the loop the channel knows how full it is.
        guard let channel else { return }
        try await channel.eventLoop.submit {}.get()
        // Sends nothing, but waits until the channel has room.
        try await writer.write(ByteBuffer())
    }

    /// - Throws: if the connection is closed; `CancellationError`.
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

/// The NDJSON body of a response. Lines are collected into chunks, and the next chunk is made when the connection has
/// room for it.
struct LineStream {
    var lines = StreamLineWriter(deferringFrom: JSONPieces.partBytes)
    private var body: PacedBody
    private let chunkBytes: Int

    init(_ writer: any ResponseBodyWriter, channel: (any Channel)?, chunkBytes: Int) {
        body = PacedBody(writer, channel: channel)
        self.chunkBytes = chunkBytes
    }

    /// Writes a page, or collects it if it is small. The page is empty afterwards.
    mutating func write(_ page: inout ReplyPage) async throws {
        for place in page.lines.indices {
            if let text = page.lines[place].text, lines.pendingBytes + text.count < chunkBytes {
                lines.append(lines: text[...])
            } else {
                try await write()
                try await body.write(page.lines[place])
            }
        }
        page.release()
    }

    /// Writes the collected lines.
    /// - Throws: if the connection is closed, by the client or by `WriteDeadline`.
    mutating func write() async throws {
        try await body.write(lines.take())
    }

    /// Writes the collected lines and ends the body.
    consuming func finish() async throws {
        try await write()
        try await body.finish()
    }
}

/// A value made before the response began. The body, which exists until the end of the response, must not keep it.
final class TakenOnce<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    /// - Returns: `nil` if it was already taken.
    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
