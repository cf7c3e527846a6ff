import Foundation
import TestSupport

/// Runs a program to its end, and keeps what it writes.
struct Program {
    struct Result {
        var status: Int32
        var output: String
        var errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    static let python = Tool("/usr/bin/python3", package: "python3")
    static let schemaValidator = Tool("/usr/bin/jsonschema", package: "python3-jsonschema")

    static let mypy = Tool("/usr/bin/mypy", package: "mypy")
    static let kotlin = Tool("/usr/bin/kotlinc", package: "kotlin")

    /// - Parameter folder: where it runs, and where its output is kept meanwhile.
    static func run(_ command: String..., in folder: URL, input: String = "") throws -> Result {
        let files = ["input", "output", "errors"].map { folder.appending(path: ".program-\($0)") }
        try Data(input.utf8).write(to: files[0])
        for file in files.dropFirst() { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = folder
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: try String(contentsOf: files[1], encoding: .utf8),
            errors: try String(contentsOf: files[2], encoding: .utf8))
    }
}
