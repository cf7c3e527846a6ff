import Model

/// Parses an HTTP/1.1 reply as its bytes arrive: one of known length or in chunks, as glossd sends them. It keeps no
/// more than the head, or one line of the framing.
/// - Source: RFC 9112, sections 2, 6 and 7
struct HTTPReply: Sendable {
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private enum State: Sendable {
        case head
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
        case complete
    }

    private static let longestHead = 64 << 10

    /// `nil` until the status line was read.
    private(set) var status: Int?
    private(set) var reason = ""
    /// The media type of the body, in lower case and without parameters; empty if the head has none.
    private(set) var mediaType = ""
    private var state = State.head
    private var line: [UInt8] = []
    private var headBytes = 0
    private var length: Int?
    private var isChunked = false

    /// Whether the head is complete.
    var hasHead: Bool {
        if case .head = state { return false }
        return true
    }

    var isComplete: Bool {
        if case .complete = state { return true }
        return false
    }

    /// - Parameter body: called with the pieces of the body, in order.
    mutating func feed(_ bytes: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) throws(Malformed) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .head, .chunkSize, .chunkEnd, .trailers:
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                    return try append(rest)
                }
                try append(rest[..<end])
                rest = rest[(end + 1)...]
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                let text = String(decoding: line, as: UTF8.self)
                line.removeAll()
                try take(text)
            case .body(let left):
                let piece = rest.prefix(left)
                body(piece)
                rest = rest.dropFirst(piece.count)
                state = left == piece.count ? .complete : .body(left: left - piece.count)
            case .chunk(let left):
                let piece = rest.prefix(left)
                body(piece)
                rest = rest.dropFirst(piece.count)
                state = left == piece.count ? .chunkEnd : .chunk(left: left - piece.count)
            case .complete:
                throw Malformed(description: "there is more behind the reply")
            }
        }
    }

    private mutating func append(_ part: ArraySlice<UInt8>) throws(Malformed) {
        headBytes += part.count
        guard headBytes <= Self.longestHead else { throw Malformed(description: "its head is too long") }
        line += part
    }

    private mutating func take(_ text: String) throws(Malformed) {
        switch state {
        case .head where status == nil: try takeStatus(text)
        case .head where text.isEmpty: try takeEndOfHead()
        case .head: try takeHeader(text)
        case .chunkSize:
            headBytes = 0
            let digits = text.prefix { $0.isHexDigit }
            guard let size = Int(digits, radix: 16), size >= 0 else {
                throw Malformed(description: "a chunk has no size")
            }
            state = size == 0 ? .trailers : .chunk(left: size)
        case .chunkEnd:
            guard text.isEmpty else { throw Malformed(description: "a chunk is longer than its size") }
            state = .chunkSize
        case .trailers:
            if text.isEmpty { state = .complete }
        case .body, .chunk, .complete: break
        }
    }

    private mutating func takeStatus(_ text: String) throws(Malformed) {
        let parts = text.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let code = Int(parts[1]), (100...599).contains(code)
        else {
            throw Malformed(description: "it is not HTTP")
        }
        status = code
        reason = parts.count > 2 ? String(parts[2]) : ""
    }

    private mutating func takeHeader(_ text: String) throws(Malformed) {
        guard let colon = text.firstIndex(of: ":") else { throw Malformed(description: "a header has no colon") }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        switch text[..<colon].lowercased() {
        case "transfer-encoding": isChunked = value.lowercased() == "chunked"
        case "content-type":
            mediaType = value.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased()
        case "content-length":
            guard let count = Int(value), count >= 0 else { throw Malformed(description: "its length is not a number") }
            length = count
        default: break
        }
    }

    private mutating func takeEndOfHead() throws(Malformed) {
        headBytes = 0
        if isChunked {
            state = .chunkSize
        } else {
            state = length == 0 ? .complete : .body(left: length ?? 0)
            guard length != nil else { throw Malformed(description: "it has no length") }
        }
    }
}
