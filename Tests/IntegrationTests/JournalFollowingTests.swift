import Foundation
import TestSupport
import Testing

/// The daemon on a real journald that rotates and vacuums.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct JournalFollowingTests {
    private func numbers(_ instance: GlossInstance) async throws -> [Int] {
        try await instance.events().compactMap { ($0["payload"] as? [String: Any])?["number"] as? Int }
    }

    @Test func `entries that were vacuumed while it was down leave one gap record, and nothing is read twice`()
        async throws
    {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                try journald.sendNumbers(1...10)
                try await eventually("ten are stored") { try await numbers(instance).count == 10 }
                #expect(await instance.stopDaemon() == 0)
                try journald.sendNumbers(11...20)
                try journald.sync()
                try journald.rotate()
                try journald.vacuum()
                try journald.sendNumbers(21...30)
                try journald.sync()
                try await instance.startDaemonAndWait()
                try await eventually("what is left is stored") { try await numbers(instance).contains(30) }
                #expect(try await numbers(instance) == Array(1...10) + Array(21...30))
                let shown = try await instance.glossctl("show", "-n", "all", "-o", "ndjson").lines
                let gap = try #require(shown.firstIndex { $0.hasPrefix("{\"type\":\"gap\"") })
                #expect(gap == 10, "the gap is shown at its place")
                #expect(shown[gap].contains("\"cause\":\"missing\"") && shown[gap].contains("\"at_most\""))
                #expect(shown[gap].contains("\"from\":\"s=") && shown[gap].contains("\"to\":\"s="))
                #expect(try await instance.glossctl("gaps", "-o", "ndjson").lines.count == 1)
            }
        }
    }

    @Test func `a journal that may not be looked into is a matter of permission, and is read once it may be`()
        async throws
    {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                try journald.sendNumbers(1...3)
                try journald.sync()
                func permit(_ mode: Int, _ path: String) throws {
                    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                }
                let folder = journald.folder.path
                try permit(0o700, folder)
                try await instance.startDaemonAndWait(asNobody: true)
                // It answers before it has read for the first time.
                try await eventually("it is degraded") { try await instance.glossctl("status").status == 1 }
                let status = try await instance.glossctl("status")
                #expect(status.text.lowercased().contains("permission denied"), "\(status.text)")
                #expect(!status.text.contains("inotify"), "\(status.text)")
                for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                    try permit(0o644, "\(folder)/\(name)")
                }
                try permit(0o755, folder)
                try await eventually("its events are there: \(instance.text(of: "glossd.log"))", within: .seconds(20)) {
                    try await numbers(instance) == [1, 2, 3]
                }
            }
        }
    }

    @Test func `a journald that is killed and started again is followed`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                try await instance.startDaemonAndWait()
                for round in 0..<5 {
                    try journald.sendNumbers(round * 20 + 1...round * 20 + 20)
                    // What it has not written when it is killed is nobody's.
                    try journald.sync()
                    try await journald.killAndRestart()
                }
                try journald.sendNumbers(101...110)
                try await eventually("all are stored") { try await numbers(instance) == Array(1...110) }
                #expect(try await instance.glossctl("gaps", "-o", "ndjson").lines.isEmpty)
                let verified = try await instance.glossctl("verify")
                #expect(verified.status == 0, "\(verified.text)")
            }
        }
    }

    @Test func `rotation while following loses nothing`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                for round in 0..<8 {
                    try journald.sendNumbers(round * 100 + 1...round * 100 + 100)
                    try journald.rotate()
                }
                try await eventually("all are stored") { try await numbers(instance).count >= 800 }
                #expect(try await numbers(instance) == Array(1...800))
            }
        }
    }

    @Test func `a tail shows events as they come, and the daemon notices when it leaves`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try instance.write(
                    instance.text(of: "gloss.yaml").replacing(
                        "sources: [{subsystem: \"com.example.*\"}]",
                        with: "sources: [{match: [PRIORITY=*, MESSAGE=*], as: {subsystem: everything}}]"),
                    to: "gloss.yaml")
                try await instance.startDaemonAndWait()
                let tail = Process()
                tail.executableURL = GlossInstance.programs.appending(path: "glossctl")
                tail.arguments = ["--socket", instance.socket, "tail", "-o", "ndjson"]
                try instance.write("", to: "tail")
                tail.standardOutput = try FileHandle(forWritingTo: URL(filePath: instance.path("tail")))
                try tail.run()
                defer { if tail.isRunning { tail.terminate() } }
                try await eventually("the tail is open") { try await instance.status()["tails"] as? Int == 1 }
                try journald.send(["PRIORITY": "3", "MESSAGE": "disk on fire"])
                try await eventually("the tail shows it") { instance.text(of: "tail").contains("disk on fire") }
                #expect(instance.lines(of: "tail").allSatisfy { $0.contains("\"subsystem\":\"everything\"") })
                tail.interrupt()
                await tail.end()
                try await eventually("the daemon notices that it left") {
                    try await instance.status()["tails"] as? Int == 0
                }
            }
        }
    }

    @Test func `what glossd itself logs does not come back as an event`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                // journald asks the kernel for a sender's name: glossctl under the name of glossd is as good as glossd.
                try FileManager.default.copyItem(
                    at: GlossInstance.programs.appending(path: "glossctl"),
                    to: instance.folder.appending(path: "glossd"))
                for program in ["glossd", "glossctl"] {
                    let folder = program == "glossd" ? instance.folder : GlossInstance.programs
                    let (emit, input) = (Process(), Pipe())
                    emit.executableURL = folder.appending(path: program)
                    emit.arguments = [
                        "emit", "--namespace", journald.namespace, "--subsystem", "com.example.shop", "--category",
                        "Other", "-",
                    ]
                    emit.standardInput = input
                    try emit.run()
                    try input.fileHandleForWriting.write(contentsOf: Data("written by \(program)\n".utf8))
                    // Of a sender that is gone by then, journald knows no name.
                    try await eventually("journald has it") {
                        try await GlossInstance.run(
                            Tool.journalctl.path, ["--namespace=\(journald.namespace)", "-o", "cat"]
                        ).text.contains("written by \(program)")
                    }
                    try input.fileHandleForWriting.close()
                    await emit.end()
                    try #require(emit.terminationStatus == 0)
                }
                try await eventually("the other one's is stored") { try await !instance.events().isEmpty }
                #expect(try await instance.events().map { $0["message"] as? String } == ["written by glossctl"])
            }
        }
    }

    @Test func `a payload of 64 MiB is cut and flagged, and the stream continues`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), max_field_size: 64KiB}")
                try await instance.startDaemonAndWait()
                let payload = Array("{\"text\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 64 << 20)
                try journald.send([
                    ("SUBSYSTEM", Array("com.example.shop".utf8)), ("CATEGORY", Array("Other".utf8)),
                    ("MESSAGE", payload),
                ])
                try journald.sendNumbers(1...3)
                try await eventually("the events after it are stored") { try await numbers(instance) == [1, 2, 3] }
                let event = try #require(try await instance.events().first)
                #expect(event["resolution"] as? String == "malformed")
                #expect((event["warnings"] as? [[String: Any]])?.first?["rule"] as? String == "cut")
                #expect((event["message"] as? String)?.utf8.count == 64 << 10)
            }
        }
    }
}
