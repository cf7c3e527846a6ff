import Foundation
import TestSupport
import Testing

/// `keep` and `share` of sources, from the settings to what `status`, `show` and `verify` say.
@Suite(.timeLimit(.minutes(5)))
struct SourceRetentionTests {
    private static let day = 86_400

    private func write(_ sources: [String], journal: String, to instance: GlossInstance) throws {
        try instance.write(
            """
            journal: \(journal)
            sources: [\(sources.map { "{\($0)}" }.joined(separator: ", "))]
            store: {path: events.sqlite, max_size: 8MiB, max_age: 2d}
            control: {socket: control.sock}
            """, to: "gloss.yaml")
    }

    private func reload(_ sources: [String], journal: String, _ instance: GlossInstance) async throws {
        try write(sources, journal: journal, to: instance)
        let reload = try await instance.glossctl("reload")
        try #require(reload.status == 0, "\(reload.errors)")
    }

    private struct Source: Decodable {
        var source: String
        var events: Int
        var bytes: Int
        var max_bytes: Int?
        var keep_seconds: Double?
    }

    /// Of a subsystem; `nil` when it has nothing in blocks.
    private func source(_ subsystem: String, _ instance: GlossInstance) async throws -> Source? {
        struct Status: Decodable {
            struct Store: Decodable { var sources: [Source] }
            var store: Store
        }
        let status: Status = try await instance.document("status")
        return status.store.sources.first { $0.source == "subsystem: \(subsystem)" }
    }

    private func count(_ subsystem: String, _ instance: GlossInstance) async throws -> Int {
        try await instance.glossctl("show", "-n", "all", "-o", "ndjson", "--subsystem", subsystem).lines.count
    }

    private struct Verification: Decodable {
        var stored: Int
        var expired: Int
        var unexplained: Int
    }

    private func verify(_ instance: GlossInstance) async throws -> Verification {
        try await instance.document("verify")
    }

    @Test(.enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
    func `a share is in force after a reload, and only its source has less`() async throws {
        let (chatty, quiet) = ("com.example.chatty", "com.example.quiet")
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                let journal = "{namespace: \(journald.namespace), start: oldest}"
                try write(["subsystem: \(chatty), share: 50%", "subsystem: \(quiet)"], journal: journal, to: instance)
                try await instance.startDaemonAndWait()
                var random = SeededGenerator(seed: 1)
                for number in 0..<3500 {
                    let text = (0..<60).map { _ in String(random.next(), radix: 36) }.joined()
                    try journald.send([
                        "SUBSYSTEM": number % 10 == 0 ? quiet : chatty, "CATEGORY": "Other",
                        "MESSAGE": #"{"text":"\#(text)","at":{"number":\#(number)}}"#,
                    ])
                }
                try journald.sync()
                try await eventually("all are stored") { try await verify(instance).stored == 3500 }
                let (limited, unlimited) = (try await source(chatty, instance), try await source(quiet, instance))
                #expect(try #require(limited).max_bytes == 4 << 20)
                #expect(try #require(limited).keep_seconds == nil)
                #expect(try #require(unlimited).max_bytes == nil)

                try await reload(
                    ["subsystem: \(chatty), share: 13%", "subsystem: \(quiet)"], journal: journal, instance)
                let most = (8 << 20) / 100 * 13
                #expect(abs((try await source(chatty, instance)?.max_bytes ?? 0) - most) < 100)
                try await eventually("the oldest go") { (try await source(chatty, instance)?.bytes ?? .max) <= most }
                let left = try await count(chatty, instance)
                #expect(left > 200 && left < 3000)
                #expect(try await count(quiet, instance) == 350)
                // The first of the one are gone, those of the other are not, nor are the last.
                for (number, lines) in [(1, 0), (3499, 1), (0, 1), (10, 1)] {
                    let shown = try await instance.glossctl(
                        "show", "--where", "at.number=\(number)", "-o", "ndjson")
                    #expect(shown.lines.count == lines, "\(number)")
                }
                let found = try await verify(instance)
                #expect(found.stored == left + 350 && found.expired == 3150 - left && found.unexplained == 0)
                let status = try await instance.glossctl("status")
                #expect(status.status == 0)
                #expect(status.text.contains(": subsystem: \(chatty)"), "\(status.text)")
            }
        }
    }

    @Test(.enabled(if: Requirement.journalFiles == nil, "\(Requirement.journalFiles ?? "")"))
    func `a keep holds for what comes and for what is stored, also after a reload and a restart`() async throws {
        let (long, usual) = ("com.example.long", "com.example.usual")
        try await GlossInstance.with { instance in
            let folder = instance.folder.appending(path: "journal")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            // Three days ago, which is more than max_age, and now.
            let now = Int(Date.now.timeIntervalSince1970)
            for (name, start, count) in [("1", now - 3 * Self.day, 5000), ("2", now - 60, 20)] {
                let entries = (0..<count).map { number in
                    """
                    __REALTIME_TIMESTAMP=\(start * 1_000_000 + number)
                    __MONOTONIC_TIMESTAMP=\(number + 1)
                    _BOOT_ID=11111111111111111111111111111111
                    SUBSYSTEM=\(number % 10 == 0 ? usual : long)
                    MESSAGE={"file":\(name),"at":{"number":\(number)}}
                    """
                }
                try JournalFixture.write(
                    entries.joined(separator: "\n\n") + "\n", to: folder.appending(path: "\(name).journal"))
            }
            let journal = "{directory: \"\(folder.path)\", start: oldest}"
            try write(["subsystem: \(long), keep: 7d", "subsystem: \(usual)"], journal: journal, to: instance)
            try await instance.startDaemonAndWait()
            try await eventually("all are stored") { try await verify(instance).stored == 4518 + 2 }
            #expect(try await verify(instance).expired == 500)
            let entries = (try await instance.status()["journal"] as? [String: Any])?["entries"] as? [String: Any]
            #expect(entries?["expired"] as? Int == 500)
            #expect(try await source(long, instance)?.keep_seconds == Double(7 * Self.day))

            try await reload(["subsystem: \(long), keep: 4d", "subsystem: \(usual)"], journal: journal, instance)
            #expect(try await source(long, instance)?.keep_seconds == Double(4 * Self.day))
            #expect(await instance.stopDaemon() == 0)
            try await instance.startDaemonAndWait()
            #expect(try await source(long, instance)?.keep_seconds == Double(4 * Self.day))
            #expect(try await count(long, instance) == 4518)

            try await reload(["subsystem: \(long), keep: 1h", "subsystem: \(usual)"], journal: journal, instance)
            try await eventually("the old ones go") { try await count(long, instance) == 18 }
            #expect(try await count(usual, instance) == 2)
            let found = try await verify(instance)
            #expect(found.stored == 20 && found.expired == 5000 && found.unexplained == 0)
            let shown = try await instance.glossctl("show", "-o", "ndjson", "--where", "at.number=11")
            #expect(shown.lines.count == 1 && shown.text.contains(#""file":2"#))
        }
    }
}
