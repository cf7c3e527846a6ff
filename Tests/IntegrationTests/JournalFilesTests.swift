import Foundation
import Glibc
import TestSupport
import Testing

/// The daemon on journal files that come, go, are replaced and are damaged while it reads them.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct JournalFilesTests {
    /// Writes a file with an entry for each number, a second apart.
    /// - Parameter first: the time of the first; `nil` for a fixed one by its number.
    private func write(_ numbers: ClosedRange<Int>, to file: URL, at first: Date? = nil) throws {
        let start = first.map { Int($0.timeIntervalSince1970) - numbers.lowerBound } ?? 1_700_000_000
        let entries = numbers.map { number in
            """
            __REALTIME_TIMESTAMP=\((start + number) * 1_000_000)
            __MONOTONIC_TIMESTAMP=\(number * 1_000_000)
            _BOOT_ID=11111111111111111111111111111111
            SUBSYSTEM=com.example.shop
            CATEGORY=Other
            MESSAGE={"number":\(number)}
            """
        }
        try JournalFixture.write(entries.joined(separator: "\n\n"), to: file)
    }

    private func numbers(_ instance: GlossInstance) async throws -> [Int] {
        try await instance.events().compactMap { ($0["payload"] as? [String: Any])?["number"] as? Int }
    }

    private func gaps(_ instance: GlossInstance) async throws -> [[String: Any]] {
        try await instance.glossctl("gaps", "-o", "ndjson").lines.compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// Waits until all that the journal has by now was read, or is known to be missing.
    private func waitUntilComplete(_ instance: GlossInstance) async throws {
        let now = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        try await eventually("the journal is complete") {
            let journal = try await instance.status()["journal"] as? [String: Any]
            return (journal?["complete_until"] as? String).map { $0 > now } ?? false
        }
    }

    /// A daemon that reads a folder of its own.
    private func withFolder(_ body: (GlossInstance, URL) async throws -> Void) async throws {
        try await GlossInstance.with { instance in
            let folder = instance.folder.appending(path: "journal")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try instance.configure(journal: "{directory: \"\(folder.path)\", start: oldest}")
            try await body(instance, folder)
        }
    }

    @Test func `a folder that is removed and created again at once is read`() async throws {
        try await withFolder { instance, folder in
            try write(1...5, to: folder.appending(path: "1.journal"))
            try await instance.startDaemonAndWait()
            for round in 1...5 {
                try FileManager.default.removeItem(at: folder)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                try write(round * 10 + 1...round * 10 + 5, to: folder.appending(path: "1.journal"))
                // Not only with the scan after ten seconds.
                try await eventually("round \(round) is stored", within: .seconds(8)) {
                    try await numbers(instance).count == 5 + round * 5
                }
            }
            #expect(try await gaps(instance).isEmpty)
            #expect(try await instance.status()["state"] as? String == "running")
        }
    }

    @Test func `a folder that moves behind a link while it is read is the same journal, also later`() async throws {
        try await withFolder { instance, folder in
            try write(1...5, to: folder.appending(path: "1.journal"))
            try instance.configure(journal: "{directory: \"\(folder.path)\", start: now}")
            try await instance.startDaemonAndWait()
            try await waitUntilComplete(instance)
            // Its time has whole seconds.
            try await Task.sleep(for: .seconds(1))
            try write(6...6, to: folder.appending(path: "1.journal"), at: .now)
            try await eventually("it is stored") { try await numbers(instance) == [6] }
            try FileManager.default.moveItem(at: folder, to: instance.folder.appending(path: "disk"))
            try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: "disk")
            let verified = try await instance.glossctl("verify")
            #expect(verified.status == 0 && verified.text.hasPrefix("1 entry"), "\(verified.text) \(verified.errors)")
            #expect(await instance.stopDaemon() == 0)
            try write(7...7, to: folder.appending(path: "1.journal"), at: .now)
            // Begun now, it would be too old.
            try await Task.sleep(for: .seconds(1))
            try await instance.startDaemonAndWait()
            try await eventually("what was written meanwhile is stored") { try await numbers(instance) == [6, 7] }
            #expect(try await gaps(instance).isEmpty)
        }
    }

    @Test func `more files than it may have open are read`() async throws {
        try await withFolder { instance, folder in
            for file in 0..<120 {
                try write(file * 10 + 1...file * 10 + 10, to: folder.appending(path: "host\(file).journal"))
            }
            try instance.startDaemon(limits: ["--nofile=64:64"])
            try await eventually("all are stored: \(instance.text(of: "glossd.log"))", within: .seconds(30)) {
                try await numbers(instance).count == 1200
            }
            #expect(try await gaps(instance).isEmpty)
            try write(1201...1210, to: folder.appending(path: "late.journal"))
            try await eventually("what comes later too", within: .seconds(30)) {
                try await numbers(instance).count == 1210
            }
        }
    }

    @Test func `a file that comes late is read, and a tail says so instead of showing it`() async throws {
        try await withFolder { instance, folder in
            try write(101...105, to: folder.appending(path: "1.journal"))
            try await instance.startDaemonAndWait()
            try await eventually("the first are stored") { try await numbers(instance).count == 5 }
            var tails: [Process] = []
            defer { for tail in tails where tail.isRunning { tail.terminate() } }
            for (name, arguments) in [("tail", [String]()), ("late", ["--late"])] {
                let tail = Process()
                tail.executableURL = GlossInstance.programs.appending(path: "glossctl")
                tail.arguments = ["--socket", instance.socket, "tail", "-n", "0", "-o", "ndjson"] + arguments
                try instance.write("", to: name)
                tail.standardOutput = try FileHandle(forWritingTo: URL(filePath: instance.path(name)))
                try tail.run()
                tails.append(tail)
            }
            try await eventually("the tails are open") { try await instance.status()["tails"] as? Int == 2 }
            try write(1...7, to: folder.appending(path: "2.journal"))
            try await eventually("they say so") { !instance.text(of: "tail").isEmpty }
            try await eventually("all are shown") { instance.lines(of: "late").count == 7 }
            #expect(instance.lines(of: "tail") == [#"{"type":"late","count":7}"#])
            #expect(try await numbers(instance) == Array(101...105) + Array(1...7))
            #expect(try await gaps(instance).isEmpty)
            for tail in tails {
                tail.interrupt()
                await tail.end()
            }
        }
    }

    @Test func `a file that is cut while it is read is a gap of as many entries as it had`() async throws {
        try await withFolder { instance, folder in
            let file = folder.appending(path: "1.journal")
            try write(1...3000, to: file)
            let size = try #require(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize)
            try instance.startDaemon()
            for part in stride(from: 9, through: 5, by: -1) {
                try await Task.sleep(for: .milliseconds(5))
                try #require(truncate(file.path, off_t(size / 10 * part)) == 0)
            }
            let began = ContinuousClock.now
            var elapsed: Duration { .now - began }
            try await eventually("what there was is read: \(instance.text(of: "glossd.log"))") {
                let journal = try await instance.status()["journal"] as? [String: Any]
                // Until nothing was written to it for ten seconds, it counts as one that is being copied.
                return journal?["lag_seconds"] as? Double == 0 && journal?["complete_until"] != nil
                    && (journal?["unreadable_files"] as? [Any])?.isEmpty == true && elapsed > .seconds(9)
            }
            let (stored, gaps) = (try await numbers(instance), try await gaps(instance))
            let missing = gaps.compactMap { $0["count"] as? Int }.reduce(0, +)
            #expect(stored.count + missing == 3000, "\(gaps)")
            #expect(Set(stored).count == stored.count)
            #expect(gaps.allSatisfy { $0["cause"] as? String == "damaged" && $0["certainty"] as? String == "exact" })
            #expect(instance.isDaemonRunning)
        }
    }

    @Test func `a journal that rotates and is vacuumed under a daemon that is killed is accounted for`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                // What was deleted before its first start is no matter of its own.
                try journald.sendNumbers(0...0)
                try await instance.startDaemonAndWait()
                try await eventually("the first is stored") { try await numbers(instance) == [0] }
                await instance.killDaemon()
                let last = 6000
                let writing = Task {
                    for start in stride(from: 1, through: last, by: 50) {
                        try journald.sendNumbers(start...start + 49)
                        try journald.rotate()
                        if start % 1000 == 1 { try journald.vacuum() }
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
                for round in 0..<8 {
                    try instance.startDaemon()
                    // Some are killed while they start, the others while they read.
                    if !round.isMultiple(of: 2) {
                        try await eventually("more is stored: \(instance.text(of: "glossd.log"))") {
                            try await numbers(instance).count > 1
                        }
                    }
                    try await Task.sleep(for: .milliseconds(60 * round))
                    await instance.killDaemon()
                }
                try await writing.value
                try journald.sync()
                try await instance.startDaemonAndWait()
                try await waitUntilComplete(instance)
                try await expectAllAccounted(0...last, on: instance)
            }
        }
    }

    @Test func `what is rotated and deleted while it is stopped is read, or accounted for`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                try await instance.startDaemonAndWait()
                try journald.sendNumbers(0...500)
                try await eventually("the first are stored") { try await numbers(instance).count == 501 }
                for round in 1...5 {
                    instance.signalDaemon(SIGSTOP)
                    for start in stride(from: round * 1000, to: round * 1000 + 500, by: 50) {
                        try journald.sendNumbers(start...start + 49)
                        try journald.rotate()
                    }
                    try journald.vacuum()
                    try journald.sendNumbers(round * 1000 + 500...round * 1000 + 999)
                    try journald.sync()
                    instance.signalDaemon(SIGCONT)
                    try await waitUntilComplete(instance)
                    #expect(
                        try await numbers(instance).suffix(500) == Array(round * 1000 + 500...round * 1000 + 999)[...])
                }
                try await expectAllAccounted(0...500, 1000...5999, on: instance)
            }
        }
    }

    /// Each number is stored once, or counted by a gap record.
    private func expectAllAccounted(_ written: ClosedRange<Int>..., on instance: GlossInstance) async throws {
        let (stored, gaps) = (try await numbers(instance), try await gaps(instance))
        #expect(Set(stored).count == stored.count && stored == stored.sorted())
        // An event is flagged whose payload was deleted while it was read, and has no number.
        let flagged = try await instance.events().count - stored.count
        let lost = written.reduce(into: IndexSet()) { $0.insert(integersIn: $1) }.subtracting(IndexSet(stored))
        let missing = lost.count - flagged
        let counted = gaps.compactMap { $0["count"] as? Int }.reduce(0, +)
        #expect(counted >= missing, "missing are \(lost.rangeView.map(\.self)), flagged \(flagged), \(gaps)")
        // Of journald's own entries some are missing as well.
        #expect(counted <= missing + missing / 10 + 50, "\(gaps)")
        if missing == 0 { #expect(gaps.isEmpty) }
    }

    @Test func `equal lines of one write are events of their own, upstream as well`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try await instance.startReceiver()
                try instance.configure(
                    journal: "{namespace: \(journald.namespace)}",
                    more: "sinks: [{name: up, type: http, url: \"\(instance.receiverURL)\", batch: {max_age: 50ms}}]")
                try await instance.startDaemonAndWait()
                let line = "SUBSYSTEM=com.example.shop\nCATEGORY=Other\nMESSAGE={\"number\":1}\n"
                try journald.send(datagram: Array(Array(repeating: line, count: 5).joined(separator: "\n").utf8))
                try await eventually("five are stored") { try await numbers(instance) == [1, 1, 1, 1, 1] }
                #expect(Set(try await instance.events().compactMap { $0["uid"] as? String }).count == 5)
                // The receiver leaves out what it has by its uid.
                try await eventually("five are delivered") { instance.lines(of: "received.ndjson").count == 5 }
            }
        }
    }
}
