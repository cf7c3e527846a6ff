import Foundation
import Glibc
import Testing

/// The built programs in a scratch folder of their own: `glossd` on a journal, a `gloss-receiver` to deliver to, and
/// `glossctl` to ask. What was started is stopped, and the folder removed, when the scope ends.
final class GlossInstance {
    let folder: URL
    private var daemon: Process?
    private var receiver: Process?
    private(set) var receiverURL = "http://127.0.0.1:9"

    /// Where `swift build` put the programs: beside the tests' own bundle.
    static let programs: URL = {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.isExecutableFile(atPath: folder.appending(path: "glossd").path) { return folder }
            folder.deleteLastPathComponent()
        }
        return root.appending(path: ".build/debug")
    }()

    /// The checkout.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "gloss-test-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    static func with<Result>(_ body: (GlossInstance) async throws -> Result) async throws -> Result {
        let instance = try GlossInstance()
        defer { instance.cleanUp() }
        return try await body(instance)
    }

    private func cleanUp() {
        for process in [daemon, receiver] {
            guard let process, process.isRunning else { continue }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: files

    func path(_ name: String) -> String { folder.appending(path: name).path }
    var socket: String { path("control.sock") }

    func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func text(of name: String) -> String {
        (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
    }

    func lines(of name: String) -> [Substring] { text(of: name).split(separator: "\n") }

    /// The sample dictionary, and settings that differ from the sample's in where things are,
    /// and in that old events stay: the entries of fixtures are of a fixed day.
    /// - Parameters:
    ///   - journal: the settings' block, such as `{namespace: x, start: oldest}`.
    ///   - more: whole blocks to add, such as `sinks: […]`.
    func configure(journal: String, store: String = "{path: events.sqlite, max_age: 36500d}", more: String = "") throws
    {
        let definitions = folder.appending(path: "definitions")
        if !FileManager.default.fileExists(atPath: definitions.path) {
            try FileManager.default.copyItem(at: Self.root.appending(path: "config/definitions"), to: definitions)
        }
        try write(
            """
            journal: \(journal)
            sources: [{subsystem: "com.example.*"}]
            dictionaries: [{name: shop, path: definitions, subsystem: "com.example.*", category: ActivityLog}]
            store: \(store)
            control: {socket: control.sock}
            \(more)
            """, to: "gloss.yaml")
    }

    // MARK: glossd

    /// Starts the daemon; its log goes to `glossd.log`.
    /// - Parameter asNobody: as a user with access to this folder and little else. It needs root.
    /// - Parameter limits: options of prlimit(1).
    func startDaemon(asNobody: Bool = false, limits: [String] = []) throws {
        let process = Process()
        process.executableURL = Self.programs.appending(path: "glossd")
        process.arguments = ["--config", path("gloss.yaml")]
        if asNobody {
            // The checkout may be out of that user's reach.
            try FileManager.default.copyItem(
                atPath: Self.programs.appending(path: "glossd").path, toPath: path("glossd"))
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments =
                ["--reuid=65534", "--regid=65534", "--clear-groups", path("glossd"), "--config", path("gloss.yaml")]
            chown(folder.path, 65534, 65534)
        } else if !limits.isEmpty {
            process.executableURL = URL(filePath: "/usr/bin/prlimit")
            process.arguments =
                limits + [Self.programs.appending(path: "glossd").path, "--config", path("gloss.yaml")]
        }
        process.standardError = try appending("glossd.log")
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        daemon = process
    }

    var daemonPID: Int32 { daemon?.processIdentifier ?? 0 }
    var isDaemonRunning: Bool { daemon?.isRunning ?? false }

    /// Starts the daemon and waits until it answers.
    func startDaemonAndWait(asNobody: Bool = false) async throws {
        try startDaemon(asNobody: asNobody)
        try await eventually("glossd answers; its log: \(text(of: "glossd.log"))") {
            if isDaemonRunning { _ = try await status() }
            return true
        }
        try #require(isDaemonRunning, "glossd ended: \(text(of: "glossd.log"))")
    }

    /// What the daemon has in memory that is no file's.
    func daemonAnonymousBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(daemonPID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(Int(line.split(separator: " ")[1])) << 10
    }

    func signalDaemon(_ signal: Int32) {
        if let daemon, daemon.isRunning { kill(daemon.processIdentifier, signal) }
    }

    /// - Returns: the exit status; negative for a signal.
    @discardableResult
    func waitForDaemon() async -> Int32 {
        guard let daemon else { return 0 }
        await daemon.end()
        return daemon.terminationReason == .uncaughtSignal ? -daemon.terminationStatus : daemon.terminationStatus
    }

    func killDaemon() async {
        signalDaemon(SIGKILL)
        await waitForDaemon()
    }

    @discardableResult
    func stopDaemon() async -> Int32 {
        signalDaemon(SIGTERM)
        return await waitForDaemon()
    }

    // MARK: gloss-receiver

    /// Starts a receiver that writes `received.ndjson` and `attempts.ndjson`.
    func startReceiver(answer: String? = nil, port: Int = 0, arguments: [String] = []) async throws {
        let process = Process()
        process.executableURL = Self.programs.appending(path: "gloss-receiver")
        process.arguments =
            ["--port", "\(port)", "--output", path("received.ndjson"), "--attempts", path("attempts.ndjson")]
            + (answer.map { ["--answer", $0] } ?? []) + arguments
        try? FileManager.default.removeItem(atPath: path("receiver.log"))
        process.standardOutput = try appending("receiver.log")
        process.standardError = try appending("receiver.log")
        try process.run()
        receiver = process
        try await eventually("the receiver listens: \(text(of: "receiver.log"))") {
            text(of: "receiver.log").contains("listening on ")
        }
        let match = try #require(text(of: "receiver.log").firstMatch(of: /listening on (http:\/\/[0-9.:]+)/))
        receiverURL = String(match.1)
    }

    func stopReceiver() async {
        guard let receiver, receiver.isRunning else { return }
        receiver.terminate()
        await receiver.end()
    }

    // MARK: glossctl

    struct Output {
        var status: Int32
        var text: String
        var errors: String
        var lines: [Substring] { text.split(separator: "\n") }
    }

    @discardableResult
    func glossctl(_ arguments: String...) async throws -> Output {
        try await glossctl(arguments)
    }

    func glossctl(_ arguments: [String]) async throws -> Output {
        try await Self.run(Self.programs.appending(path: "glossctl").path, ["--socket", socket] + arguments)
    }

    func status() async throws -> [String: Any] {
        let output = try await glossctl("status", "-o", "json")
        guard let status = try? JSONSerialization.jsonObject(with: Data(output.text.utf8)) as? [String: Any] else {
            throw Timeout("no status: \(output.errors)")
        }
        return status
    }

    /// What glossctl answers in JSON.
    func document<Document: Decodable>(_ arguments: String...) async throws -> Document {
        let output = try await glossctl(arguments + ["-o", "json"])
        do {
            return try JSONDecoder().decode(Document.self, from: Data(output.text.utf8))
        } catch {
            throw Timeout("\(error): \(output.errors)")
        }
    }

    /// All events of the store as objects, oldest first. Numbers become doubles: look at `text` where that matters.
    func events() async throws -> [[String: Any]] {
        try await glossctl("show", "-n", "all", "-o", "ndjson").lines.compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }.filter { $0["type"] as? String == "event" }
    }

    /// Runs a program to its end.
    /// - Parameter environment: added to that of this process.
    static func run(
        _ program: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Output {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let files = FileManager.default.temporaryDirectory.appending(path: "gloss-output-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        // Files, not pipes: nobody needs to read both at once.
        for name in ["out", "err", "in"] {
            try Data((name == "in" ? input ?? "" : "").utf8).write(to: files.appending(path: name))
        }
        let open = try [
            FileHandle(forReadingFrom: files.appending(path: "in")),
            FileHandle(forWritingTo: files.appending(path: "out")),
            FileHandle(forWritingTo: files.appending(path: "err")),
        ]
        // Foundation keeps a process, with its files, in the run loop of the thread that started it, which never runs.
        defer { for file in open { try? file.close() } }
        (process.standardInput, process.standardOutput, process.standardError) = (open[0], open[1], open[2])
        try await process.runToEnd()
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: files.appending(path: name)), as: UTF8.self)
        }
        return Output(status: process.terminationStatus, text: try text("out"), errors: try text("err"))
    }

    func appending(_ name: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path(name)) {
            try Data().write(to: URL(filePath: path(name)))
        }
        let file = try FileHandle(forWritingTo: URL(filePath: path(name)))
        try file.seekToEnd()
        return file
    }
}

struct Timeout: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Waits until something is so; a bound on how long a test may hang, never on how fast something must be. An error of the
/// condition, such as a daemon that cannot answer yet, means that it is not so. It must not be one of `#require`, which
/// fails the test whatever comes of it.
func eventually(
    _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while true {
        var reason = ""
        do {
            if try await condition() { return }
        } catch {
            reason = ": \(error)"
        }
        guard ContinuousClock.now < end else { throw Timeout("not within \(limit): \(what())\(reason)") }
        try await Task.sleep(for: .milliseconds(50))
    }
}

extension Process {
    /// Starts the program and returns when it has ended. Nothing is blocked meanwhile, unlike by `waitUntilExit`: tests
    /// share few threads.
    func runToEnd() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            terminationHandler = { _ in continuation.resume() }
            do {
                try run()
            } catch {
                terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }

    /// Returns when a program that runs has ended.
    func end() async {
        while isRunning { try? await Task.sleep(for: .milliseconds(10)) }
        waitUntilExit()
    }
}
