import API
import Hummingbird
import Logging
import NIOCore

/// What goes with a request: the connection it came on, which a test without a socket does not have.
struct ControlContext: RequestContext {
    struct Source: RequestContextSource {
        var channel: (any Channel)?
        var logger = Logger(label: "gloss.control") { _ in SwiftLogNoOpLogHandler() }
    }

    var coreContext: CoreRequestContextStorage
    let channel: (any Channel)?

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// What `body` gives. It is cancelled when the client leaves before, which would else show only when something is
    /// written to it. A client that closed only its sending side is still there.
    func whileConnected<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let channel else { return try await body() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                // The future of its end cannot be waited for by a task that may be cancelled.
                while channel.isActive { try await Task.sleep(for: .milliseconds(100)) }
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw CancellationError() }
            return value
        }
    }

    /// A path's `{name}`, percent-decoded.
    /// - Throws: `Problem` when it is not percent-encoded UTF-8.
    func pathParameter(_ name: String) throws -> String {
        guard let text = parameters.get(name), let decoded = percentDecoded(text) else {
            throw Problem(status: 400, title: "Bad path", detail: "{\(name)} is not percent-encoded UTF-8")
        }
        return decoded
    }
}
