import Foundation
import Glibc
import TestSupport
import Testing

/// A daemon without an installation.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct EphemeralTests {
    @Test func `it needs no settings file, and leaves nothing behind`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try FileManager.default.copyItem(
                    at: GlossInstance.root.appending(path: "config/definitions"),
                    to: instance.folder.appending(path: "the definitions"))
                let temporary = instance.folder.appending(path: "tmp")
                try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
                let daemon = Process()
                daemon.executableURL = GlossInstance.programs.appending(path: "glossd")
                daemon.arguments = [
                    "--ephemeral", "--namespace", journald.namespace, "--socket", "control.sock", "--start", "oldest",
                    "--definitions", "the definitions", "--subsystem", "com.example.*",
                ]
                daemon.currentDirectoryURL = instance.folder
                daemon.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary.path]) { $1 }
                daemon.standardOutput = FileHandle.nullDevice
                daemon.standardError = try instance.appending("glossd.log")
                try daemon.run()
                defer {
                    if daemon.isRunning {
                        kill(daemon.processIdentifier, SIGKILL)
                        daemon.waitUntilExit()
                    }
                }
                try journald.send([
                    "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog",
                    "MESSAGE": #"{"event_category":"recipe_detail","event_name":"tap_save_button","recipe_id":1}"#,
                ])
                try await eventually("the event is stored; the log: \(instance.text(of: "glossd.log"))") {
                    try await instance.glossctl("show", "-o", "ndjson").text.contains(#""dictionary":"definitions""#)
                }
                let folders = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: temporary.appending(path: try #require(folders.first)).path)
                #expect(attributes[.posixPermissions] as? Int == 0o700)
                kill(daemon.processIdentifier, SIGTERM)
                await daemon.end()
                #expect(daemon.terminationStatus == 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
                let left = try FileManager.default.contentsOfDirectory(atPath: instance.folder.path).sorted()
                #expect(left == ["glossd.log", "the definitions", "tmp"])
            }
        }
    }

    @Test(arguments: [
        (["--socket", "x"], 2, "only --ephemeral"), (["--ephemeral", "--config", "x"], 2, "no settings from a file"),
        (["--ephemeral", "--journal", "x", "--namespace", "y"], 2, "one of --journal and --namespace"),
        (["--ephemeral", "--definitions", "a", "--definitions", "b"], 2, "--subsystem for each"),
        (["--ephemeral", "--start", "soon\u{9b}", "--check"], 2, "--start soon\\u009b: write now, oldest"),
        (["--ephemeral", "--definitions", "/nowhere", "--check"], 1, "/nowhere"),
    ])
    func `what cannot be is said`(arguments: [String], status: Int, reason: String) async throws {
        let run = try await GlossInstance.run(
            GlossInstance.programs.appending(path: "glossd").path, arguments)
        #expect(run.status == status && (run.errors + run.text).contains(reason), "\(run.status) \(run.errors)")
    }
}
