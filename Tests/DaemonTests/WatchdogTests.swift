import Foundation
import FoundationEssentials
import Glibc
import Journal
import Model
import ServiceLifecycle
import TestSupport
import Testing

@testable import Daemon

/// What systemd receives, on a real socket. Environment variables are the process's: one test at a time.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct WatchdogTests {
    /// The socket that `NOTIFY_SOCKET` names.
    private final class Listener {
        private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        private let path: String

        init(_ path: String) throws {
            self.path = path
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }

        deinit { close(descriptor) }

        /// The messages that have come since the last call.
        func messages() -> [String] {
            var messages: [String] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return messages }
                messages.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
        }
    }

    /// Runs a watchdog with so much time until `body` returns, then stops it gracefully.
    private func withWatchdog(
        _ microseconds: Int, _ progress: IntakeProgress, _ log: LogRecord, _ body: (Listener) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "notify").path
            let listener = try Listener(path)
            setenv("NOTIFY_SOCKET", path, 1)
            setenv("WATCHDOG_USEC", "\(microseconds)", 1)
            defer {
                unsetenv("NOTIFY_SOCKET")
                unsetenv("WATCHDOG_USEC")
            }
            let watchdog = Watchdog(manager: ServiceManager(), progress: progress, logger: log.logger)
            let group = ServiceGroup(services: [watchdog], logger: log.logger)
            let running = Task { try await group.run() }
            try await body(listener)
            await group.triggerGracefulShutdown()
            try await running.value
            #expect(listener.messages().last == "STOPPING=1\nSTATUS=Stopping")
        }
    }

    private func messages(_ listener: Listener, until isEnough: ([String]) -> Bool) async throws -> [String] {
        var all: [String] = []
        while !isEnough(all) {
            all += listener.messages()
            try await Task.sleep(for: .milliseconds(2))
        }
        return all
    }

    @Test func `the watchdog is fed while the intake does something, with what it does`() async throws {
        let (progress, log) = (IntakeProgress(nil), LogRecord())
        try await withWatchdog(40_000_000, progress, log) { listener in
            let messages = try await messages(listener) { $0.count >= 2 }
            #expect(messages == ["WATCHDOG=1", "STATUS=Catching up: 0 entries read, 0 entries/s"])
        }
        #expect(!log.lines.contains { $0.hasPrefix("error") })
    }

    @Test func `a status is one line, whatever it quotes`() async throws {
        try await withWatchdog(40_000_000, IntakeProgress(nil), LogRecord()) { listener in
            ServiceManager().notify(.ready, status: "a\nMAINPID=1")
            ServiceManager().notify(status: "b\nMAINPID=1")
            let messages = try await messages(listener) { $0.contains { $0.contains("STATUS=b") } }
            #expect(messages.contains { $0.hasPrefix("READY=1\nSTATUS=a") })
            #expect(!messages.contains { $0.contains("\nMAINPID") })
        }
    }

    @Test func `an intake that does nothing starves the watchdog, is reported once, and can come back`() async throws {
        let (progress, log) = (IntakeProgress(nil), LogRecord())
        try await withWatchdog(200_000, progress, log) { listener in
            while !log.lines.contains(where: { $0.hasPrefix("error") }) { try await Task.sleep(for: .milliseconds(2)) }
            _ = listener.messages()
            // The first status may belong to that error; the others were sent after it.
            let starving = try await messages(listener) { $0.count >= 4 }
            #expect(starving.allSatisfy { $0.hasPrefix("STATUS=") }, "\(starving)")
            #expect(log.lines.filter { $0.hasPrefix("error") }.count == 1)
            _ = try await messages(listener) {
                // As an intake that goes on working, whenever the watchdog looks.
                progress.noteRead(ResolvedBatch(entriesRead: 1), JournalCondition())
                return $0.contains("WATCHDOG=1")
            }
        }
    }
}
