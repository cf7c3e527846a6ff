import Emit
package import Foundation
import Glibc
import Synchronization

/// A real systemd-journald of our own, in a journal namespace that nobody else has. It needs root. Its socket, files
/// and settings are removed afterwards.
/// - Source: systemd-journald.service(8), "Journal Namespaces"
package final class PrivateJournald: Sendable {
    package let namespace: String
    private let writer: JournalWriter
    private let process = Mutex<Process?>(nil)

    private static let machineID =
        (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8))?.prefix(32).description ?? ""

    /// Why a test that needs one cannot run; `nil` when it can, and in CI, where it has to.
    package static var reasonToSkip: String? {
        if geteuid() != 0 && !Tool.isCI { return "a journald of our own needs root" }
        return Tool.journald.reasonToSkip ?? Tool.journalctl.reasonToSkip
    }

    /// Runs one for as long as `body` takes.
    /// - Parameter settings: lines of the `[Journal]` section of journald.conf(5), besides those that keep it from
    ///   limiting rates and from writing to disk.
    package static func withOne<Result>(
        settings: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ body: (PrivateJournald) async throws -> Result
    ) async throws -> Result {
        let namespace = "gloss-test-\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        let folders = Folders(namespace: namespace)
        defer { folders.remove() }
        // It ends after 30 seconds without entries, unless it has to remove old ones at a time.
        let usual = ["Storage=volatile", "RateLimitIntervalSec=0", "RateLimitBurst=0", "MaxRetentionSec=1day"]
        try folders.make(settings: usual + settings)
        let journald = try PrivateJournald(namespace: namespace)
        defer { journald.stop() }
        try await journald.start()
        return try await body(journald)
    }

    private init(namespace: String) throws {
        self.namespace = namespace
        writer = try JournalWriter(namespace: namespace)
    }

    /// Where its journal files are.
    package var folder: URL { URL(filePath: Folders(namespace: namespace).journal) }

    /// Writes one entry. It is in the journal after `sync()`, and usually long before.
    package func send(_ fields: [(name: String, value: [UInt8])]) throws {
        try writer.send(fields)
    }

    package func send(_ fields: KeyValuePairs<String, String>) throws {
        try writer.send(fields.map { ($0.key, Array($0.value.utf8)) })
    }

    /// Sends a datagram as it is, which may be several entries with an empty line between them.
    /// - Source: systemd's JOURNAL_NATIVE_PROTOCOL
    package func send(datagram: [UInt8]) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: "/run/systemd/journal.\(namespace)/socket".utf8)
        }
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, datagram, datagram.count, 0, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard sent == datagram.count else { throw Failure(errno: errno) }
    }

    private struct Failure: Error { var errno: Int32 }

    /// Returns when everything that was sent is in the journal.
    package func sync() throws { try journalctl("--sync") }

    /// Archives the journal file that is written to, and begins a new one.
    package func rotate() throws { try journalctl("--rotate") }

    /// Deletes all archived files.
    package func vacuum() throws { try journalctl("--vacuum-size=1") }

    private func journalctl(_ argument: String) throws {
        try Tool.journalctl.run(["--namespace=\(namespace)", argument])
    }

    private func start() async throws {
        let process = Process()
        process.executableURL = URL(filePath: Tool.journald.path)
        process.arguments = [namespace]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process.withLock { $0 = process }
        // It answers a little later than its socket is there.
        for _ in 0..<1000 {
            if (try? sync()) != nil { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        try sync()
    }

    private func stop(by signal: Int32 = SIGTERM) {
        process.withLock { process in
            if let process { kill(process.processIdentifier, signal) }
            process?.waitUntilExit()
            process = nil
        }
    }

    /// Kills it in the middle of what it does, and starts it again.
    package func killAndRestart() async throws {
        stop(by: SIGKILL)
        try? FileManager.default.removeItem(atPath: "/run/systemd/journal.\(namespace)/io.systemd.journal")
        try await start()
    }

    private struct Folders {
        let runtime: String
        let journal: String
        let settings: String

        init(namespace: String) {
            runtime = "/run/systemd/journal.\(namespace)"
            journal = "/run/log/journal/\(machineID).\(namespace)"
            settings = "/run/systemd/journald@\(namespace).conf.d"
        }

        func make(settings lines: [String]) throws {
            for folder in [runtime, settings] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            let text = (["[Journal]"] + lines).joined(separator: "\n") + "\n"
            try text.write(toFile: "\(settings)/test.conf", atomically: true, encoding: .utf8)
        }

        func remove() {
            for folder in [runtime, journal, settings] { try? FileManager.default.removeItem(atPath: folder) }
        }
    }
}
