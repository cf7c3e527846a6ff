import Foundation
import Testing

/// gloss-dictionary as a process.
enum BuiltProgram {
    /// SwiftPM puts executables beside the test bundle.
    private static func program() throws -> URL {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = tests.deletingLastPathComponent().appending(path: "gloss-dictionary")
        try #require(FileManager.default.isExecutableFile(atPath: beside.path), "gloss-dictionary is not built")
        return beside
    }

    /// Runs it to its end.
    /// - Parameter limits: what the shell that executes it does before.
    static func run(
        _ arguments: [String], in folder: URL, output: FileHandle = .nullDevice, environment: [String: String] = [:],
        limits: String = ":"
    ) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", #"\#(limits); exec "$0" "$@""#, try program().path] + arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
