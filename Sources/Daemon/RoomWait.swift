import Dictionaries
import Glibc
import Logging
import ServiceLifecycle
import Store

/// Retries a step of the start as long as it fails because the disk is full, so that the daemon is not restarted in a loop.
struct RoomWait {
    private static let interval = Duration.seconds(2)

    let logger: Logger
    let manager: ServiceManager

    /// - Throws: what `body` throws for any other reason; `CancellationError` when the daemon is
    ///   stopped meanwhile.
    func callAsFunction<Value>(_ body: () async throws -> Value) async throws -> Value {
        var hasWaited = false
        while true {
            do {
                let value = try await body()
                if hasWaited { logger.notice("The disk has room; glossd starts.") }
                return value
            } catch let error as any DiskError where error.isDiskFull {
                if !hasWaited {
                    logger.error(
                        "glossd cannot start yet: \(error)",
                        metadata: ["hint": "Free some space. The daemon then continues automatically."])
                }
                hasWaited = true
                manager.notify(waiting: Self.interval * 10, status: "Waiting for room on the disk: \(error)")
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
            }
        }
    }
}

/// An error that may have a full disk as its cause.
protocol DiskError: Error {
    var isDiskFull: Bool { get }
}

extension StoreError: DiskError {
    var isDiskFull: Bool { kind == .full }
}

extension HashKey.Failure: DiskError {
    var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
}
