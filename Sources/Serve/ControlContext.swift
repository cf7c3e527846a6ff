import API
import Hummingbird
import Logging
import NIOCore
import Queries
import SQL

/// The context of a request: its connection, which tests without a socket do not have.
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

    /// Returns the value of `{name}` in the path, percent-decoded.
    /// - Throws: `Problem` if it is not percent-encoded UTF-8.
    func pathParameter(_ name: String) throws -> String {
        guard let text = parameters.get(name), let decoded = percentDecoded(text) else {
            throw Problem(status: 400, title: "Bad path", detail: "{\(name)} is not percent-encoded UTF-8")
        }
        return decoded
    }
}

/// Limits for clients. They are not settings: only tests change them.
struct ControlLimits: Sendable {
    /// How long a connection may be idle, and how long the head of a request may take. Hummingbird then closes it.
    var idleTime = Duration.seconds(10)
    /// How long the whole body of a request may take.
    var bodyTime = Duration.seconds(10)
    /// How long the buffer for a client may stay full, and nothing of it be taken, before the connection is closed, see
    /// `WriteDeadline`.
    var writeTime = Duration.seconds(30)
    /// How often the file of the socket is looked for.
    var lookTime = Duration.seconds(5)
    /// How long a tail counts late events before it reports them.
    var lateTime = Duration.seconds(1)
    /// The shortest time between two progress lines of a verification.
    var progressTime = Duration.seconds(1)
    /// How long requests may continue after the daemon was asked to stop.
    var shutdownTime = Duration.seconds(2)
    /// The most connections, unless tails need more, see `ConnectionRoom`. A new one then closes the one that has been idle
    /// the longest.
    var maximumConnections = 256
    /// The memory for all pages that are larger than usual, in bytes.
    var largeBytes = 16 << 20
    /// The pages of each reply.
    var pages = PageLimits()
    /// The limits of a statement of SQL.
    var sql = SQLLimits()
    /// How long a process waits for another statement.
    var sqlPatience = Duration.seconds(30)
}
