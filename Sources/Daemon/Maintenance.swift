import Linux
import Logging
import ServiceLifecycle
import Store

/// Keeps the store within its limits, in steps that let the intake in between, and tells of damage that was met.
struct Maintenance: Service {
    private static let interval = Duration.seconds(5)

    let store: EventStore
    let logger: Logger
    /// What may have waited for room in the store.
    let maintained: @Sendable () async -> Void

    func run() async throws {
        var (hasFailed, isDamaged) = (false, false)
        while !Task.isShuttingDownGracefully && !Task.isCancelled {
            if let error = await maintain() {
                // Nothing is lost by a step that did not happen; what keeps failing is told once.
                if !hasFailed { logger.error("The store maintenance failed: \(error)") }
                hasFailed = true
            } else {
                hasFailed = false
                await maintained()
            }
            if !isDamaged, let damage = store.damage {
                isDamaged = true
                logger.critical(
                    "What needs the damaged part of the store fails: \(damage)",
                    metadata: damage.hint.map { ["hint": "\($0)"] })
            }
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
        }
    }

    private func maintain() async -> StoreError? {
        do throws(StoreError) {
            while try await store.maintain(now: wallClock()) && !Task.isShuttingDownGracefully {}
            return nil
        } catch {
            return error
        }
    }
}
