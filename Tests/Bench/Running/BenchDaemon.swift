import Foundation
import Glibc

/// A glossd of its own, in a scratch folder that goes with it.
final class BenchDaemon {
    let folder: URL
    let client: SocketClient
    private var process: Process
    private let log: URL

    init(_ place: BenchPlace, _ settings: BenchSettings) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "gloss-bench-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
        log = folder.appending(path: "log")
        client = SocketClient(path: folder.appending(path: "control.sock").path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "gloss.yaml")
        try settings.text.write(to: file, atomically: true, encoding: .utf8)
        try Data().write(to: log)
        process = try Self.process(place.program("glossd"), settings: file, log: log)
    }

    private static func process(_ program: String, settings: URL, log: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["--config", settings.path]
        process.standardError = try FileHandle(forWritingTo: log)
        return process
    }

    /// One whose store is filled by other means: its journal is a folder without files.
    /// - Parameter folder: where that folder is made.
    static func withoutJournal(_ place: BenchPlace, _ folder: URL, definitions: URL) throws -> BenchDaemon {
        let journal = folder.appending(path: "journal")
        try FileManager.default.createDirectory(at: journal, withIntermediateDirectories: true)
        return try BenchDaemon(place, BenchSettings(journal: .directory(journal), definitions: definitions))
    }

    var usage: ProcessUsage { ProcessUsage(pid: process.processIdentifier) }
    /// Where its events are.
    var store: URL { folder.appending(path: "events.sqlite") }

    func start() throws {
        try process.run()
    }

    /// Starts it, and waits until it answers.
    func startAndWait() async throws {
        try start()
        try await wait(for: "glossd to answer") { status() != nil }
    }

    /// Stops it and starts another one with the same store, which does not keep the memory of what was asked before.
    func restart(_ place: BenchPlace) async throws {
        client.close()
        try stop()
        process = try Self.process(
            place.program("glossd"), settings: folder.appending(path: "gloss.yaml"), log: log)
        try await startAndWait()
        try await rest()
    }

    /// Waits until it has nothing to do.
    func rest() async throws {
        let limit = ContinuousClock.now + .seconds(120)
        while try await ProcessorShare.percent(of: usage, while: { try await Task.sleep(for: .seconds(1)) }) > 2 {
            guard ContinuousClock.now < limit else { throw BenchError("glossd is busy with something") }
        }
    }

    /// A measurement that failed leaves nothing behind.
    deinit {
        if process.isRunning { process.end() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Stops the daemon.
    func stop() throws {
        process.end()
        guard process.terminationStatus == 0 else {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw BenchError("glossd ended with status \(process.terminationStatus): \(text.suffix(500))")
        }
    }

    /// `nil` while the daemon does not answer.
    func status() -> DaemonStatus? { (try? client.json("/v1/status")).map(DaemonStatus.init) }

    /// A glossctl that asks this daemon.
    func glossctl(_ place: BenchPlace, _ arguments: [String]) -> Command {
        Command(place.program("glossctl"), ["--socket", client.path] + arguments)
    }

    /// Of the database and its log.
    func storeBytes() throws -> Int {
        try ["events.sqlite", "events.sqlite-wal"].map { folder.appending(path: $0).path }
            .filter(FileManager.default.fileExists)
            .reduce(0) { sum, path in
                sum + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
            }
    }
}
