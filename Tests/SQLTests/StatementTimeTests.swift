import TestSupport
import Testing

@testable import SQL

/// Statements that order, group and select rows by time.
struct StatementTimeTests {
    @Test func `rows come in the order that is asked for`() async throws {
        try await Shop.with { shop in
            let ascending = try shop.sql("SELECT id FROM events ORDER BY id LIMIT 5000")
            #expect(ascending == (1...5000).map { [SQLQuoted(stringLiteral: "i\($0)")] })
            let descending = try shop.sql("SELECT id FROM events ORDER BY id DESC LIMIT 5000")
            #expect(descending == (4001...9000).reversed().map { [SQLQuoted(stringLiteral: "i\($0)")] })
            let latest = try shop.sql("SELECT id FROM events ORDER BY time DESC, id LIMIT 3")
            #expect(latest == [["i9000"], ["i8999"], ["i8998"]])
        }
    }

    /// Times that go back by up to ten seconds, and are the same for several events; in the first block also those that only
    /// damage has.
    private static func unsteadyTime(_ number: UInt64, isDamaged: Bool) -> UInt64 {
        let time = 1_795_000_000_000_000 + (number / 3 - number % 70 / 7) * 1_000_000
        guard isDamaged, number < 1500 else { return time }
        switch number % 97 {
        case 5: return .max
        case 6: return UInt64(bitPattern: -7)
        case 7: return 0
        case 8: return 1 << 62
        case 9: return time + 900_000_000
        default: return time
        }
    }

    @Test(arguments: [false, true])
    func `rows in the order of times are those that SQLite sorts, and are not sorted`(isDamaged: Bool) async throws {
        let time = { Self.unsteadyTime($0, isDamaged: isDamaged) }
        try await Shop.with(events: 9700, maximumBytes: 4 << 20, time: time) { shop in
            var statements: [String] = []
            for (table, id, time) in [("events", "id", "time"), ("shop_buy", "gloss_id", "gloss_time")] {
                for order in ["\(time), \(id)", "\(time) DESC, \(id) DESC"] {
                    let select = "SELECT \(id), \(time) FROM \(table)"
                    statements += [
                        "\(select) ORDER BY \(order)",
                        "\(select) WHERE \(id) BETWEEN 4000 AND 8195 ORDER BY \(order) LIMIT 1500",
                        "\(select) WHERE \(time) > '2026-11-18 11:30' ORDER BY \(order)",
                        "\(select) WHERE \(id) = (SELECT max(\(id)) FROM \(table) WHERE \(id) < 5000) ORDER BY \(order)",
                    ]
                }
            }
            statements += [
                "SELECT gloss_id, code FROM shop_buy WHERE gloss_pid IN (5, 6) AND count = 42 ORDER BY gloss_time, gloss_id",
                "SELECT a.id, b.id FROM events a JOIN events b ON b.id = a.id + 1 WHERE a.id < 50 ORDER BY a.time, a.id",
                "SELECT time, count(*), min(id) FROM events GROUP BY time",
                "SELECT time, count(*), max(id) FROM events GROUP BY time ORDER BY time DESC",
                "SELECT time, level, count(*) FROM events GROUP BY time, level ORDER BY 1, 2",
                "SELECT time, time_hour, pid, count(*) FROM events GROUP BY pid, time ORDER BY 1, 2, 3",
                "SELECT DISTINCT time FROM events ORDER BY time DESC",
                "SELECT id, row_number() OVER (ORDER BY time, id) FROM events WHERE id > 9600",
            ]
            for (statement, ordered, sorted) in try shop.withAndWithoutHelp(statements) {
                #expect(ordered == sorted && !ordered.isEmpty, "\(statement)")
            }
            let plans = try shop.sql(statements.prefix(16).map { "EXPLAIN QUERY PLAN \($0)" })
            for (statement, plan) in zip(statements, plans) {
                #expect(!"\(plan)".contains("TEMP B-TREE"), "\(statement)")
            }
            // Minutes, hours and days are the beginnings of times, whatever these are.
            let wrong = """
                time_minute IS NOT substr(time, 1, 16) OR time_hour IS NOT substr(time, 1, 13) || ':00'
                OR time_day IS NOT substr(time, 1, 10)
                """
            for table in ["events", "violations"] {
                let rows = try shop.sql("SELECT sum(\(wrong)), count(DISTINCT time_minute) > 5 FROM \(table)")
                #expect(rows == [["i0", "i1"]], "\(table)")
            }
        }
    }

