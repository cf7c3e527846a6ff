import Foundation
import TestSupport
import Testing

/// The store of a daemon on a real journald, verified against its journal.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct VerifyTests {
    private static let sqlite = Tool("/usr/bin/sqlite3", package: "sqlite3")

    @Test(.enabled(if: sqlite.reasonToSkip == nil, "\(sqlite.reasonToSkip ?? "")"))
    func `a store is whole until an event is taken out of it`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                try await instance.startDaemonAndWait()
                // Not before the time is saved from which it reads.
                try await eventually("it can be verified") { try await instance.glossctl("verify").status == 0 }
                try journald.sendNumbers(1...500)
                try journald.sync()
                try await eventually("all are stored") { try await result(instance).stored == 500 }
                let whole = try await instance.glossctl("verify")
                #expect(whole.status == 0, "\(whole.text) \(whole.errors)")
                #expect(whole.text.contains("Everything is accounted for."))
                #expect(whole.errors.isEmpty)

                #expect(await instance.stopDaemon() == 0)
                // So few are rows of their own.
                let path = instance.path("events.sqlite")
                try Self.sqlite.run([path, "DELETE FROM open_events WHERE id = 150"])
                try await instance.startDaemonAndWait()
                let broken = try await instance.glossctl("verify")
                #expect(broken.status == 1)
                #expect(broken.errors == "glossctl: unexplained: 1 entry\n")
                #expect(broken.text.contains("not in the store: s="))
                let found = try await result(instance)
                #expect(found.stored == 499 && found.unexplained == 1)
                #expect(try await instance.glossctl("verify", "--since", "now").status == 0)
                #expect(await instance.stopDaemon() == 0)
                #expect(try await instance.glossctl("verify").status == 3)
            }
        }
    }

    @Test func `other sources are put in force with a reload, here too`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                try await instance.startDaemonAndWait()
                try journald.sendNumbers(1...10)
                try journald.sync()
                try await eventually("all are stored") { try await result(instance).stored == 10 }
                let settings = instance.text(of: "gloss.yaml").replacingOccurrences(
                    of: "sources: [{subsystem: \"com.example.*\"}]", with: "sources: [{subsystem: \"org.*\"}]")
                try instance.write(settings, to: "gloss.yaml")
                #expect(try await instance.glossctl("reload").status == 0)
                let found = try await result(instance)
                #expect(found.stored == 0 && found.skipped >= 10 && found.unexplained == 0)
            }
        }
    }

    @Test func `while entries come, and files are rotated and deleted, nothing is unexplained`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                try await instance.startDaemonAndWait()
                try await eventually("it can be verified") { try await instance.glossctl("verify").status == 0 }
                let glossctl = GlossInstance.programs.appending(path: "glossctl").path
                let writing = Task { [socket = instance.socket] in
                    for round in 0..<12 {
                        for number in 0..<400 { try journald.sendNumbers(number...number) }
                        try journald.rotate()
                        try await Task.sleep(for: .milliseconds(200))
                        guard round % 4 == 3 else { continue }
                        // What is deleted unread is a gap.
                        try await eventually("what will be deleted was read") {
                            try await GlossInstance.run(
                                glossctl, ["--socket", socket, "show", "-n", "all", "-o", "ndjson"]
                            ).lines.count == 400 * (round + 1)
                        }
                        try journald.vacuum()
                    }
                }
                for _ in 0..<15 {
                    let output = try await instance.glossctl("verify")
                    #expect(output.status == 0, "\(output.text) \(output.errors)")
                }
                try await writing.value
                try journald.sync()
                try await eventually("all are stored") { try await instance.events().count == 4800 }
                let output = try await instance.glossctl("verify")
                #expect(output.status == 0, "\(output.text) \(output.errors)")
            }
        }
    }

    private struct Counts: Decodable {
        var stored: Int
        var skipped: Int
        var unexplained: Int
    }

    private func result(_ instance: GlossInstance) async throws -> Counts {
        try await instance.document("verify")
    }
}
