import API
import Foundation
import Model
import Store
import TestSupport
import Testing
import Watches

@testable import Serve

/// What `.make/schemathesis` made.
private let python = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: ".build/schemathesis/bin/python").path
private let isInstalled = FileManager.default.isExecutableFile(atPath: python)

/// Requests that Schemathesis makes of what `openapi.json` says, right and wrong ones, and what it says of the answers.
/// - Source: https://schemathesis.readthedocs.io/
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: isInstalled || Tool.isCI, "\(python) is missing: make test"))
struct SchemathesisTests {
    @Test func `openapi.json is a right document, and what it says is so`() async throws {
        try await withServer { server in
            // Somebody calls a parameter user and another device, so that most requests with these are answered.
            let roles = Sample.defining(
                [],
                common: [
                    Parameter(name: "user_id", type: .bigint, role: .user),
                    Parameter(name: "device_id", type: .string(), role: .device),
                ])
            let people = LoadedDictionary(dictionary: roles, loadedAtMicroseconds: Sample.start)
            server.daemon.set(loaded: [Sample.loadedShop, people])
            let gaps = (0..<3).map { Sample.gap("gap \($0)") }
            try await server.store.save(Sample.batch(Sample.everyKind), journal: "machine")
            try await server.store.save(Sample.batch(1001...1100, gaps: gaps), journal: "machine")
            try await server.store.keep(
                Sample.shop, files: [DefinitionFile(name: "a.md", bytes: [0xFF])], loadedMicroseconds: 1)
            try await server.alerts.use([
                AlertRule(name: "checkout-errors", predicate: "level >= error", condition: .first)
            ])
            let (status, output) = try await schemathesis(server.socket)
            #expect(status == 0, "\(output.suffix(20_000))")
        }
    }

    private func schemathesis(_ socket: String) async throws -> (status: Int32, output: String) {
        try await withTemporaryFolder { folder in
            let output = folder + "/output"
            try Data().write(to: URL(filePath: output))
            let file = try FileHandle(forWritingTo: URL(filePath: output))
            let process = Process()
            process.executableURL = URL(filePath: python)
            let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Schemathesis/run.py")
                .path
            process.arguments = [script, socket, folder]
            process.standardOutput = file
            process.standardError = file
            return (try await process.runToEnd(), try String(contentsOfFile: output, encoding: .utf8))
        }
    }
}