    @Test func `conditions on parts of time find what they would find without the scan's help`() async throws {
        try await Shop.with(events: 4200, time: { Self.unsteadyTime($0, isDamaged: true) }) { shop in
            let operands = [
                "1970-01-01 00:00", "1970-01-01 00", "1970-01-01", "1970", "2026-11-18 11:31", "2026-11-18 11:31:05",
                "2026-11-18 11", "2026-11-18 11:00",
                "2026-11-18", "2026-11", "2026-11-18 11:", "9999-12-31 23:59", "9999-12-31 23", "9999-12-31", "9999",
            ]
            var statements: [String] = []
            for (column, count) in [("time_minute", 16), ("time_hour", 16), ("time_day", 10)] {
                for operand in operands {
                    for operation in ["<", "<=", ">", ">="] {
                        statements.append(
                            "SELECT count(*), sum(id) FROM events WHERE \(column) \(operation) '\(operand)'")
                    }
                    statements.append("SELECT count(*), min(id) FROM violations WHERE \(column) > '\(operand)'")
                    // No constants: those are refused that are no text of the column.
                    let other = "substr('\(operand)', 1)"
                    statements.append("SELECT count(*), sum(id) FROM events WHERE \(column) = \(other)")
                    guard operand.utf8.count == count else { continue }
                    statements.append("SELECT count(*) FROM events WHERE \(column) = '\(operand)'")
                    statements.append(
                        "SELECT count(*) FROM events WHERE \(column) IN ('\(operand)', '\(operand)', NULL)")
                }
                for operation in ["=", "<", ">="] {
                    let other = "strftime('%Y-%m-%dT%H:%M', '2026-11-18 11:31')"
                    statements.append("SELECT count(*) FROM events WHERE \(column) \(operation) \(other)")
                }
                // SQLite makes bounds of patterns, which need not be texts of the column.
                for pattern in ["GLOB '2026-12*'", "GLOB '2026-1*'", "GLOB '2026-11-18*'", "LIKE '2026-11-18%'"] {
                    statements.append("SELECT count(*), sum(id) FROM events WHERE \(column) \(pattern)")
                }
            }
            let found = try shop.withAndWithoutHelp(statements)
            for (statement, helped, plain) in found { #expect(helped == plain, "\(statement)") }
            #expect(found.count { $0.plain[0][0] != "i0" } > 100)
        }
    }

    @Test func `SQLite sorts in both directions at once, and what has several rows of an event`() async throws {
        try await Shop.with(events: 4200) { shop in
            for statement in [
                "SELECT id FROM events ORDER BY time DESC, id", "SELECT id FROM violations ORDER BY time",
                "SELECT id FROM events ORDER BY time COLLATE NOCASE",
            ] {
                let plan = try shop.sql("EXPLAIN QUERY PLAN \(statement)")
                #expect("\(plan)".contains("TEMP B-TREE"), "\(statement)")
            }
        }
    }

    @Test func `SQLite sorts if the times of many blocks overlap`() async throws {
        let time = { (number: UInt64) in 1_795_000_000_000_000 + number * 7919 % 10_000 * 1_000_000 }
        try await Shop.with(events: 20_000, maximumBytes: 4 << 20, time: time) { shop in
            let latest = "SELECT id FROM events ORDER BY time DESC, id DESC LIMIT 50"
            let plan = try shop.sql("EXPLAIN QUERY PLAN \(latest)")
            #expect("\(plan)".contains("TEMP B-TREE"))
            #expect(try shop.sql([latest]) == shop.sql([latest], isNarrowing: false))
        }
    }

    @Test func `times are compared as times, in whichever form they are written`() async throws {
        // 2026-11-18 11:06:40 and seconds later.
        try await Shop.with(events: 4200, time: { 1_795_000_000_000_000 + $0 * 1_000_000 }) { shop in
            let forms = [
                "2026-11-18 11:20:00", "2026-11-18 11:20", "2026-11-18T11:20:00Z", "2026-11-18T11:20",
                "2026-11-18t11:20:00.000000z", "2026-11-18T20:20:00+09:00", "2026-11-18T07:50-03:30",
                "2026-11-18 11:20:00.000000000Z",
            ]
            for form in forms {
                let found = try shop.withAndWithoutHelp(
                    [
                        "WHERE time >= '\(form)'", "WHERE '\(form)' <= time", "WHERE NOT time < '\(form)'",
                        "WHERE time BETWEEN '\(form)' AND '2026-12-01T00:00'", "WHERE (id < 0 OR time >= '\(form)')",
                        "WHERE CASE WHEN time < '\(form)' THEN 0 ELSE 1 END", "WHERE time >= substr('\(form)', 1)",
                    ].map { "SELECT count(*), min(time) FROM events \($0)" } + [
                        "SELECT sum(time >= '\(form)'), min(time) FILTER (WHERE time >= '\(form)') FROM events",
                        "SELECT count(*), min(gloss_time) >= '\(form)' FROM shop_buy WHERE gloss_time = '\(form)'",
                        "SELECT count(*), min(time) FROM events WHERE time IN ('\(form)', '2026-11-18T00:00Z', '18.11.2026')",
                        "SELECT time FROM gaps WHERE time > '\(form)' AND time <> '\(form)'",
                    ])
                let expected: [SQLQuoted] = ["i3401", "t2026-11-18 11:20:00.000000"]
                for (statement, helped, plain) in found.prefix(8) {
                    #expect(helped == [expected] && plain == [expected], "\(statement)")
                }
                #expect(found[8].helped == found[8].plain, "\(found[8].statement)")
                #expect(
                    found[9].helped == [["i1", "t2026-11-18 11:20:00.000000"]] && found[9].helped == found[9].plain)
                #expect(found[10].helped == [["t2027-01-15 08:00:00.000000"]])
            }
            let beforeMidnight = "SELECT count(*) FROM events WHERE time > '1969-12-31T23:59:59-00:01'"
            #expect(try shop.sql(beforeMidnight) == [["i4200"]])
        }
    }

