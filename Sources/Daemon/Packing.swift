import Logging
import ServiceLifecycle
import Store

/// Packs the newest events beside the intake.
struct Packing: Service {
    let store: EventStore
    let logger: Logger

    func run() async throws {
        for await _ in store.blocksReady.cancelOnGracefulShutdown() {
            // Nothing is lost: the intake packs them with the batch that makes them enough, and tells what is wrong.
            do { try await store.packNewest() } catch { logger.debug("The newest events were not packed: \(error)") }
        }
    }
}
