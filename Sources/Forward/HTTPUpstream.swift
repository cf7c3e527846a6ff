import AsyncHTTPClient
import Glibc
import Linux
import Model
import NIOCore
import NIOHTTP1
import NIOSSL

/// Posts batches to one URL. It is a thin layer over AsyncHTTPClient: one attempt, one answer, no retries and no
/// redirects, so that credentials never go to another host.
struct HTTPUpstream: Upstream {
    /// The most bytes of a reply that are read; then the connection is dropped.
    static let maximumReplyBytes = 64 * 1024

    private let endpoint: SinkEndpoint
    private let options: SinkOptions
    private let userAgent: String
    private let contentType: String
    private let client: HTTPClient

    /// - Throws: `SinkError` when the CA file cannot be used.
    init(
        _ options: SinkOptions, userAgent: String, contentType: String = "application/x-ndjson"
    ) throws(SinkError) {
        endpoint = try SinkEndpoint(options)
        self.options = options
        (self.userAgent, self.contentType) = (userAgent, contentType)
        client = HTTPClient(configuration: try Self.configuration(options))
    }

    private static func configuration(_ options: SinkOptions) throws(SinkError) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file = options.caFile { tls.additionalTrustRoots = [.certificates(try authorities(file))] }
        var pool = HTTPClient.Configuration.ConnectionPool()
        // Otherwise a refused connection would be hidden behind seconds of retries. The sink does the retries.
        pool.retryConnectionEstablishment = false
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        // Shorter than the keep-alive of common servers (5 s and more), so that no connection from the pool is already
        // closed.
        pool.idleTimeout = .seconds(4)
        let timeout = TimeAmount(options.timeout)
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: timeout, read: timeout, write: timeout), connectionPool: pool, proxy: nil,
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        // It is called for each connection when its handlers are in place, before anything is read.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture { try AnswerGuard.install(in: channel) }
        }
        return configuration
    }

    private static func authorities(_ file: String) throws(SinkError) -> [NIOSSLCertificate] {
        let hint = "name a file of certificates in PEM form"
        // NIOSSL reports the same error for a file that does not exist and for one without certificates.
        guard access(file, R_OK) == 0 else {
            throw SinkError("the CA file \(file) cannot be read: \(errnoText(errno))", hint: hint)
        }
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(file)
            if !certificates.isEmpty { return certificates }
        } catch {
            throw SinkError("the CA file \(file) cannot be used: \(NetworkFault.describe(error))", hint: hint)
        }
        throw SinkError("the CA file \(file) holds no certificate", hint: hint)
    }

    /// Starts the shutdown without waiting for it: the client first lets a connection that is being made succeed or
    /// time out, and stopping must not take that long. The task keeps the client until then.
    func close() {
        Task { [client] in
            // It fails when it is called twice; then nothing is left to do.
            try? await client.shutdown()
        }
    }

    func send(_ batch: FrozenBatch) async -> AttemptResult {
        await post(batch.body, key: batch.key, contentEncoding: batch.contentEncoding)
    }

    /// Makes one attempt to send a body. Ends early when the task is cancelled.
    func post(_ body: [UInt8], key: String, contentEncoding: String? = nil) async -> AttemptResult {
        let token: String?
        do throws(TokenFile.Failure) {
            token = try options.tokenFile.map { (path) throws(TokenFile.Failure) in try TokenFile.read(path) }
        } catch {
            return .notSent(reason: error.description)
        }
        do {
            let request = request(body, key: key, contentEncoding: contentEncoding, token: token)
            return try await withinTimeout { try await exchange(request, secret: token) }
        } catch {
            let fault = NetworkFault.describe(error)
            guard options.isURLSecret else {
                return .unanswered(reason: "\(endpoint.host):\(endpoint.port): \(fault)")
            }
            return .unanswered(reason: ReplyExcerpt.clean(Array(fault.utf8), without: urlSecrets))
        }
    }

    private func request(
        _ body: [UInt8], key: String, contentEncoding: String?, token: String?
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: endpoint.url)
        request.method = .POST
        for (name, value) in options.headers { request.headers.replaceOrAdd(name: name.text, value: value.text) }
        if !request.headers.contains(name: "User-Agent") { request.headers.add(name: "User-Agent", value: userAgent) }
        request.headers.add(name: "Content-Type", value: contentType)
        request.headers.add(name: "Idempotency-Key", value: key)
        if let contentEncoding { request.headers.add(name: "Content-Encoding", value: contentEncoding) }
        if let token { request.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token)") }
        // The length is known, so the client sets Content-Length.
        request.body = .bytes(ByteBuffer(bytes: body))
        return request
    }

    private func exchange(_ request: HTTPClientRequest, secret: String?) async throws -> AttemptResult {
        let response = try await client.execute(request, timeout: TimeAmount(options.timeout))
        var body: [UInt8] = []
        for try await part in response.body {
            body += part.readableBytesView
            // Leaving the loop drops the connection and the rest of the reply.
            if body.count > Self.maximumReplyBytes { break }
        }
        // A body that is cut short by cancellation ends as if it were complete.
        try Task.checkCancellation()
        // The request accepted no encoding, so this is not text for people.
        if response.headers.contains(name: "Content-Encoding") { body = [] }
        if (300...399).contains(response.status.code), let location = response.headers.first(name: "Location") {
            body = Array("Location: \(SinkEndpoint.display(location))".utf8)
        }
        let retryAfter = response.headers.first(name: "Retry-After").flatMap {
            RetryAfter.parse($0, now: wallClock())
        }
        return .answered(
            status: Int(response.status.code), retryAfter: retryAfter,
            excerpt: ReplyExcerpt.clean(body, without: [secret].compactMap(\.self) + urlSecrets))
    }

    /// What must not be shown of the URL: its query, which may contain a key, or all behind its scheme. As it is and decoded.
    private var urlSecrets: [String] {
        let secret =
            options.isURLSecret
            ? options.url.parts(at: "://").map { String($0.after) } : SinkEndpoint.query(options.url)
        return secret.map(SecretText.spellings) ?? []
    }

    /// Limits the whole exchange: the client's own time-outs end with the head of the reply.
    private func withinTimeout(
        _ exchange: @escaping @Sendable () async throws -> AttemptResult
    ) async throws -> AttemptResult {
        try await withThrowingTaskGroup(of: AttemptResult.self) { [timeout = options.timeout] group in
            group.addTask { try await exchange() }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            // There are two tasks, so there is a first result.
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