    @Test func `a constant that is no time, or no text of a part of time, is refused`() async throws {
        try await Shop.with(events: 100) { shop in
            for (condition, problem) in [
                ("time >= 'yesterday'", "time: 'yesterday' is no time since 1970"),
                ("time GLOB '2026-11*' AND time < '2026-13-01'", "time: '2026-13-01' is no time since 1970"),
                ("time IN ('yesterday')", "time: 'yesterday' is no time since 1970"),
                ("program_time < 1795000000", "program_time: '1795000000' is no time since 1970"),
                ("time <> '2026-02-30'", "time: '2026-02-30' is no time"),
                ("time IS NOT 'never'", "time: 'never' is no time"),
                ("time IS ''", "time: '' is no time"),
                (
                    "time_hour = '2026-11-18 11'",
                    "time_hour: '2026-11-18 11' is not in the form of its texts: 2026-11-21 10:00"
                ),
                (
                    "time_day = '2026-11-18 00:00'",
                    "time_day: '2026-11-18 00:00' is not in the form of its texts: 2026-11-21"
                ),
                (
                    "time_minute >= '2026-11-18T11:20'",
                    "time_minute: '2026-11-18T11:20' is not in the form of its texts"
                ),
            ] {
                let error = #expect(throws: SQLFailure.self, "\(condition)") {
                    try shop.sql("SELECT count(*) FROM events WHERE \(condition)")
                }
                #expect(error?.description.hasPrefix(problem) == true, "\(error?.description ?? "")")
            }
        }
    }
}
