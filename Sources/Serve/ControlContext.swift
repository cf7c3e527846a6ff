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

    /// A path's `{name}`, percent-decoded.
    /// - Throws: `Problem` when it is not percent-encoded UTF-8.
    func pathParameter(_ name: String) throws -> String {
        guard let text = parameters.get(name), let decoded = percentDecoded(text) else {
            throw Problem(status: 400, title: "Bad path", detail: "{\(name)} is not percent-encoded UTF-8")
        }
        return decoded
    }
}
