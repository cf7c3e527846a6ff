import API
import Hummingbird
import Model
import Store

/// The requests and how they are answered, apart from the socket.
struct ControlAPI: Sendable {
    let options: ControlOptions
    let store: EventStore
    let daemon: DaemonInterface
    let limits: ControlLimits
    let admins: PeerRule
    let journalReaders: PeerRule
    let tails: TailRegister
    /// Microseconds since 1970.
    let now: @Sendable () -> UInt64

    init(
        options: ControlOptions, store: EventStore, daemon: DaemonInterface, limits: ControlLimits = ControlLimits(),
        now: @escaping @Sendable () -> UInt64 = systemTime
    ) {
        self.options = options
        self.store = store
        self.daemon = daemon
        self.limits = limits
        self.now = now
        admins = .admins(options)
        journalReaders = .journalReaders(options)
        tails = TailRegister(limit: options.maximumTails, changed: daemon.tailsChanged)
    }

    /// Every path answers every method: those it does not have with 405.
    func router() -> Router<ControlContext> {
        let router = Router(context: ControlContext.self)
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: BodyLimit(bytes: options.maximumBodyBytes, time: limits.bodyTime))
        let byPath = Dictionary(grouping: endpoints, by: \.path)
        for (path, endpoints) in byPath {
            for endpoint in endpoints {
                router.on(RouterPath(path), method: endpoint.method) { request, context in
                    if endpoint.needsAdmin { try await checkAdmin(context) }
                    try endpoint.checkQuery(of: request)
                    return try await endpoint.answer(request, context)
                }
            }
            refuseOtherMethods(router, path, allowed: endpoints.map(\.method))
        }
        return router
    }

    private func refuseOtherMethods(
        _ router: Router<ControlContext>, _ path: String, allowed: [HTTPRequest.Method]
    ) {
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        for method in methods where !allowed.contains(method) {
            router.on(RouterPath(path), method: method) { request, _ in
                let problem = Problem(
                    status: 405, title: "Method not allowed", detail: "\(request.uri.path) takes \(names) only")
                return Response(problem, headers: [.allow: names])
            }
        }
    }

    private func checkAdmin(_ context: ControlContext) async throws {
        guard try await admins.allows(context) else {
            throw Problem(status: 403, title: "Not permitted", detail: "\(admins) may do this.")
        }
    }
}
