import API
import Hummingbird
import JSON
import NIOCore
import Queries

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
