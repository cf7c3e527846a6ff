import Definitions
import Foundation
import Model
import TestSupport
import Testing

@testable import SQL
@testable import Store

struct StatementTests {
    @Test func `values keep the form in which JSON has them`() async throws {
        let expected: [String: SQLQuoted] = [
            "1": "i1", "-7": "i-7", "-0": "r0.0", "42.0": "r42.0", "4.2e1": "r42.0", "4.20": "r4.2", "0.1": "r0.1",
            // A double has fewer digits, or no such number.
            "0.10000000000000000555": "t0.10000000000000000555", "1e400": "t1e400",
            // Exponents that do not fit, with the places before and behind the point.
            "0e9223372036854775807": "r0.0", "1.5e-9223372036854775808": "t1.5e-9223372036854775808",
            "10e9223372036854775807": "t10e9223372036854775807",
            "9007199254740993": "i9007199254740993", "9223372036854775807": "i9223372036854775807",
            "9223372036854775808": "t9223372036854775808", "-9223372036854775808": "i-9223372036854775808",
            #""42""#: "t42", #"" 42 ""#: "t 42 ", #""""#: "t", #""a\"b\u3042""#: "ta\"bあ", "true": "i1", "false": "i0",
            "null": "null", "[1,2]": "t[1,2]", #"["a","b"]"#: #"t["a","b"]"#, "{}": "t{}",
            #"{"os":"ios"}"#: #"t{"os":"ios"}"#,
        ]
        try await Shop.with { shop in
            // Of violating events, so that also objects are values where none is expected.
            let rows = try shop.sql(
                "SELECT gloss_id, code FROM shop_buy WHERE gloss_resolution = 'violating' ORDER BY gloss_id")
            #expect(rows.count > 1000)
            var seen: Set<String> = []
            for row in rows {
                let id = try #require(Int(row[0].text.dropFirst()))
                let payload = shop.payloads[id - 1]
                guard
                    let found = Shop.values.first(where: {
                        payload.contains("\"code\":\($0),") || payload.contains("\"code\":\($0)}")
                    })
                else {
                    #expect(row[1] == "null", "\(payload)")
                    continue
                }
                guard let value = expected[found] else { continue }
                seen.insert(found)
                #expect(row[1] == value, "\(payload)")
            }
            #expect(seen.count == expected.count)
        }
    }

