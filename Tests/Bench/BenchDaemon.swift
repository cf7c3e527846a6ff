import Foundation
import Glibc

/// A glossd of its own, in a scratch folder that goes with it.
final class BenchDaemon {
    enum Journal {
        case directory(String)
        case namespace(String)
    }

    let folder: URL
    let programs: URL
    private let process = Process()

    /// - Parameter definitions: the sample's, unless others are given.
    init(programs: URL, journal: Journal, definitions: URL? = nil) throws {
        self.programs = programs
        folder = FileManager.default.temporaryDirectory.appending(
            path: "gloss-bench-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let sample = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: "config/definitions")
        let definitions = definitions ?? sample
        let location =
            switch journal {
            case .directory(let path): "directory: \(path)"
            case .namespace(let name): "namespace: \(name)"
            }
        let settings = """
            journal: {\(location), start: oldest}
            sources: [{subsystem: "com.example.*"}]
            dictionaries: [{name: shop, path: \(definitions.path), subsystem: "com.example.*", category: ActivityLog}]
            store: {path: events.sqlite, max_size: 8GiB, max_age: 36500d}
            control: {socket: control.sock}
            """
        try settings.write(to: folder.appending(path: "gloss.yaml"), atomically: true, encoding: .utf8)
        process.executableURL = programs.appending(path: "glossd")
        process.arguments = ["--config", folder.appending(path: "gloss.yaml").path]
    }

    var pid: Int32 { process.processIdentifier }
    var socket: String { folder.appending(path: "control.sock").path }

    func start() throws {
        try process.run()
    }

    /// A measurement that failed leaves nothing behind.
    deinit {
        guard process.isRunning else { return }
        process.end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Stops the daemon and removes its folder.
    func stop() throws {
        process.end()
        try FileManager.default.removeItem(at: folder)
        guard process.terminationStatus == 0 else {
            throw BenchError("glossd ended with status \(process.terminationStatus)")
        }
    }

    /// `GET /v1/status`; `nil` while the daemon does not answer.
    func status() -> [String: Any]? {
        guard let reply = get("/v1/status", socket: socket) else { return nil }
        return try? JSONSerialization.jsonObject(with: reply) as? [String: Any]
    }

    /// What one of our programs prints. Its exit status does not matter: `status` ends with 1 for a degraded daemon.
    func output(of program: String, _ arguments: [String]) throws -> Data {
        try run(programs.appending(path: program).path, arguments)
    }

    /// The process's private memory, its own and at most so far, in bytes.
    func memory() -> (anonymous: Int, peakResident: Int)? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        func kilobytes(_ key: String) -> Int? {
            text.split(separator: "\n").first { $0.hasPrefix("\(key):") }?
                .split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
        }
        guard let anonymous = kilobytes("RssAnon"), let peak = kilobytes("VmHWM") else { return nil }
        return (anonymous << 10, peak << 10)
    }
}

/// Runs a program to its end and gives what it printed. Foundation's `Process` would add its own waiting to the time.
@discardableResult
func run(_ path: String, _ arguments: [String]) throws -> Data {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw BenchError("pipe: errno \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, path, &actions, nil, &words, environ)
    close(ends[1])
    let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    guard code == 0 else { throw BenchError("\(path): \(String(cString: strerror(code)))") }
    let data = try output.readToEnd() ?? Data()
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return data
}

extension Process {
    /// Ends the program; one that does not end within ten seconds is killed. It looks rather than waits: on Linux
    /// `waitUntilExit` may wait for ever on another thread than the one that started the program.
    func end() {
        terminate()
        // Looked at now and then: see above. Nothing else runs on this thread.
        for _ in 0..<1000 where isRunning { usleep(10_000) }
        if isRunning { kill(processIdentifier, SIGKILL) }
        // A killed process ends at once.
        while isRunning { usleep(10_000) }
    }
}
