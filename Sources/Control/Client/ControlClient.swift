import API
import FoundationEssentials
import Glibc
import Model

/// Asks the daemon over its socket. Replies are read piece by piece; only documents, which have a limit, are held whole.
struct ControlClient: Sendable {
    let socket: String

    /// The most bytes of a reply that is one document: more than an event with all the journal's fields that are read.
    private static let maximumDocumentBytes = 24 << 20
    /// The most bytes of a line of a stream: far more than a journal field that the daemon reads by default.
    private static let maximumLineBytes = 16 << 20
    /// How the line of an event begins; its id follows.
    private static let eventBeginning = Array(#"{"type":"event","id":"#.utf8)
    /// How long the daemon may be silent in the middle of a document.
    private static let documentTimeout = 60

    /// One document as the daemon wrote it, however long: hands over its pieces as they come.
    func copy(_ path: String, _ body: (ArraySlice<UInt8>) throws -> Void) async throws {
        var isFirst = true
        try await exchange("GET", path, expecting: "application/json", timeout: Self.documentTimeout) { piece in
            guard !isFirst || piece.first == UInt8(ascii: "{") else { throw Self.noObject }
            isFirst = false
            try body(piece)
        }
    }

    private static let noObject = ControlError.badReply("it is no JSON object")

    /// One document, as the daemon wrote it.
    func document(_ path: String, method: String = "GET") async throws -> [UInt8] {
        var document: [UInt8] = []
        try await exchange(method, path, expecting: "application/json", timeout: Self.documentTimeout) { piece in
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

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(ControlError) -> Value {
        do {
            return try APICoding.decode(type, from: Data(bytes))
        } catch {
            throw .otherShape
        }
    }

    /// Hands over the lines of a stream as they come: `body` gets those that one piece of the reply completed.
    /// - Parameter passingOver: is told of an event whose line is too long to be held.
    /// - Throws: `ControlError.interrupted` when the task is cancelled.
    func lines(
        _ path: String, passingOver: (_ id: Int64, _ why: String) -> Void, _ body: ([[UInt8]]) async throws -> Void
    ) async throws {
        var splitter = LineSplitter(limit: Self.maximumLineBytes)
        try await exchange("GET", path, expecting: "application/x-ndjson", timeout: nil) { piece in
            var lines: [[UInt8]] = []
            try splitter.feed(piece) { error, beginning in
                guard let id = Self.event(beginning) else { throw tooLong(error.description, path) }
                passingOver(id, error.description)
            } _: { line in
                guard line.starts(with: PassingLines.beginning) else {
                    throw ControlError.badReply("a line of it does not begin with its type")
                }
                lines.append(line)
            }
            if !lines.isEmpty { try await body(lines) }
        }
        guard !Task.isCancelled else { throw ControlError.interrupted }
        if let last = splitter.finish() { try await body([last]) }
    }

    /// Hands over the pieces of a stream as they come, however long its lines are.
    /// - Returns: whether there were events among them.
    /// - Throws: `ControlError.interrupted` when the task is cancelled; `.refused` when the stream says that it failed.
    @discardableResult
    func copyLines(_ path: String, _ body: ([UInt8]) throws -> Void) async throws -> Bool {
        var lines = PassingLines()
        try await exchange("GET", path, expecting: "application/x-ndjson", timeout: nil) { piece in
            try lines.feed(piece)
            try body(Array(piece))
        }
        guard !Task.isCancelled else { throw ControlError.interrupted }
        if let problem = lines.problem { throw ControlError.refused(problem) }
        return lines.hasEvents
    }

    /// Whether the stream has events. However long they are, none is held.
    func hasEvents(_ path: String) async throws -> Bool { try await copyLines(path) { _ in } }

    /// Which event a line is of, by its beginning.
    private static func event(_ beginning: [UInt8]) -> Int64? {
        guard beginning.starts(with: eventBeginning) else { return nil }
        let digits = beginning.dropFirst(eventBeginning.count).prefix { $0 != UInt8(ascii: ",") }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    private func tooLong(_ what: String, _ path: String) -> ControlError {
        .no("\(what), which glossctl does not hold. This shows it: curl --unix-socket \(socket) 'http://gloss\(path)'")
    }

    /// One request on a connection of its own: hands over the pieces of a good reply's body.
    /// - Throws: `ControlError.refused` for any other reply, `.unreachable` when it is not the daemon's.
    private func exchange(
        _ method: String, _ path: String, expecting type: String, timeout: Int?,
        _ body: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        let connection = try SocketConnection(path: socket)
        if let timeout { connection.setReadTimeout(seconds: timeout) }
        let length = method == "GET" ? "" : "Content-Length: 0\r\n"
        let request = "\(method) \(path) HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\(length)\r\n"
        // The daemon may have answered and closed before it had read the request: only reading tells.
        _ = await connection.write(Array(request.utf8))
        var reply = HTTPReply()
        var refusal: [UInt8] = []
        while !reply.isComplete {
            let bytes = try await read(connection, hasBegun: reply.status != nil)
            guard !bytes.isEmpty else {
                if reply.isWholeAtEnd() { break }
                throw ControlError.left(socket: socket)
            }
            var pieces: [ArraySlice<UInt8>] = []
            do {
                try reply.feed(bytes) { pieces.append($0) }
            } catch {
                throw ControlError.badReply(error.description)
            }
            try checkType(of: reply, expecting: type)
            for piece in pieces {
                if let status = reply.status, status < 300 {
                    try await body(piece)
                } else if refusal.count < 1 << 20 {
                    refusal += piece
                }
            }
        }
        guard let status = reply.status, status < 300 else { throw ControlError.refused(problem(reply, refusal)) }
    }

    /// Another program may listen on a socket that somebody named.
    private func checkType(of reply: HTTPReply, expecting type: String) throws(ControlError) {
        guard reply.hasHead, let status = reply.status else { return }
        guard reply.mediaType != (status < 300 ? type : Problem.mediaType) else { return }
        let found = reply.mediaType.isEmpty ? "no content type" : SafeText.neutralised(reply.mediaType)
        throw .unreachable(
            socket: socket, why: "another program answers there: \(status) with \(found)",
            hint: "--socket and GLOSS_SOCKET name the socket of glossd, which is control.socket in its settings.")
    }

    private func read(_ connection: SocketConnection, hasBegun: Bool) async throws(ControlError) -> [UInt8] {
        let result = await connection.read()
        if Task.isCancelled { throw .interrupted }
        switch result {
        case .success(let bytes): return bytes
        case .failure(let error) where error.code == EAGAIN && !hasBegun:
            throw .unreachable(socket: socket, why: "it does not answer", hint: "See systemctl status glossd.")
        case .failure: throw .left(socket: socket)
        }
    }

    private func problem(_ reply: HTTPReply, _ body: [UInt8]) -> Problem {
        if let problem = try? APICoding.decode(Problem.self, from: Data(body)) { return problem }
        let status = reply.status ?? 0
        return Problem(status: status, title: "glossd answered \(status) \(reply.reason)")
    }
}
