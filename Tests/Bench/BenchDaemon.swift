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

    init(programs: URL, journal: Journal) throws {
        self.programs = programs
        folder = FileManager.default.temporaryDirectory.appending(
            path: "gloss-bench-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let definitions = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: "config/definitions")
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

    /// Stops the daemon and removes its folder.
    func stop() throws {
        process.terminate()
        process.waitUntilExit()
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

/// Runs a program to its end and gives what it printed.
@discardableResult
func run(_ path: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return data
}
