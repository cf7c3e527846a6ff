import Foundation
import Glibc

/// `gloss-receiver` as a process, on a port that it chooses.
final class ReceiverProcess: Sendable {
    struct Failure: Error { var text: String }

    /// What a line of its `--journal` says.
    struct Attempt: Decodable, Hashable {
        var key: String
        var digest: String
        var status: String
        var events: Int
    }

    private let process: Process
    private let output: FileHandle
    let url: String
    private let taken: String
    private let journal: String

    init(in folder: TemporaryFolder, _ arguments: String...) throws {
        taken = folder.path("taken.ndjson")
        journal = folder.path("journal.ndjson")
        process = Process()
        process.executableURL = Self.executable
        process.arguments = ["--port", "0", "--output", taken, "--attempts", journal] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        output = pipe.fileHandleForReading
        try process.run()
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n"), let byte = try output.read(upToCount: 1)?.first { line.append(byte) }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard text.hasPrefix("listening on http://127.0.0.1:") else { throw Failure(text: text) }
        url = text.dropFirst("listening on ".count) + "/ingest"
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// Beside the test bundle, in the folder that everything is built into.
    static var executable: URL {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "gloss-receiver")
    }

    /// Ends it as a terminal or systemd would.
    /// - Returns: what it printed after its first line, and its exit status.
    func stop(_ signal: Int32 = SIGTERM) throws -> (text: String, status: Int32) {
        kill(process.processIdentifier, signal)
        let text = try output.readToEnd().map { String(decoding: $0, as: UTF8.self) } ?? ""
        process.waitUntilExit()
        return (text, process.terminationStatus)
    }

    func takenBytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: taken))) }

    func attempts() throws -> [Attempt] {
        try Data(contentsOf: URL(filePath: journal)).split(separator: UInt8(ascii: "\n"))
            .map { try JSONDecoder().decode(Attempt.self, from: $0) }
    }
}
