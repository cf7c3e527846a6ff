import API
import FoundationEssentials
import Glibc
import Model

/// Sends requests to the daemon over its socket. Replies are read piece by piece; only documents, which have a limit,
/// are kept as a whole.
struct ControlClient: Sendable {
    let socket: String
    /// How long the reader of the output may pause: an answer that breaks off sooner was not ended because of it.
    var longestPause = usualPause

    /// The daemon waits 30 s for a client that does not read.
    static let usualPause = Duration.seconds(25)

    /// The largest reply that is one document, in bytes: more than an event with all fields of its journal entry.
    private static let maximumDocumentBytes = 24 << 20
    /// The longest line of a stream, in bytes: far longer than the largest journal field that the daemon reads by
    /// default.
    static let maximumLineBytes = 16 << 20
    /// How long the daemon may pause in the middle of a document.
    static let documentTimeout = 60
    /// For what reads the whole store.
    static let scanTimeout = 600
    /// For what is known without reading it, and what checks of a machine ask for.
    static let statusTimeout = 10

    /// Returns how many seconds the daemon may take if a command has only so much time: at least one, and no more than without that.
    static func timeout(within left: Duration) -> Int {
        Int(max(1, min((left / .seconds(1)).rounded(.up), Double(documentTimeout))))
    }

    /// Up to here, an answer waits in the socket and in a pipe while nobody reads. A thread takes time to start.
    private static let bytesWithoutThread = 128 << 10
    /// How many bytes are read at a time. Larger pieces that are only passed on are no longer in the processor's cache.
    private static let pieceBytes = 64 << 10
    /// The same where lines are rendered, several at a time: about as much as waits in a socket.
    private static let linesBytes = 256 << 10

    /// Requests a document of any length and passes on its pieces as they arrive, unchanged.
    func copy(_ path: String, _ body: (ArraySlice<UInt8>) throws -> Void) async throws {
        var isFirst = true
        try await exchange("GET", path, expecting: "application/json", timeout: Self.documentTimeout) { piece in
            guard !isFirst || piece.first == UInt8(ascii: "{") else { throw Self.noObject }
            isFirst = false
            try body(piece)
        }
    }

    /// The media type of streams, which have no limit of time once they have begun.
    private static let streamType = "application/x-ndjson"

    private static let noObject = ControlError.badReply("it is no JSON object")

    /// Requests a document and returns it unchanged.
    /// - Parameters:
    ///   - body: text that is sent along.
    ///   - timeout: seconds without a byte after which it gives up.
    func document(
        _ path: String, method: String = "GET", body: [UInt8] = [], timeout: Int = documentTimeout
    ) async throws -> [UInt8] {
        var document: [UInt8] = []
        try await exchange(method, path, sending: body, expecting: "application/json", timeout: timeout) { piece in
            guard document.count + piece.count <= Self.maximumDocumentBytes else {
                throw tooLong("the answer is longer than \(Quantity.bytes(Self.maximumDocumentBytes))", path)
            }
            document += piece
            // Every document is an object. Decoding a list of something else may take far more memory than its text.
            guard document.first == UInt8(ascii: "{") else { throw Self.noObject }
        }
        return document
    }