    @Test func `columns of texts have the digits that were sent, if that is asked for`() async throws {
        try await Shop.with(values: ["4.20", "1E2", "-0", "42.0", "7", "\"4.20\"", "[4.20]"]) { shop in
            let rows = try shop.sql(
                ["SELECT code, price FROM shop_buy", "SELECT cells FROM gloss_rows WHERE table_name = 'shop_sell'"],
                isExact: true)
            #expect(
                Set(rows[0].map(\.[0])) == ["t4.20", "t1E2", "t-0", "t42.0", "i7", "t[4.20]", "null"])
            #expect(
                Set(rows[0].map(\.[1])) == ["r4.2", "r100.0", "r0.0", "r42.0", "i7", "t4.20", "t[4.20]", "null"])
            for text in ["\"4.20\"]", "\"1E2\"]", "\"-0\"]", ",7]"] {
                #expect(rows[1].contains { $0[0].text.hasSuffix(text) }, "\(text)")
            }
        }
    }

    @Test func `a table has as many parameters as SQLite permits columns, and says how many it lacks`() async throws {
        let dictionary = Sample.defining([
            Sample.definition(
                "shop/wide", "All there is.", (1...2500).map { Parameter(name: "p\($0)", type: .integer) }),
            Sample.definition(
                "shop/just", "All there is.", (1...1987).map { Parameter(name: "p\($0)", type: .integer) }),
        ])
        let catalog = SQLCatalog([dictionary])
        let (wide, just) = (try #require(catalog["shop_wide"]), try #require(catalog["shop_just"]))
        #expect(wide.columns == just.columns && wide.columns.last?.name == "p1987")
        #expect(just.description == "shop/just: All there is.")
        #expect(
            wide.description
                == "shop/wide: All there is. (There is no room for 513 of its parameters: they are in events.payload only.)"
        )
        try await Shop.with(events: 1) { shop in
            let names = try StoreReader(shop.path).read { snapshot in
                let connection = try SQLConnection(heapBytes: 0)
                try connection.add(
                    OpenTable(wide, among: [wide], snapshot, .everything, events: 1, isNarrowing: true))
                try connection.restrict()
                var names: [String] = []
                _ = try connection.run(
                    "SELECT * FROM shop_wide ORDER BY p1987, gloss_id", limit: nil, columns: { names = $0 },
                    row: { _ in })
                return names
            }
            #expect(names == wide.columns.filter { !$0.isHidden }.map(\.name))
        }
    }

    @Test func `members of objects are columns, and facts of the event have names of their own`() async throws {
        try await Shop.with { shop in
            let rows = try shop.sql(
                "SELECT gloss_id, gloss_time, time, device_os, device_size FROM shop_buy WHERE device_os IS NOT NULL")
            #expect(!rows.isEmpty)
            for row in rows {
                let id = try #require(Int(row[0].text.dropFirst()))
                #expect(row[1].text == "t" + SQLTime.text(shop.times[id - 1]))
                let isText = shop.payloads[id - 1].contains(#""device":{"os":"ios"}"#)
                #expect(row[3] == (isText ? "tios" : "i17") && row[4] == (isText ? "null" : "tx"))
            }
            #expect(try shop.sql("SELECT count(*), max(id) FROM events") == [["i9000", "i9000"]])
            // What other columns say as well is there if it is asked for.
            let columns = try shop.sql("SELECT name FROM pragma_table_info('shop_buy') WHERE name LIKE 'gloss%'")
            #expect(columns.count == 10, "\(columns)")
            #expect(
                try shop.sql("SELECT payload, message FROM events WHERE id = 8999") == [
                    [SQLQuoted(stringLiteral: "t" + shop.payloads[8998]), "null"]
                ])
        }
    }

    @Test func `findings, gaps and definitions are tables`() async throws {
        try await Shop.with(events: 100) { shop in
            let violating = try shop.sql("SELECT id FROM events WHERE resolution = 'violating'")
            let rows = try shop.sql(
                "SELECT id, rule, parameter, found FROM violations WHERE parameter = 'count' ORDER BY id")
            #expect(
                rows.map { [$0[0]] } == violating && rows.allSatisfy { $0[1...] == ["ttype", "tcount", "tstring"] })
            #expect(try shop.sql("SELECT DISTINCT rule FROM violations ORDER BY 1") == [["tmissing"], ["ttype"]])
            #expect(
                try shop.sql("SELECT count(*) FROM warnings WHERE rule = 'obsolete-parameter'")[0][0].text
                    == "i\(violating.count)")
            #expect(
                try shop.sql("SELECT sum(violations), sum(warnings) FROM events") == [
                    [
                        SQLQuoted(stringLiteral: "i\(2 * violating.count)"),
                        SQLQuoted(stringLiteral: "i\(violating.count)"),
                    ]
                ])
            #expect(
                try shop.sql("SELECT cause, message, time FROM gaps") == [
                    ["tdeleted", "ta file was deleted", "t2027-01-15 08:00:00.000000"]
                ])
            #expect(
                try shop.sql("SELECT event, description, parameters, is_obsolete FROM definitions") == [
                    ["tshop/buy", "tSomething was bought.", "i7", "i0"],
                    ["tshop/sell", "tSomething was sold.", "i2", "i0"],
                ])
        }
    }

    @Test func `a predicate says which events there are`() async throws {
        try await Shop.with(events: 5000) { shop in
            let few = Model.Predicate.number(.id, 100...199)
            let rows = try shop.sql(
                [
                    "SELECT min(id), max(id), count(*) FROM events", "SELECT count(*) FROM shop_buy",
                    "SELECT max(id) FROM violations",
                ],
                predicate: few)
            #expect(rows[0] == [["i100", "i199", "i100"]])
            let between = try shop.sql("SELECT count(*) FROM shop_buy WHERE gloss_id BETWEEN 100 AND 199")
            #expect(rows[1] == between)
            #expect(rows[2][0][0].text < "i2")
        }
    }

    @Test func `rows that are joined by their ids are what they are without the scan's help`() async throws {
        try await Shop.with(events: 4200, seed: 9) { shop in
            // Those of a block, and those that are in none yet. Without help, each of these rows reads all events.
            let some = "BETWEEN 4080 AND 4110"
            let statements = [
                "SELECT v.rule, v.parameter, e.* FROM violations v JOIN events e USING (id) WHERE v.id \(some)",
                "SELECT a.id, a.message, b.event, b.payload FROM events a JOIN events b ON b.id = a.id + 1 WHERE a.id \(some)",
                "SELECT e.id, e.level, s.* FROM shop_buy s JOIN events e ON e.id = s.gloss_id WHERE s.gloss_id \(some)",
                "SELECT a.id, (SELECT level FROM events WHERE id = 4201 - a.id) FROM events a WHERE a.id \(some)",
                "SELECT a.id FROM events a WHERE a.id > 4190 AND NOT EXISTS (SELECT 1 FROM events WHERE id = a.id + 1)",
            ]
            let found = try shop.withAndWithoutHelp(statements)
            for (statement, helped, plain) in found { #expect(helped == plain, "\(statement)") }
            let joined = found.map(\.helped)
            #expect(!joined[0].isEmpty && !joined[2].isEmpty)
            #expect(joined[1].count == 31 && joined[3].count == 31 && joined[4].count == 1)
        }
    }

    @Test func `definitions are looked up for events, and found with and without that`() async throws {
        try await Shop.with(events: 5000) { shop in
            let statements = [
                "SELECT event, count(*), count(description) FROM events JOIN definitions USING (event) GROUP BY 1",
                "SELECT d.event, count(e.id) FROM definitions d LEFT JOIN events e ON e.event = d.event GROUP BY 1",
                "SELECT event FROM definitions WHERE event IN ('shop/buy', 'x', NULL, 'shop/sell') ORDER BY 1",
                "SELECT event FROM definitions WHERE dictionary = 'shop' AND event > 'shop/c' ORDER BY 1",
                "SELECT rowid, event FROM definitions WHERE event = 'shop/sell' OR dictionary = 'shop' ORDER BY 1",
                "SELECT event FROM definitions WHERE event = NULL", "SELECT event FROM definitions WHERE event = 5",
                "SELECT event FROM definitions WHERE event = 'SHOP/BUY' COLLATE NOCASE",
            ]
            let found = try shop.withAndWithoutHelp(statements)
            for (statement, helped, plain) in found { #expect(helped == plain, "\(statement)") }
            #expect(found.map(\.helped.count).prefix(5).allSatisfy { $0 > 0 } && !found[7].helped.isEmpty)
            // With so many, the events would otherwise be read for each.
            var many = try #require(SQLCatalog([])["definitions"])
            many.content = .rows(
                (0..<5000).map { [.text("shop"), .text("shop/\($0)")] + many.columns.dropFirst(2).map { _ in .null } })
            let plan = try StoreReader(shop.path).read { snapshot in
                let connection = try SQLConnection(heapBytes: 0)
                for table in [many, try #require(SQLCatalog([])["events"])] {
                    try connection.add(OpenTable(table, snapshot, .everything, events: 5000))
                }
                var plan = ""
                _ = try connection.run(
                    "EXPLAIN QUERY PLAN SELECT count(*) FROM events JOIN definitions USING (event)", limit: nil,
                    columns: { _ in }, row: { plan += "\(SQLQuoted.row($0))\n" })
                return plan
            }
            let isLookedUp = plan.split(separator: "\n").contains {
                $0.contains("SCAN definitions") && $0.contains(":event = ?")
            }
            #expect(isLookedUp, "\(plan)")
        }
    }

    /// What a condition leaves out early, SQLite would have left out: with and without that, rows are the same.
    @Test(arguments: 0..<3) func `conditions find what they would find without the scan's help`(seed: Int) async throws
    {
        try await Shop.with(events: 5000, seed: UInt64(seed)) { shop in
            var random = SeededGenerator(seed: UInt64(1000 + seed))
            let statements = (0..<150).map { _ in Self.statement(&random) }
            let found = try shop.withAndWithoutHelp(statements)
            for (statement, helped, plain) in found {
                #expect(Self.inOrder(helped) == Self.inOrder(plain), "\(statement)")
            }
            // Conditions that nothing meets would prove little.
            #expect(found.count { !$0.plain.isEmpty } > 50)
        }
    }

    private static func inOrder(_ rows: [[SQLQuoted]]) -> [[String]] {
        rows.map { $0.map(\.text) }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static let literals = [
        "1", "0", "42", "42.0", "4.2", "-7", "'1'", "'42'", "'042'", "' 42 '", "'42.0'", "'abc'", "''", "'true'",
        "'[1,2]'", "'{}'",
        "9007199254740993", "9007199254740992.0", "9223372036854775807", "'9223372036854775808'", "1e400", "-1e400",
        "NULL",
        "x'3432'", "'1e2'", "100", "0.1", "'+42'", "'.5'", "0.5", "5.0", "true", "'夕食 42'", "CAST(42 AS INTEGER)",
        "CAST('42' AS TEXT)",
        "0.1 + 0", "'a' || 'bc'", "'0.3'", "0.3", "0.30000000000000004",
    ]
    private static let times = [
        "'2026'", "'2026-11-18 11'", "'2026-11-18 12:00'", "'2026-11'", "'2026-11-18'",
        "'2026-11-18 12'", "'2026-11-18 12:00:01.5'",
        "'2026-11-18 10:00:10.123456'", "2026", "'2026-11-18T12:00:00Z'", "'2026-11-18T21:30+09:00'",
        "'2026-11-18T10'", "'9999'", "'1970'", "NULL", "datetime('2026-11-18 11:00:00')", "'x' || ''",
    ]
    private static let parts = [
        ("gloss_time_minute", ["'2026-11-18 11:35'", "'2026-11-18 12:00'"]),
        ("gloss_time_hour", ["'2026-11-18 11:00'", "'2026-11-18 12:00'"]),
        ("gloss_time_day", ["'2026-11-18'", "'2026-11-19'", "date('2026-11-18')"]),
    ]

    private static func statement(_ random: inout SeededGenerator) -> String {
        func one(_ list: [String]) -> String { list[Int(random.next() % UInt64(list.count))] }
        func condition() -> String {
            switch random.next() % 9 {
            case 0: return "gloss_time \(one(["=", "<", "<=", ">", ">="])) \(one(times))"
            case 1:
                return
                    "gloss_level \(one(["=", "IN", "<", ">="])) (\(one(["'err'", "'info'", "'error'", "'WARN'", "3"])))"
            case 2:
                return
                    "gloss_id \(one(["=", "<", "<=", ">", ">="])) \(one(["100", "5000.5", "'4096'", "-1", "9223372036854775807", "NULL"]))"
            case 3: return "gloss_id IN (\(one(["1", "4000"])), \(one(["4096", "'7'", "5999", "NULL"])), 4097)"
            case 4: return "gloss_host = \(one(["'web1'", "'web9'", "'WEB1'", "'web1' COLLATE NOCASE", "1"]))"
            case 5:
                return "\(one(["count", "code", "price"])) IN (\(one(literals)), \(one(literals)), \(one(literals)))"
            case 6:
                let (key, values) = parts[Int(random.next() % UInt64(parts.count))]
                guard random.next() % 4 > 0 else { return "\(key) IN (\(one(values)), NULL, \(one(values)))" }
                return "\(key) \(one(["=", "<", "<=", ">", ">="])) \(one(values))"
            case 7: return "gloss_pid \(one(["=", "<", ">="])) \(one(["5", "'7'", "99.5", "NULL"]))"
            default:
                return
                    "\(one(["count", "price", "code", "gift", "tags", "device_os"])) \(one(["=", "=", "=", ">", "<", "IS"])) \(one(literals))"
            }
        }
        var text = condition()
        for _ in 0..<Int(random.next() % 3) {
            text = "(\(text)) \(one(["AND", "AND", "OR", "AND NOT"])) (\(condition()))"
        }
        let order = one(["", " ORDER BY gloss_id", " ORDER BY gloss_id DESC", " ORDER BY gloss_time DESC"])
        return "SELECT gloss_id, count, code FROM shop_buy WHERE \(text)\(order)"
    }

    @Test func `findings are joined by the ids of their events, many or few`() async throws {
        try await Shop.with(events: 9000) { shop in
            let statements = [
                "SELECT e.id, v.rule, v.parameter FROM events e LEFT JOIN {v} USING (id) ORDER BY 1, 2, 3",
                "SELECT a.id, a.parameter, v.parameter FROM violations a JOIN {v} USING (id) ORDER BY 1, 2, 3",
                "SELECT v.id, v.rule, b.code FROM {v} JOIN shop_buy b ON b.gloss_id = v.id ORDER BY 1, 2, 3",
                "SELECT id FROM events e WHERE id < 40 AND EXISTS (SELECT 1 FROM {v} WHERE v.id = e.id AND v.rule = 'type')",
                "SELECT id, rule, expected FROM {v} WHERE id IN (17, 18, 19, 4097, 8999) ORDER BY 1, 2, 3",
                "SELECT v.id, v.found FROM events e CROSS JOIN {v} ON v.id = 9001 - e.id WHERE e.id < 5000 ORDER BY 1, 2",
            ]
            let asked = try shop.sql(statements.map { $0.replacing("{v}", with: "violations v") })
            // SQLite makes an index of what it has read itself.
            let read = try shop.sql(
                statements.map { $0.replacing("{v}", with: "(SELECT * FROM violations LIMIT -1) v") })
            for (place, statement) in statements.enumerated() {
                #expect(asked[place] == read[place] && asked[place].count > 3, "\(statement)")
            }
        }
    }

    @Test func `an event has a row for each of its findings, also where several conditions find it`() async throws {
        // So many that SQLite reads once for each condition.
        try await Shop.with(events: 20_000) { shop in
            let first = "id = (SELECT min(id) FROM violations)"
            let statements = [
                "rule = 'missing' OR \(first)", "\(first) OR parameter = 'count'", "rule = 'type' OR id < 40",
            ].map { "SELECT count(*), sum(id) FROM violations WHERE \($0)" }
            let found = try shop.withAndWithoutHelp(statements)
            for (statement, helped, plain) in found { #expect(helped == plain, "\(statement)") }
            let plan = try shop.sql("EXPLAIN QUERY PLAN \(statements[0])")
            #expect("\(plan)".contains("MULTI-INDEX OR"), "\(plan)")
            // The same numbers, whether rows are read one after the other or looked up.
            let numbers = try shop.sql([
                "SELECT rowid, rule FROM violations ORDER BY 1",
                "SELECT v.rowid, v.rule FROM events e CROSS JOIN violations v ON v.id = e.id ORDER BY 1",
            ])
            #expect(numbers[0] == numbers[1] && Set(numbers[0].map(\.[0])).count == numbers[0].count)
            #expect(numbers[0].count > 1000)
        }
    }

    @Test func `many values of a condition find what they would find without the scan's help`() async throws {
        try await Shop.with(events: 5000) { shop in
            let many = (0..<300).map { "'\($0)'" }.joined(separator: ", ")
            let statements = [
                "SELECT count(*), sum(id) FROM events WHERE id IN (SELECT id FROM violations)",
                "SELECT count(*), sum(gloss_id) FROM shop_buy WHERE count IN (SELECT count FROM shop_buy)",
                "SELECT count(*) FROM shop_buy WHERE code IN (\(many), '42')",
                "SELECT count(*) FROM events WHERE host IN (\(many), 'web', NULL)",
                "SELECT count(*) FROM events WHERE event IN (\(many), 'shop/buy', 7)",
                "SELECT count(*) FROM violations WHERE rule IN (\(many), 'type')",
                "SELECT count(*) FROM violations WHERE parameter IN ('count', NULL)",
            ]
            let found = try shop.withAndWithoutHelp(statements)
            for (statement, helped, plain) in found { #expect(helped == plain, "\(statement)") }
            #expect(found.count { $0.plain[0][0] != "i0" } > 4)
        }
    }

    @Test func `what is compared with NULL reads nothing`() async throws {
        for column in [RowColumn.id, .time, .timeUnit(.hour), .priority, .text(.event), .uid, .level] {
            var (none, some) = (Wanted(predicate: .everything), Wanted(predicate: .everything))
            column.narrow(&none, .equal, [.null], .events)
            column.narrow(&some, .equal, [.null, .integer(7)], .events)
            #expect(none.ids == nil && some.ids != nil, "\(column)")
        }
        var wanted = Wanted(predicate: .everything)
        RowColumn.id.narrow(&wanted, .equal, [.integer(9), .null, .integer(7)], .events)
        #expect(wanted.ids == 7...9)
        try await Shop.with(events: 100) { shop in
            let statements = [
                "id > NULL", "id IN (NULL)", "time <= (SELECT time FROM events WHERE id = 0)", "level = NULL",
                "pid IS NULL", "id IN (5, NULL, 6)", "program_time IS NOT NULL", "unit IS NULL",
                "pid IS NOT NULL AND host > NULL",
            ].map { "SELECT count(*) FROM events WHERE \($0)" }
            let found = try shop.withAndWithoutHelp(statements)
            for (statement, helped, plain) in found { #expect(helped == plain, "\(statement)") }
            #expect(found.count { $0.plain != [["i0"]] } == 3)
        }
    }

    @Test func `levels are compared by how severe they are, in whichever word`() async throws {
        try await Shop.with(events: 5000) { shop in
            let conditions = [
                ("level = 'error'", "priority = 3"), ("level = 'WARN'", "priority = 4"), ("level = 3", "priority = 3"),
                ("level >= 'err'", "priority <= 3"), ("level > 'info'", "priority < 6"),
                ("level < 'warn'", "priority > 4"),
                ("level IN ('critical', 'error')", "priority IN (2, 3)"), ("level IN ('err', 'eror')", "priority = 3"),
                ("level IN (VALUES ('weird'), ('warn'), (NULL), (7.5))", "priority = 4"),
                ("level = (SELECT 'weird')", "id < 0"), ("level IN (VALUES ('weird'), (''))", "id < 0"),
                ("NOT level <= 'notice'", "priority < 5"),
                ("level BETWEEN 'notice' AND 'error'", "priority BETWEEN 3 AND 5"),
                ("(level = 'error' OR payload = 'x')", "priority = 3"), ("journal_level >= 'emerg'", "priority = 0"),
                ("program_level > 'debug'", "priority < 0"),
            ]
            for (condition, same) in conditions {
                let found = try shop.withAndWithoutHelp(
                    [condition, same].map { "SELECT count(*), sum(id) FROM events WHERE \($0)" })
                #expect(found.allSatisfy { $0.helped == found[0].plain && $0.plain == found[0].plain }, "\(condition)")
            }
            let levels = ["debug", "info", "notice", "warning", "err", "crit", "alert", "emerg"]
            let rows = levels.map { [SQLQuoted(stringLiteral: "t\($0)")] }
            for statement in [
                "SELECT level FROM events GROUP BY level", "SELECT DISTINCT level FROM events ORDER BY level",
                "SELECT level FROM events UNION SELECT level FROM events",
            ] {
                #expect(try shop.sql(statement) == rows, "\(statement)")
            }
            #expect(try shop.sql("SELECT max(level), sum(level = 'error') > 100 FROM events") == [["temerg", "i1"]])
            // Texts beside levels are none of a condition.
            #expect(
                try shop.sql("SELECT 'total' AS level UNION SELECT level FROM events ORDER BY 1").count == 9)
            for condition in [
                "level = 'eror'", "gloss_level > 'eror'", "journal_level <> 'eror'", "level IN ('eror')",
                "level GLOB 'e*' AND level > 'eror'",
            ] {
                let table = condition.hasPrefix("gloss") ? "shop_buy" : "events"
                let error = #expect(throws: SQLFailure.self) {
                    try shop.sql("SELECT 1 FROM \(table) WHERE \(condition)")
                }
                #expect(
                    error?.description.hasSuffix(
                        "level: 'eror' is no level: emerg, alert, crit, err, warning, notice, info, debug") == true)
            }
            #expect(throws: SQLFailure.self) { try shop.sql("SELECT 1 FROM events WHERE level = 'e'") }
        }
    }

    @Test func `times and levels that are compared by bytes are looked up in the column's form`() async throws {
        try await Shop.with(events: 5000) { shop in
            let levels = "WITH w(x) AS (VALUES ('err'), ('error'), (NULL), ('info'), (3))"
            let times =
                "WITH w(x) AS (VALUES ('2026-11-18 11:20'), ('2026-11-18T11:20'), ('2026-11-18 11:06:42.469134'), (7))"
            let counts = "SELECT w.x, count(*), sum(id) FROM w CROSS JOIN events e ON"
            let looked = [
                ("\(levels) \(counts) w.x = e.level GROUP BY 1", "level = ?"),
                ("\(times) \(counts) w.x = e.time GROUP BY 1", "time = ?"),
                ("\(times) \(counts) w.x <= e.time GROUP BY 1", "time >= ?"),
                ("\(times) \(counts) w.x > e.time GROUP BY 1", "time < ?"),
                (
                    "SELECT count(*) FROM (SELECT max(time) AS x FROM events WHERE id < 4000) CROSS JOIN events ON x <= time",
                    "time >= ?"
                ),
                ("SELECT count(*) FROM events WHERE time GLOB '2026-11-18 12*'", "time >= ? AND time < ?"),
                ("SELECT count(*) FROM events WHERE time GLOB '2026-11-1*'", "time >= ? AND time < ?"),
            ]
            let others = [
                "\(levels) \(counts) w.x < e.level GROUP BY 1", "SELECT count(*) FROM events WHERE level GLOB 'e*'",
                "SELECT count(*) FROM events WHERE time > '2026-11-18 12' COLLATE NOCASE",
            ]
            let found = try shop.withAndWithoutHelp(looked.map(\.0) + others)
            for (statement, helped, plain) in found {
                #expect(helped == plain && !plain.isEmpty && plain != [["i0"]], "\(statement)")
            }
            let plans = try shop.sql((looked.map(\.0) + others).map { "EXPLAIN QUERY PLAN \($0)" }).map { "\($0)" }
            for (plan, (statement, conditions)) in zip(plans, looked) {
                #expect(plan.contains(":\(conditions)"), "\(statement): \(plan)")
            }
            for (plan, statement) in zip(plans.suffix(others.count), others) {
                #expect(!plan.contains("?"), "\(statement): \(plan)")
            }
        }
    }

    @Test func `numbers are found however long they are`() async throws {
        let long = "42." + String(repeating: "0", count: 1030)
        try await Shop.with(events: 5000, values: ["42", long, "\"\(long)\"", "\"x\(long)\""]) { shop in
            let found = try shop.withAndWithoutHelp(
                ["count", "price"].flatMap { name in
                    ["= 42", "IN (42, 43)", "= '\(long)'"].map {
                        "SELECT gloss_id FROM shop_buy WHERE \(name) \($0)"
                    }
                })
            for (statement, helped, plain) in found {
                #expect(helped == plain && plain.count > 500, "\(statement.prefix(60))")
            }
        }
    }

    @Test func `a plan says which conditions a table gets`() async throws {
        try await Shop.with(events: 100) { shop in
            let plan = try shop.sql(
                "EXPLAIN QUERY PLAN SELECT id FROM events WHERE id > 7 AND level IN ('err', 'info') AND payload = 'x'")
            #expect("\(plan)".contains(":id > ? AND level IN (?)"), "\(plan)")
        }
    }

    @Test func `groups are those that SQLite makes by sorting`() async throws {
        try await Shop.with(events: 5000) { shop in
            let keys = [
                "count", "price", "code", "gift", "tags", "device_os", "gloss_level", "gloss_host", "gloss_pid",
                "gloss_id % 7",
                "gloss_time", "gloss_time_minute", "gloss_resolution",
            ]
            var statements: [String] = []
            for (place, key) in keys.enumerated() {
                let other = keys[(place + 5) % keys.count]
                for group in [key, "\(key), \(other)", "\(other), \(key), code"] {
                    statements.append(
                        "SELECT \(group), count(*), min(gloss_time), max(gloss_time), sum(gloss_pid), count(price) FROM shop_buy GROUP BY \(group)"
                    )
                }
                statements += [
                    "SELECT \(key), count(*) FROM shop_buy WHERE gloss_pid < 50 GROUP BY \(key) HAVING count(*) > 3",
                    "SELECT count(*) FROM (SELECT DISTINCT \(key), \(other) FROM shop_buy)",
                    "SELECT \(key), count(*) FROM shop_buy GROUP BY 1 ORDER BY 1 DESC",
                    "SELECT \(key), \(other), count(*) FROM shop_buy GROUP BY 1, 2 ORDER BY 1, 2 DESC",
                    "SELECT \(key), \(other), count(*) FROM shop_buy GROUP BY 2, 1 ORDER BY 1 DESC, 2",
                    "SELECT \(key), count(DISTINCT \(other)), group_concat(gloss_pid) FROM shop_buy GROUP BY 1",
                    "SELECT \(key), min(gloss_id), group_concat(gloss_id) FROM shop_buy GROUP BY 1",
                    "SELECT \(key) COLLATE NOCASE, count(*) FROM shop_buy GROUP BY 1",
                ]
            }
            let found = try shop.withAndWithoutHelp(statements)
            // In the same order: where ORDER BY has the columns of GROUP BY, SQLite does not sort.
            for (statement, grouped, sorted) in found { #expect(grouped == sorted, "\(statement)") }
            #expect(found.count { !$0.plain.isEmpty } > statements.count - 5)
        }
    }

    @Test func `SQLite sorts groups where ids are asked for, as joins do`() async throws {
        try await Shop.with(events: 5000) { shop in
            let joins = [
                "SELECT e.event, count(*) FROM events e CROSS JOIN violations v USING (id) GROUP BY e.event",
                "SELECT e.event, count(v.id) FROM events e LEFT JOIN violations v ON v.id = e.id GROUP BY e.event",
                "SELECT event, sum((SELECT count(*) FROM warnings w WHERE w.id = e.id)) FROM events e GROUP BY event",
            ]
            for statement in joins {
                let plan = try shop.sql("EXPLAIN QUERY PLAN \(statement)")
                #expect("\(plan)".contains("TEMP B-TREE FOR GROUP BY"), "\(statement)")
            }
            let plan = try shop.sql("EXPLAIN QUERY PLAN SELECT event, max(time) FROM events GROUP BY event")
            #expect(!"\(plan)".contains("TEMP B-TREE"))
        }
    }

    @Test func `tables can be joined with each other and themselves`() async throws {
        try await Shop.with(events: 5000) { shop in
            let counts = try shop.sql(
                ["SELECT count(*) FROM events JOIN shop_buy ON id = gloss_id", "SELECT count(*) FROM shop_buy"])
            #expect(counts[0] == counts[1])
            let pairs = try shop.sql(
                "SELECT a.id, b.id FROM events a JOIN events b ON b.id = a.id + 1 WHERE a.id BETWEEN 4094 AND 4098")
            #expect(
                pairs
                    == (4094...4098).map {
                        [SQLQuoted(stringLiteral: "i\($0)"), SQLQuoted(stringLiteral: "i\($0 + 1)")]
                    })
            let violating = try shop.sql(
                [
                    "SELECT count(*) FROM events WHERE id IN (SELECT id FROM violations)",
                    "SELECT count(*) FROM events WHERE violations > 0",
                ])
            #expect(violating[0] == violating[1])
        }
    }

    @Test(arguments: ["buy", "events", "violations"])
    func `rows are the same whether many or few of a block are read, and however often`(_ table: String) async throws {
        try await Shop.with(events: 5000) { shop in
            let (name, key) = ExactString(table) == "buy" ? ("shop_buy", "gloss_id") : (table, "id")
            var random = SeededGenerator(seed: 3)
            let ranges = (0..<30).map { _ in
                let first = Int64.random(in: 1...4990, using: &random)
                return first...first + Int64.random(in: 0...40, using: &random)
            }
            let all = "SELECT * FROM \(name) ORDER BY \(key)"
            let found = try shop.sql(
                [all]
                    + ranges.map { "SELECT * FROM \(name) WHERE \(key) BETWEEN \($0.lowerBound) AND \($0.upperBound)" }
                    + [all])
            #expect(found[0].count > 200 && found.last == found[0])
            for (range, rows) in zip(ranges, found.dropFirst()) {
                let expected = found[0].filter { row in range.contains { row[0] == SQLQuoted(stringLiteral: "i\($0)") }
                }
                #expect(rows == expected, "\(range)")
            }
        }
    }

    @Test func `no table takes the place of a function of SQLite`() throws {
        let dictionary = try DictionaryParser.parse(
            ["json", "pragma_table", "sqlite"].map {
                DefinitionFile(name: "\($0).md", bytes: Array("# \($0)\n## each\nX.\n## info\nX.\n".utf8))
            }, options: DictionaryOptions(name: "odd", path: "")
        ).dictionary
        let names = SQLCatalog([dictionary]).names
        #expect(names.contains("_json_each") && names.contains("json_info") && names.contains("_pragma_table_info"))
        #expect(names.contains("_sqlite_each") && !names.contains("json_each"))
    }

    @Test func `a limit says that there are more rows`() async throws {
        try await Shop.with(events: 100) { shop in
            try StoreReader(shop.path).read { snapshot in
                let connection = try SQLConnection(heapBytes: 0)
                try connection.add(
                    OpenTable(try #require(SQLCatalog([])["events"]), snapshot, .everything, events: 100))
                for (limit, expected) in [(10, (10, true)), (100, (100, false)), (0, (0, true))] {
                    var rows = 0
                    let end = try connection.run(
                        "SELECT id FROM events", limit: limit, columns: { _ in }, row: { _ in rows += 1 })
                    #expect(end == expected && rows == expected.0)
                }
            }
        }
    }

    @Test func `a statement ends when nothing can read its answer any more`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        let connection = try SQLConnection(heapBytes: 0)
        connection.end(with: ends[1])
        func count(to number: Int) throws {
            let numbers = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(number))"
            _ = try connection.run("\(numbers) SELECT count(*) FROM n", limit: nil, columns: { _ in }, row: { _ in })
        }
        try count(to: 100_000)
        close(ends[0])
        #expect(throws: SQLFailure.self) { try count(to: 100_000_000) }
    }

    @Test func `several statements are run one after the other`() async throws {
        try await Shop.with(events: 10) { shop in
            let text = "SELECT id FROM events WHERE id < 3; ; -- two\nSELECT count(*) FROM events;\n /* end */ "
            let rows = try shop.sql([text, "SELECT 1; SELECT 2;"])
            #expect(rows == [[["i1"], ["i2"], ["i10"]], [["i1"], ["i2"]]])
            let error = #expect(throws: SQLFailure.self) { try shop.sql("SELECT '夕食';\nSELECT idd FROM events") }
            #expect(error?.description == "no such column: idd\n  SELECT idd FROM events\n         ^")
        }
    }

    @Test func `damage of a block says in which file and block it is, and what to do`() async throws {
        try await Shop.with(events: 5000) { shop in
            // The end of its data, which not all columns need.
            let damage = """
                UPDATE block_data SET data = CAST(substr(data, 1, length(data) - 100) || zeroblob(100) AS BLOB)
                WHERE first_id = 1
                """
            try Tool("/usr/bin/sqlite3", package: "sqlite3").run([shop.path, damage])
            let error = #expect(throws: StoreError.self) { try shop.sql("SELECT * FROM events") }
            #expect(error?.kind == .corrupt && error?.hint != nil)
            let text = try #require(error?.description)
            #expect(text.contains("\(shop.path): the database is damaged (the block with the events 1 to "), "\(text)")
        }
    }
}
