import HummingbirdCore
import NIOCore
import Synchronization

/// A connection on its way from being accepted to being served. NIO ends the process when what it has made of a connection
/// is dropped without having been served, which is what happens to those that come in the moment in which the server stops,
/// and to those that are closed while they are set up. So whoever drops this has served it.
final class AcceptedConnection: Sendable {
    private let connection: HTTP1Channel.Value
    private let isTaken = Atomic(false)

    init(_ connection: HTTP1Channel.Value) {
        self.connection = connection
    }

    var channel: any Channel { connection.channel }

    /// The connection, for whoever serves it to its end.
    func take() -> HTTP1Channel.Value {
        isTaken.store(true, ordering: .relaxed)
        return connection
    }

    deinit {
        guard !isTaken.load(ordering: .relaxed) else { return }
        Task { [connection] in try? await connection.executeThenClose { _, _ in } }
    }
}
