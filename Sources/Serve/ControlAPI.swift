import Linux
import API
import Hummingbird
import Model
import Store
import Queries

/// The control API: its endpoints and how they are answered, without the socket.
struct ControlAPI: Sendable {
    let options: ControlOptions
    let store: EventStore
    let daemon: any DaemonInterface
    let limits: ControlLimits
    let admins: PeerRule
    let journalReaders: PeerRule
    let room: ConnectionRoom
    /// Tails have a limit of their own, since each stays open for long.
    let tails: Budget
    /// One verification at a time, since each reads the whole journal.
    let verifications = Budget(1)
    let statements = Budget(maximumStatements)
    let statementProcesses: SQLProcesses
    let catalogs = SQLCatalogs()
    let times = RequestTimes()
    /// The bytes that all replies share for what is larger than an ordinary page, whose number is bounded by that of the
    /// connections: events, journal entries, files, reports. A share is taken before such a part is read.
    let memory: Budget
    /// How many replies in the order of time may have a large window.
    let largeWindows = Budget(4)
    let documents: DocumentMaker
    /// Microseconds since 1970.
    let now: @Sendable () -> UInt64 = wallClock

    init(
        options: ControlOptions, store: EventStore, daemon: any DaemonInterface,
        limits: ControlLimits = ControlLimits()
    ) {
        self.options = options
        self.store = store
        self.daemon = daemon
        self.limits = limits
        admins = .admins(options)
        journalReaders = .journalReaders(options)
        memory = Budget(limits.largeBytes)
        documents = DocumentMaker(memory, limits)
        statementProcesses = SQLProcesses(store: store.options.path, patience: limits.sqlPatience)
        room = ConnectionRoom(
            tails: options.maximumTails, usual: limits.maximumConnections,
            descriptors: ProcessUse.now().maximumDescriptors ?? .max)
        tails = Budget(room.tails, changed: daemon.tailsChanged)
    }

    func router() -> Router<ControlContext> {
        let router = Router(context: ControlContext.self)
        router.add(middleware: ProblemMiddleware())
        router.add(
            middleware: BodyLimit(bytes: options.maximumBodyBytes, time: limits.bodyTime, endpoints: endpoints))
        router.add(middleware: MethodCheck(endpoints: endpoints))
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                try await answer(endpoint, request, context)
            }
            guard endpoint.method == .get else { continue }
            router.on(RouterPath(endpoint.path), method: .head) { request, context in
                try await answer(endpoint, request, context).withoutBody
            }
        }
        return router
    }

    private func answer(
        _ endpoint: Endpoint, _ request: Request, _ context: ControlContext
    ) async throws -> Response {
        if endpoint.needsAdmin { try await checkAdmin(context) }
        try endpoint.checkQuery(of: request)
        return try await endpoint.answer(request, context)
    }

    /// The reply if no more streams can follow events.
    var tooManyTails: Response {
        .busy(
            "Too many tails",
            "\(room.tails) tails are open, which is the limit. Close one, or try again later.")
    }

    private func checkAdmin(_ context: ControlContext) async throws {
        guard try await admins.allows(context) else {
            throw Problem(status: 403, title: "Not permitted", detail: "\(admins) may do this.")
        }
    }
}

extension Response {
    /// Returns the response to HEAD: Content-Length stays that of the body; a stream has none.
    fileprivate var withoutBody: Response {
        var response = self
        response.body = ResponseBody()
        response.headers = headers
        // Without a body, nothing watches the client, and the connection goes on.
        response.headers[.connection] = nil
        return response
    }
}
