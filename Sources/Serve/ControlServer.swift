import Hummingbird
import HummingbirdCore
import Logging
package import Model
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization
package import Store
import Queries

/// Serves the control API on its Unix socket: HTTP/1.1 by Hummingbird.
///
/// It does not use Hummingbird's `Server`, which removes a socket that another process serves, cannot set the
/// permissions of the file before it listens, and stops accepting connections at its limit instead of refusing them.
package struct ControlServer: Sendable {
    private let api: ControlAPI
    private let limits: ControlLimits

    var memory: Budget { api.memory }
    var groupPlaces: Budget { api.documents.groupPlaces }

    package init(options: ControlOptions, store: EventStore, daemon: any DaemonInterface) {
        self.init(options: options, store: store, daemon: daemon, limits: ControlLimits())
    }

    init(options: ControlOptions, store: EventStore, daemon: any DaemonInterface, limits: ControlLimits) {
        self.limits = limits
        api = ControlAPI(options: options, store: store, daemon: daemon, limits: limits)
    }

    /// Serves until the task is cancelled or a graceful shutdown begins. Then tails end, other requests get two
    /// seconds, and the file of the socket is removed. It can be called once.
    ///
    /// If the file is removed meanwhile, such as by a program that cleans folders, the socket is made again.
    /// - Parameters:
    ///   - onListening: called once, when clients can connect.
    ///   - report: gets what happened to the file, and that clients had to be refused, in a sentence.
    /// - Throws: `ServeError` if the socket cannot be served, another error if serving fails later.
    package func run(
        on socket: ControlSocket, onListening: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws {
        let room = api.room
        if room.tails < api.options.maximumTails {
            report("There may be \(room.tails) tails, fewer than control.max_tails: file descriptors are too few")
        }
        let connections = ConnectionRegister(limit: room.connections) { [path = socket.path] in
            report("A client was refused: the control socket \(path) has \(room.connections) connections, all in use")
        }
        var (socket, listener, reported) = (socket, Listener(), "")
        defer { socket.remove() }
        try await withThrowingTaskGroup(of: Part.self) { group in
            group.addTask { [socket, listener] in
                try await serve(socket, listener, connections, onListening)
                return .serving(listener)
            }
            group.addTask { await isTimeToLook() ? .looking : .stopping }
            while let ended = try await group.next() {
                switch ended {
                case .stopping: break
                case .serving(let listener):
                    guard listener.isClosed || Self.isStopping else {
                        throw ServeError("the control socket \(socket.path) was closed")
                    }
                case .looking:
                    if let renewed = renewed(socket, &reported, report) {
                        // Its connections go on.
                        listener.close()
                        (socket, listener) = (renewed, Listener())
                        group.addTask { [socket, listener] in
                            try await serve(socket, listener, connections) {}
                            return .serving(listener)
                        }
                    }
                    group.addTask { await isTimeToLook() ? .looking : .stopping }
                }
            }
        }
    }

    /// What has ended: a socket that was served, or the wait until its file is looked for.
    private enum Part { case serving(Listener), looking, stopping }

    /// - Returns: `nil` if the socket's file is where it was, or no other one can be made.
    private func renewed(
        _ socket: ControlSocket, _ reported: inout String, _ report: (String) -> Void
    ) -> ControlSocket? {
        guard !socket.isInPlace else {
            reported = ""
            return nil
        }
        do throws(ServeError) {
            let renewed = try socket.renewed()
            report("The file of the control socket \(socket.path) was removed: it was made again")
            reported = ""
            return renewed
        } catch {
            let sentence = "The file of the control socket \(socket.path) is gone, so that nobody can connect: \(error)"
            if sentence != reported { report(sentence) }
            reported = sentence
            return nil
        }
    }

    private static var isStopping: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    /// - Returns: `false` when serving ends.
    private func isTimeToLook() async -> Bool {
        try? await cancelWhenGracefulShutdown { [limits] in try await Task.sleep(for: limits.lookTime) }
        return !Self.isStopping
    }

    /// What accepts connections, once it does.
    private final class Listener: Sendable {
        private let state = Mutex<(channel: (any Channel)?, isClosed: Bool)>((nil, false))

        /// Whether it was closed on purpose.
        var isClosed: Bool { state.withLock(\.isClosed) }

        func begin(_ channel: any Channel) {
            let isClosed = state.withLock { state in
                state.channel = channel
                return state.isClosed
            }
            if isClosed { channel.close(promise: nil) }
        }

        func close() {
            let channel = state.withLock { state in
                state.isClosed = true
                return state.channel
            }
            channel?.close(promise: nil)
        }
    }

    private func serve(
        _ socket: ControlSocket, _ begun: Listener, _ connections: ConnectionRegister, _ onListening: () -> Void
    ) async throws {
        let http = http(connections)
        let logger = ControlContext.Source().logger
        let listener = try await listen(socket) { channel in
            http.setup(channel: channel, logger: logger).flatMapThrowing { made in
                let connection = AcceptedConnection(made)
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandler(HTTPConformance(), position: .after(parser))
                return connection
            }
        }
        begun.begin(listener.channel)
        onListening()
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await listener.executeThenClose { accepted in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in accepted {
                        // Not earlier: NIO traps when a connection is closed while its pipeline is set up.
                        connections.add(connection.channel)
                        group.addTask {
                            let accepted = connection.take()
                            await accepted.channel.whileOpen { await http.handle(value: accepted, logger: logger) }
                        }
                    }
                }
            }
        } onCancelOrGracefulShutdown: {
            listener.channel.close(promise: nil)
            connections.shutDown(within: limits.shutdownTime)
        }
    }

    private func listen<Connection: Sendable>(
        _ socket: ControlSocket, _ setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<Connection>
    ) async throws -> NIOAsyncChannel<Connection, Never> {
        guard let descriptor = socket.takeDescriptor() else {
            throw ServeError("the control socket \(socket.path) is already in use")
        }
        do {
            return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                // A channel has room only when nearly everything is sent, so that little memory waits for a client.
                .childChannelOption(.writeBufferWaterMark, value: .init(low: 1, high: 8 << 10))
                .bind(descriptor, childChannelInitializer: setUp)
        } catch let error as IOError {
            // The description by NIO is for programmers.
            throw ServeError(call: "listen", path: socket.path, errno: error.errnoCode)
        }
    }

    private func http(_ connections: ConnectionRegister) -> HTTP1Channel {
        let (responder, times) = (api.router().buildResponder(), api.times)
        var configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [WriteDeadline(time: limits.writeTime)],
            idleTimeout: TimeAmount(limits.idleTime))
        // The answer 431 names these limits.
        configuration.httpDecoder = .init(
            maxHeaderFieldSize: 64 << 10, maxHeaderListSize: 80 << 10, maxHeaderFieldCount: 1000)
        return HTTP1Channel(
            responder: { request, writer, channel in
                connections.requestBegan(on: channel)
                defer { connections.requestEnded(on: channel) }
                let context = ControlContext(source: .init(channel: channel))
                let begin = ContinuousClock.now
                let response = try await responder.respond(to: request, context: context)
                // Also when the client leaves before the end.
                defer { times.record(request, context.endpointPath, response, since: begin) }
                try await writer.write(response: response.head, body: response.body)
            },
            configuration: configuration)
    }
}
