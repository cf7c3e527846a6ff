import Foundation

/// A program that tests need, and what to say where it is missing.
package struct Tool: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let path: String
    /// The Debian package that has it.
    package let package: String

    package init(_ path: String, package: String) {
        self.path = path
        self.package = package
    }

    package static let journalctl = Tool("/usr/bin/journalctl", package: "systemd")
    package static let journald = Tool("/lib/systemd/systemd-journald", package: "systemd")
    package static let journalRemote = Tool("/lib/systemd/systemd-journal-remote", package: "systemd-journal-remote")

    /// Where tests must not be skipped: there a missing tool makes them fail.
    package static let isCI = ProcessInfo.processInfo.environment["CI"] == "true"

    package var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Why a test that needs it cannot run; `nil` when it can, and in CI, where it has to.
    package var reasonToSkip: String? {
        isInstalled || Self.isCI ? nil : "\(path) is missing: apt-get install \(package)"
    }

    /// Runs it to its end.
    /// - Throws: `Failure` with what it wrote to stderr when its status is not 0.
    package func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let command = ([path] + arguments).joined(separator: " ")
            throw Failure(description: "\(command): \(String(decoding: text, as: UTF8.self))")
        }
    }
}
