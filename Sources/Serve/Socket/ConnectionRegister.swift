import HummingbirdCore
import Model
import NIOCore
import Synchronization

/// The open connections. When there are too many, the one that has been idle the longest is closed. A limit that
/// stopped accepting would let a few silent clients block all others.
final class ConnectionRegister: Sendable {
    private struct Connection {
        var channel: any Channel
        /// The number of requests that are being answered, 0 or 1.
        var requests = 0
        /// When it was opened or its last request ended, as a sequence number of such moments.
        var idleSince: UInt64
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var moment: UInt64 = 0
        /// Whether it was said that a new connection was closed, since there were fewer.
        var hasRefused = false
        var isShuttingDown = false

        mutating func nextMoment() -> UInt64 {
            moment += 1
            return moment
        }
    }

    private let limit: Int
    private let onRefusal: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter onRefusal: called when a new connection is closed since all are busy; once, until some are free again.
    init(limit: Int, onRefusal: @escaping @Sendable () -> Void) { (self.limit, self.onRefusal) = (limit, onRefusal) }

    /// How many have to be free before a refusal is news again. There may be many tails that stay.
    private static func roomAgain(_ limit: Int) -> Int { min(32, limit / 2) }

    /// Adds a connection that was just accepted. If there are too many, closes another one, or this one if all are
    /// busy.
    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let (evicted, isNewRefusal): ((any Channel)?, Bool) = state.withLock { state in
            state.connections[id] = Connection(channel: channel, idleSince: state.nextMoment())
            if state.isShuttingDown {
                state.connections[id] = nil
                return (channel, false)
            }
            guard state.connections.count > limit else { return (nil, false) }
            let idle = state.connections.filter { $0.value.requests == 0 && $0.key != id }
            if let oldest = idle.min(by: { $0.value.idleSince < $1.value.idleSince }) {
                state.connections[oldest.key] = nil
                return (oldest.value.channel, false)
            }
            // It is closed on its event loop, later: until then it must not count as one that may make room.
            state.connections[id] = nil
            defer { state.hasRefused = true }
            return (channel, !state.hasRefused)
        }
        channel.closeFuture.whenComplete { [weak self, limit] _ in
            self?.state.withLock { state in
                state.connections[id] = nil
                if state.connections.count <= limit - Self.roomAgain(limit) { state.hasRefused = false }
            }
        }
        if isNewRefusal { onRefusal() }
        evicted?.close(promise: nil)
    }

    func requestBegan(on channel: any Channel) {
        state.withLock { $0.connections[ObjectIdentifier(channel)]?.requests += 1 }
    }

    func requestEnded(on channel: any Channel) {
        state.withLock { state in
            let moment = state.nextMoment()
            state.connections[ObjectIdentifier(channel)]?.requests -= 1
            state.connections[ObjectIdentifier(channel)]?.idleSince = moment
        }
    }

    /// Closes idle connections immediately, busy ones after their response, and all others after `time`.
    func shutDown(within time: Duration) {
        let channels = state.withLock { state in
            state.isShuttingDown = true
            return state.connections.values.map(\.channel)
        }
        for channel in channels {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            let closing = channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in closing.cancel() }
        }
    }
}

/// A connection that was accepted and is not yet served. NIO terminates the process if its objects for a connection are
/// released without being served, which happens to connections that arrive while the server stops or that are closed
/// while they are set up. This type serves the connection when it is released.
final class AcceptedConnection: Sendable {
    private let connection: HTTP1Channel.Value
    private let isTaken = Atomic(false)

    init(_ connection: HTTP1Channel.Value) {
        self.connection = connection
    }

    var channel: any Channel { connection.channel }

    /// Returns the connection to the caller, which must serve it.
    func take() -> HTTP1Channel.Value {
        isTaken.store(true, ordering: .relaxed)
        return connection
    }

    deinit {
        guard !isTaken.load(ordering: .relaxed) else { return }
        Task { [connection] in try? await connection.executeThenClose { _, _ in } }
    }
}

extension Channel {
    /// Runs `body` and cancels it when the connection ends, so that work for a client ends with it even if nothing is
    /// being written. A client that closed only its sending side is still connected.
    func whileOpen(_ body: @escaping @Sendable () async -> Void) async {
        let (open, ended) = AsyncStream<Never>.makeStream()
        closeFuture.whenComplete { _ in ended.finish() }
        await runUntilFirstEnds([body, { for await _ in open {} }])
    }
}

/// How many connections there may be, and how many of them may be tails.
struct ConnectionRoom: Hashable {
    let connections: Int
    /// Tails leave some connections to other requests, or nobody could ask for anything while all are open.
    let tails: Int

    /// How many connections are not for tails, if there are enough.
    private static let others = 64

    /// - Parameters:
    ///   - usual: how many connections there may be, unless tails need more.
    ///   - descriptors: how many the process may have. Half of them are for journal files and everything else.
    init(tails: Int, usual: Int, descriptors: UInt64) {
        connections = min(max(usual, tails + Self.others), Int(clamping: descriptors / 2))
        self.tails = min(tails, connections - min(Self.others, connections / 2))
    }
}
