import API
import Hummingbird
import Logging
import NIOCore
import Queries

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

    /// A path's `{name}`, percent-decoded.
    /// - Throws: `Problem` when it is not percent-encoded UTF-8.
    func pathParameter(_ name: String) throws -> String {
        guard let text = parameters.get(name), let decoded = percentDecoded(text) else {
            throw Problem(status: 400, title: "Bad path", detail: "{\(name)} is not percent-encoded UTF-8")
        }
        return decoded
    }
}

/// What one client may cost. These are no settings: nobody has a reason to change them, but tests do.
struct ControlLimits: Sendable {
    /// How long a connection may be without a request, or a request's head may take. Hummingbird closes it then.
    var idleTime = Duration.seconds(10)
    /// How long a request's body may take in all, however steadily it trickles.
    var bodyTime = Duration.seconds(10)
    /// How long a client may leave a full buffer unread before it is cut off.
    var writeTime = Duration.seconds(30)
    /// How long a tail gathers events that it leaves out as late before it says how many they are.
    var lateTime = Duration.seconds(1)
    /// How often a verification says how far it is, at most.
    var progressTime = Duration.seconds(1)
    /// How long requests may go on after the daemon was asked to stop.
    var shutdownTime = Duration.seconds(2)
    /// One more connection closes the one that has been idle longest.
    var maximumConnections = 256
    /// How many bytes all streams together may hold of what is larger than an ordinary page.
    var largeBytes = 16 << 20
    /// Of each answer.
    var pages = PageLimits()
}
