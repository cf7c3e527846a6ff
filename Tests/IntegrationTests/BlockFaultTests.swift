import Foundation
import Glibc
import TestSupport
import Testing

/// The daemon is killed, and its disk is full, while it packs blocks, writes them once more for definitions that changed, and
/// drops the oldest: afterwards there are exactly the events of the journal, as far as they are kept.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: Requirement.journalFiles == nil, "\(Requirement.journalFiles ?? "")"))
struct BlockFaultTests {
    private static let batch = 4000
    private static let batches = 9

    /// So much that an old block has to go for each new one.
    private func writeEntries(_ batch: Int, _ instance: GlossInstance) throws {
        var generator = SeededGenerator(seed: UInt64(batch))
        let start = UInt64(Date().timeIntervalSince1970) * 1_000_000 - 3_600_000_000
        let text = (batch * Self.batch..<(batch + 1) * Self.batch).map { number in
            """
            __REALTIME_TIMESTAMP=\(start + UInt64(number) * 1000)
            __MONOTONIC_TIMESTAMP=\(1 + number * 1000)
            _BOOT_ID=11111111111111111111111111111111
            SUBSYSTEM=com.example.shop
            CATEGORY=ActivityLog
            MESSAGE={"event_category":"kitchen","event_name":"open","number":\(number),"text":"\(
                String(decoding: generator.letters(350), as: UTF8.self))"}
            """
        }.joined(separator: "\n\n")
        try JournalFixture.write(text + "\n", to: URL(filePath: instance.path("journal/1.journal")))
    }

    /// All events violate it, the one or the other: they are reprocessed with each change.
    private func define(length: Int, _ instance: GlossInstance) throws {
        try instance.write(
            """
            # kitchen

            The kitchen.

            ## open

            It was opened.

            - number: !string \(length)
            - text: !string 400

            """, to: "definitions/kitchen.md")
    }

    private func configure(_ instance: GlossInstance, store: String) throws {
        try FileManager.default.createDirectory(atPath: instance.path("journal"), withIntermediateDirectories: true)
        try instance.write("# common\n\nOf all events.\n", to: "definitions/common.md")
        try define(length: 16, instance)
        try instance.configure(
            journal: "{directory: journal, start: oldest}", store: "{path: \(store), max_size: 8MiB, max_age: 36500d}")
    }

    /// Compares what the store has when all is read and resolved with what it should have.
    private func expectWhole(_ instance: GlossInstance) async throws {
        let last = Self.batch * Self.batches - 1
        var events: [(number: Int, version: Substring)] = []
        try await eventually(
            "all is stored and resolved: \(instance.text(of: "glossd.log").suffix(2000))", within: .seconds(60)
        ) {
            let lines = try await instance.glossctl("show", "-n", "all", "-o", "ndjson").lines
            events = lines.compactMap { line in
                line.firstMatch(of: /"definitions_version":"([0-9a-f]+)","resolution":"violating".*"number":([0-9]+)/)
                    .flatMap { match in
                        Int(match.2).map { ($0, match.1) }
                    }
            }
            let current = try await version(instance)
            return events.last?.number == last && events.allSatisfy { $0.version == current }
        }
        let first = try #require(events.first?.number)
        #expect(events.map(\.number) == Array(first...last), "each once, and none is missing among those that are kept")
        #expect(first > 0 && events.count > 4000, "\(events.count)")
        let verified = try await instance.glossctl("verify")
        #expect(verified.status == 0, "\(verified.text)\(verified.errors)")
        #expect(await instance.stopDaemon() == 0)
        let check = try await GlossInstance.run(
            "/usr/bin/sqlite3", ["-readonly", instance.path("state/events.sqlite"), "PRAGMA integrity_check"])
        #expect(check.text == "ok\n")
    }

    private func version(_ instance: GlossInstance) async throws -> Substring? {
        let dictionary = (try await instance.status()["dictionaries"] as? [[String: Any]])?.first
        return (dictionary?["version"] as? String)?[...]
    }

    @Test func `killed at any moment`() async throws {
        try await GlossInstance.with { instance in
            try FileManager.default.createDirectory(atPath: instance.path("state"), withIntermediateDirectories: true)
            try configure(instance, store: "state/events.sqlite")
            var random = SeededGenerator(seed: 1)
            var length = 16
            for batch in 0..<Self.batches {
                try writeEntries(batch, instance)
                for attempt in 0..<3 {
                    length = 33 - length
                    try define(length: length, instance)
                    try instance.startDaemon()
                    // Some are killed while they start, the others while they have events to pack or to write again.
                    if attempt == 1 {
                        try await eventually("it has stored some: \(instance.text(of: "glossd.log"))") {
                            let events = try await instance.status()["events"] as? [String: Any]
                            return (events?["stored"] as? Int ?? 0) > 0
                        }
                    }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 60...700, using: &random)))
                    try #require(instance.isDaemonRunning, "\(instance.text(of: "glossd.log"))")
                    await instance.killDaemon()
                }
            }
            try await instance.startDaemonAndWait()
            try await expectWhole(instance)
        }
    }

    /// The space that the files in a folder take of its disk, in KiB.
    private func used(_ folder: String) throws -> Int {
        var status = statvfs()
        try #require(statvfs(folder, &status) == 0)
        return Int((status.f_blocks - status.f_bfree) * status.f_frsize) >> 10
    }

    @Test(.enabled(if: Requirement.mounting == nil, "\(Requirement.mounting ?? "")"))
    func `without room on the disk at any moment`() async throws {
        try await GlossInstance.with { instance in
            let state = instance.path("state")
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
            try #require(mount("tmpfs", state, "tmpfs", 0, "size=16m") == 0)
            defer { umount2(state, Int32(MNT_DETACH)) }
            try configure(instance, store: "state/events.sqlite")
            try writeEntries(0, instance)
            try await instance.startDaemonAndWait()
            var random = SeededGenerator(seed: 2)
            var length = 16
            for batch in 1..<Self.batches {
                // As much as there is, or a little more.
                let size = Int.random(in: 2000...8500, using: &random)
                _ = mount("tmpfs", state, "tmpfs", UInt(MS_REMOUNT), "size=\(size)k")
                try writeEntries(batch, instance)
                length = 33 - length
                try define(length: length, instance)
                try await Task.sleep(for: .milliseconds(Int.random(in: 300...1500, using: &random)))
                try #require(instance.isDaemonRunning, "\(instance.text(of: "glossd.log"))")
                if batch % 3 == 0 {
                    await instance.killDaemon()
                    try instance.startDaemon()
                }
            }
            // By chance there may have been room each time.
            try await eventually("it was never without room: \(instance.text(of: "glossd.log"))") {
                _ = mount("tmpfs", state, "tmpfs", UInt(MS_REMOUNT), "size=\(try used(state))k")
                length = 33 - length
                try define(length: length, instance)
                return instance.text(of: "glossd.log").contains("is full")
            }
            try #require(mount("tmpfs", state, "tmpfs", UInt(MS_REMOUNT), "size=32m") == 0)
            try await expectWhole(instance)
        }
    }
}
