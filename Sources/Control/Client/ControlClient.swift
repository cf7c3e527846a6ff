import API
import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// Asks the daemon over its socket. Replies are read piece by piece; only documents, which have a limit, are held whole.
struct ControlClient: Sendable {
    let socket: String
    private let http: HTTPClient

    /// The most bytes of a reply that is one document.
    private static let maximumDocumentBytes = 64 << 20
    /// The most bytes of a line of a stream: far more than a journal field that the daemon reads.
    private static let maximumLineBytes = 64 << 20
    /// How long the daemon may take to begin with a document.
    private static let documentTimeout = TimeAmount.seconds(60)

    /// Runs `body` with a client that is shut down behind it.
    static func with<Result: Sendable>(
        socket: String, _ body: (ControlClient) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(10), read: nil)
        // Otherwise a refused connection would be tried again for seconds.
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(ControlClient(socket: socket, http: http))
            try? await http.shutdown()
            return result
        } catch {
            try? await http.shutdown()
            throw error
        }
    }

    private init(socket: String, http: HTTPClient) {
        self.socket = socket
        self.http = http
    }

    /// One document, as the daemon wrote it.
    func document(_ path: String, method: HTTPMethod = .GET) async throws -> [UInt8] {
        let response = try await response(path, method: method, timeout: Self.documentTimeout)
        return try await explaining(hasBegun: true) {
            let body = try await response.body.collect(upTo: Self.maximumDocumentBytes)
            return Array(body.readableBytesView)
        }
    }

    func document<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
        try Self.decode(type, try await document(path))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(ControlError) -> Value {
        do {
            return try APICoding.decode(type, from: Data(bytes))
        } catch {
            throw .badReply("\(error)")
        }
    }

    /// Hands over the lines of a stream as they come: `body` gets those that one piece of the reply completed.
    /// - Throws: `ControlError.interrupted` when the task is cancelled.
    func lines(_ path: String, _ body: ([[UInt8]]) async throws -> Void) async throws {
        let response = try await response(path, method: .GET, timeout: nil)
        var splitter = LineSplitter(limit: Self.maximumLineBytes)
        var pieces = response.body.makeAsyncIterator()
        while let piece = try await explaining(hasBegun: true, { try await pieces.next() }) {
            var lines: [[UInt8]] = []
            do {
                try splitter.feed(piece.readableBytesView) { lines.append($0) }
            } catch let error as LineSplitter.TooLong {
                throw ControlError.badReply(error.description)
            }
            if !lines.isEmpty { try await body(lines) }
        }
        guard !Task.isCancelled else { throw ControlError.interrupted }
        if let last = splitter.finish() { try await body([last]) }
    }

    private func response(_ path: String, method: HTTPMethod, timeout: TimeAmount?) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: "http+unix://\(Self.escaped(socket))\(path)")
        request.method = method
        let deadline = timeout.map { NIODeadline.now() + $0 } ?? .distantFuture
        let response = try await explaining { try await http.execute(request, deadline: deadline) }
        guard response.status.code < 300 else {
            throw ControlError.refused(try await problem(of: response))
        }
        return response
    }

    private func problem(of response: HTTPClientResponse) async throws -> Problem {
        let status = Int(response.status.code)
        let body = try await explaining(hasBegun: true) { try await response.body.collect(upTo: 1 << 20) }
        if let problem = try? APICoding.decode(Problem.self, from: Data(body.readableBytesView)) { return problem }
        return Problem(status: status, title: "glossd answered \(status) \(response.status.reasonPhrase)")
    }

    /// Runs a step of an exchange; what fails in it becomes an error that says what to do.
    /// - Parameter hasBegun: whether the reply has.
    private func explaining<Result>(
        hasBegun: Bool = false, isolation: isolated (any Actor)? = #isolation, _ step: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await step()
        } catch {
            throw explanation(of: error, hasBegun: hasBegun)
        }
    }

    private func explanation(of error: any Error, hasBegun: Bool) -> any Error {
        if Task.isCancelled || error is CancellationError { return ControlError.interrupted }
        if error is NIOTooManyBytesError { return ControlError.badReply("it is too long") }
        // The library's errors do not reliably say which system call failed how: find out by trying.
        if let failure = SocketProbe.failure(path: socket) {
            let (why, hint) = SocketProbe.explanation(of: failure)
            return ControlError.unreachable(socket: socket, why: why, hint: hint)
        }
        switch error as? HTTPClientError {
        case .remoteConnectionClosed?: return ControlError.left(socket: socket)
        case _ where hasBegun: return ControlError.left(socket: socket)
        case .deadlineExceeded?, .connectTimeout?, .readTimeout?:
            return ControlError.unreachable(
                socket: socket, why: "it does not answer", hint: "See systemctl status glossd.")
        default: return ControlError.badReply("\(error)")
        }
    }

    /// The path as a URL's host has it.
    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                String(Unicode.Scalar(byte))
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
