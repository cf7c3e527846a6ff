import Foundation
import TestSupport

/// Statements of SQL, beside sqlite3 on the file that an export of the same events makes.
struct SQLBench {
    let place: BenchPlace
    let journal: GeneratedJournal
    let daemon: BenchDaemon

    /// What takes seconds is done less often.
    private static let limit = Duration.seconds(10)

    private static let statements: [(what: String, statement: String, goal: String)] = [
        ("a statement that reads nothing", "SELECT 1", ""),
        ("how many events", "SELECT count(*) FROM events", ""),
        ("groups by event", "SELECT event, count(*) FROM events GROUP BY event", "ratio 1"),
        ("groups by event and level", "SELECT event, level, count(*) FROM events GROUP BY event, level", "ratio 1"),
        ("groups by unit, with times", "SELECT unit, min(time), max(time) FROM events GROUP BY unit", "ratio 1"),
        ("groups by minute", "SELECT substr(time, 1, 16), count(*) FROM events GROUP BY 1", ""),
        ("the newest 20", "SELECT id, time, event, payload FROM events ORDER BY time DESC LIMIT 20", ""),
        ("events of a name", "SELECT count(*) FROM events WHERE event = 'no/such' OR level = 'crit'", ""),
        ("all ids and times", "SELECT id, time FROM events", ""),
    ]

    func run() async throws -> [BenchResult] {
        let mark = journal.workload.mark
        return try await place.withFolder("export") { folder in
            let file = folder.appending(path: "events.sqlite").path
            let export = daemon.glossctl(place, ["export", "--sqlite", file, "--force"])
            let (time, peak) = try await MemoryWatch.peak(of: daemon.usage) {
                try Timing.median(within: Self.limit) { try export.toNowhere() }
            }
            let bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
            var results = [
                BenchResult(
                    "\(mark)export to SQLite, events/s", thousands(Double(journal.events) / time * 1000)),
                BenchResult("\(mark)its bytes per event", "\(bytes / max(1, journal.events))"),
                BenchResult("\(mark)RssAnon of the daemon meanwhile", megabytes(peak)),
            ]
            for (what, statement, goal) in Self.statements {
                results.append(try compare("\(mark)SQL: \(what)", statement, file, goal))
            }
            return results
        }
    }

    private func compare(_ what: String, _ statement: String, _ file: String, _ goal: String) throws -> BenchResult {
        let ours = daemon.glossctl(place, ["sql", statement, "-o", "csv"])
        let theirs = Command("/usr/bin/sqlite3", ["-csv", "-header", file, statement])
        // Rows may come in another order.
        let (found, expected) = (try lines(ours), try lines(theirs))
        guard found == expected else { throw BenchError("\(statement): \(found.count) lines, not \(expected.count)") }
        let (time, other) = try Timing.medians(
            within: Self.limit, ours: { _ = try ours.lineCount() }, theirs: { _ = try theirs.lineCount() })
        return BenchResult(milliseconds: what, time, beside: (other, "sqlite3"), goal: goal)
    }

    private func lines(_ command: Command) throws -> Set<Substring> {
        Set(
            String(decoding: try command.output(), as: UTF8.self).replacing("\"", with: "").replacing("\r", with: "")
                .split(separator: "\n"))
    }
}
