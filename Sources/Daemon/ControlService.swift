import Logging
import Serve
import ServiceLifecycle

/// The control socket as a service. When clients can connect, the daemon is ready.
struct ControlService: Service {
    let server: ControlServer
    let socket: ControlSocket
    let manager: ServiceManager
    let logger: Logger

    func run() async throws {
        try await server.run(on: socket) {
            manager.tell(.ready, status: "Ready")
            logger.info("Ready.")
        }
    }
}