    func document<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
        try Self.decode(type, try await document(path))
    }

    /// Requests the state of the daemon.
    func status(timeout: Int = documentTimeout) async throws -> StatusReply {
        try Self.decode(StatusReply.self, try await document(APIPath.status, timeout: timeout))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(ControlError) -> Value {
        try understood { try APICoding.decode(type, from: Data(bytes)) }
    }

    /// Returns what is parsed of a reply.
    static func understood<Value>(_ parse: () throws -> Value) throws(ControlError) -> Value {
        do { return try parse() } catch { throw .otherShape }
    }

    /// Requests a stream and passes its lines on as they arrive: `body` gets the lines that one piece of the reply
    /// completed.
    /// - Parameters:
    ///   - longest: the most bytes of a line.
    ///   - timeout: seconds after which it gives up before the stream has begun. The newest events by time are found before that.
    ///   - readsAhead: whether to keep 64 MiB that nobody reads, since the daemon waits 30 s: of an answer that cannot be continued.
    ///   - passingOver: called with an event whose line is too long to be kept.
    /// - Throws: `ControlError.interrupted` if the task is cancelled; `.refused` if the stream says that it failed,
    ///   after `body` got that line.
    func lines(
        _ path: String, longest: Int = maximumLineBytes, timeout: Int = scanTimeout, readsAhead: Bool = false,
        passingOver: (_ id: Int64, _ why: String) -> Void, _ body: ([[UInt8]]) async throws -> Void
    ) async throws {
        var splitter = LineSplitter(limit: longest)
        func pass(_ lines: [[UInt8]]) async throws {
            guard !lines.isEmpty else { return }
            try await body(lines)
            if let problem = StreamLine.problem(in: lines) { throw ControlError.refused(problem) }
        }
        try await exchange(
            "GET", path, expecting: Self.streamType, timeout: timeout, pieceBytes: Self.linesBytes,
            readsAhead: readsAhead
        ) { piece in
            var lines: [[UInt8]] = []
            let result = Result {
                try splitter.feed(piece) { error, beginning in
                    guard let id = LineHead.event(beginning: beginning) else { throw tooLong(error.description, path) }
                    passingOver(id, error.description)
                } _: { line in
                    try PassingLines.check(line)
                    lines.append(line)
                }
            }
            // The lines before a wrong one are right.
            try await pass(lines)
            try result.get()
        }
        guard !Task.isCancelled else { throw ControlError.interrupted }
        if let last = splitter.finish() { try await pass([last]) }
    }

    /// Requests a stream and passes its pieces on as they arrive, however long the lines are.
    /// - Parameters:
    ///   - lines: get what comes.
    ///   - timeout: as for `lines`, like `readsAhead`.
    ///   - body: gets a piece, and how many lines have ended since the last one.
    /// - Throws: `ControlError.interrupted` if the task is cancelled; `.refused` if the stream says that it failed.
    func copyLines(
        _ path: String, _ lines: inout PassingLines, timeout: Int = scanTimeout, readsAhead: Bool = false,
        _ body: ([UInt8], _ lines: Int) throws -> Void
    ) async throws {
        var passed = 0
        func pass(_ bytes: [UInt8]) throws {
            if !bytes.isEmpty { try body(bytes, lines.count - passed) }
            passed = lines.count
        }
        try await exchange("GET", path, expecting: Self.streamType, timeout: timeout, readsAhead: readsAhead) { piece in
            try pass(try lines.feed(piece))
        }
        guard !Task.isCancelled else { throw ControlError.interrupted }
        try pass(lines.finish())
        if let problem = lines.problem { throw ControlError.refused(problem) }
    }

    /// Whether the stream has events. They are not kept.
    func hasEvents(_ path: String) async throws -> Bool {
        var lines = PassingLines(ofRange: true)
        try await copyLines(path, &lines) { _, _ in }
        return lines.events > 0
    }

    private func tooLong(_ what: String, _ path: String) -> ControlError {
        .no("\(what), which is too long for glossctl. Use: curl --unix-socket \(socket) 'http://gloss\(path)'")
    }

    /// Sends one request on its own connection and passes on the pieces of the body of a successful reply.
    /// - Throws: `ControlError.refused` for any other reply, `.unreachable` if the reply is not from the daemon.
    private func exchange(
        _ method: String, _ path: String, sending text: [UInt8] = [], expecting type: String, timeout: Int,
        pieceBytes: Int = Self.pieceBytes, readsAhead: Bool = false,
        _ body: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        let place = path.prefix { $0 != "?" }
        guard !place.contains("//"), !place.hasSuffix("/") else { throw ControlError.wrongUsage("a name is empty") }
        let connection = try SocketConnection(path: socket, timeout: timeout)
        let content = text.isEmpty ? "" : "Content-Type: text/plain; charset=utf-8\r\n"
        let length = method == "GET" ? "" : "\(content)Content-Length: \(text.count)\r\n"
        let request = "\(method) \(path) HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\(length)\r\n"
        // The daemon may have replied and closed the connection before it read the request, so the reply is read in any
        // case.
        await connection.write(Array(request.utf8) + text)
        var reply = HTTPReply()
        var refusal: [UInt8] = []
        var received = 0
        let began = ContinuousClock.now
        defer { connection.stop() }
        while !reply.isComplete {
            guard let bytes = try await read(connection, pieceBytes, timeout), !bytes.isEmpty else {
                throw await broken(since: began)
            }
            received += bytes.count
            if readsAhead, received > Self.bytesWithoutThread { connection.readAhead() }
            let hadHead = reply.hasHead
            var pieces: [ArraySlice<UInt8>] = []
            do {
                try reply.feed(bytes) { pieces.append($0) }
            } catch {
                try checkType(of: reply, expecting: type)
                throw ControlError.badReply(error.description)
            }
            try checkType(of: reply, expecting: type)
            let isGranted = reply.status.map { $0 < 300 } ?? false
            if !hadHead, reply.hasHead, isGranted, type == Self.streamType { connection.removeLimit() }
            for piece in pieces {
                if isGranted {
                    try await body(piece)
                } else if refusal.count < 1 << 20 {
                    refusal += piece
                }
            }
        }
        guard let status = reply.status, status < 300 else { throw ControlError.refused(problem(reply, refusal)) }
    }

    /// Returns the error for an answer that has broken off. One that has begun does so if glossd ends, or if nobody has
    /// read it for long: then glossd has been running since before the request.
    private func broken(since began: ContinuousClock.Instant) async -> ControlError {
        guard .now - began >= longestPause else { return .left(socket: socket) }
        let uptime = try? await ControlClient(socket: socket).status(timeout: Self.statusTimeout).uptimeSeconds
        guard !Task.isCancelled else { return .interrupted }
        let time = began.duration(to: .now) / .seconds(1)
        return .left(socket: socket, wasUnread: uptime.map { $0 > time } ?? false)
    }

    /// The error for another program that listens on the socket.
    private func checkType(of reply: HTTPReply, expecting type: String) throws(ControlError) {
        guard reply.hasHead, let status = reply.status else { return }
        guard reply.mediaType != (status < 300 ? type : Problem.mediaType) else { return }
        let found = reply.mediaType.isEmpty ? "no content type" : SafeText.neutralised(reply.mediaType)
        throw .unreachable(
            socket: socket, why: "another program answers there: \(status) with \(found)",
            hint: "--socket and GLOSS_SOCKET name the socket of glossd, which is control.socket in its settings.")
    }

    /// - Returns: `nil` if the connection has broken off.
    private func read(
        _ connection: SocketConnection, _ most: Int, _ timeout: Int
    ) async throws(ControlError) -> [UInt8]? {
        let result = await connection.read(atMost: most)
        if Task.isCancelled { throw .interrupted }
        switch result {
        case .success(let bytes): return bytes
        // Streams have no limit once they have begun.
        case .failure(let error) where error.code == EAGAIN: throw .silent(socket: socket, seconds: timeout)
        case .failure: return nil
        }
    }

    private func problem(_ reply: HTTPReply, _ body: [UInt8]) -> Problem {
        if let problem = try? APICoding.decode(Problem.self, from: Data(body)) { return problem }
        let status = reply.status ?? 0
        return Problem(status: status, title: "glossd answered \(status) \(reply.reason)")
    }
}
