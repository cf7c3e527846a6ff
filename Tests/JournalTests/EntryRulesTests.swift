import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

@Suite(.enabled(if: JournalFixture.reasonToSkip == nil, "systemd-journal-remote is needed"))
struct EntryRulesTests {
    private func read(
        _ name: String = "shop.txt", rules: [SourceRule], maximumFieldBytes: Int = 1 << 20
    ) async throws -> EntryBatch {
        try await JournalFixture.withJournal(of: [fixture(name)]) { folder in
            JournalSession(folder, rules: rules, maximumFieldBytes: maximumFieldBytes).readAll()
        }
    }

    @Test func `every entry is read, and the first rule that fits takes it`() async throws {
        let batch = try await read(rules: [
            .subsystem("com.example.cart"),
            .match(["_SYSTEMD_UNIT": "nginx.service"], as: .init(subsystem: "org.nginx", category: "access")),
            .subsystem("com.example.*", category: "ActivityLog"),
            .subsystem("com.*", category: "A*"),
        ])
        #expect(batch.entriesRead == 8)
        #expect(batch.entries.map(\.origin.subsystem) == ["com.example.shop", "com.example.cart", "org.nginx"])
        #expect(batch.entries.map(\.origin.category) == ["ActivityLog", "", "access"])
        #expect(batch.entries[0].origin.source == "subsystem: com.example.*")
        #expect(batch.messages[2] == "GET / 200")
        #expect(batch.reachedEnd)
    }

    @Test func `an entry carries its fields`() async throws {
        let batch = try await read(rules: [.subsystem("com.example.shop", category: "ActivityLog")])
        let entry = try #require(batch.entries.first)
        #expect(batch.messages == [#"{"event_category":"recipe_detail","event_name":"show"}"#])
        #expect(entry.level == .info)
        #expect(entry.pid == 812)
        #expect(entry.origin[.processUID] == "1000")
        #expect(entry.origin[.host] == "web1")
        #expect(entry.origin[.identifier] == "shop")
        #expect(entry.origin[.unit] == "shop.service")
        #expect(entry.realtimeMicroseconds == 1_700_000_000_000_001)
        #expect(entry.origin.bootID == ID128("11111111111111111111111111111111"))
        #expect(entry.flaws == [])
    }

    @Test func `a priority that is absent or none counts as notice`() async throws {
        let batch = try await read(rules: [
            .subsystem("com.example.cart"), .subsystem("com.example.shop", category: "binary"),
        ])
        #expect(batch.entries.map(\.level) == [.notice, .notice])
    }

    @Test func `an absent category is the empty one`() async throws {
        let exactlyEmpty = try await read(rules: [.subsystem("*", category: "")])
        #expect(exactlyEmpty.entries.map(\.origin.subsystem) == ["com.example.cart"])
        let notEmpty = try await read(rules: [.subsystem("com.example.cart", category: "?*")])
        #expect(notEmpty.entries.isEmpty)
    }

    @Test func `NUL, line breaks and bytes that are not UTF-8 come through`() async throws {
        let batch = try await read(rules: [.subsystem("*", category: "binary")])
        let payload = batch.payload(try #require(batch.entries.first))
        #expect(payload == Array("line one\nline two\0".utf8) + [0xFF, 0xC3, 0x28] + Array(" end".utf8))
    }

    @Test func `any of several values may fit, and the one that fits gives the name`() async throws {
        for wanted in ["com.example.twice", "org.other"] {
            let batch = try await read(rules: [.subsystem(wanted)])
            #expect(batch.entries.map(\.origin.subsystem) == [wanted])
            #expect(batch.messages == ["the one message"])
        }
    }

    @Test func `conditions on one field are alternatives, on several fields all must hold`() async throws {
        func count(_ conditions: KeyValuePairs<String, String>) async throws -> Int {
            try await read(rules: [.match(conditions, as: .init(subsystem: "s", category: "c"))]).entries.count
        }
        #expect(try await count(["_SYSTEMD_UNIT": "nginx.service", "_SYSTEMD_UNIT": "shop.*"]) == 2)
        #expect(try await count(["_SYSTEMD_UNIT": "shop.service", "_PID": "812"]) == 1)
        #expect(try await count(["_SYSTEMD_UNIT": "shop.service", "_PID": "813"]) == 0)
        #expect(try await count(["SUBSYSTEM": "org.other", "SUBSYSTEM": "none", "CATEGORY": "repeated"]) == 1)
    }

    @Test func `a rule may take the payload from another field, also one that is asked for`() async throws {
        let batch = try await read(rules: [
            .match(["A": "b"], as: .init(subsystem: "s", category: "c"), payload: "A"), .subsystem("com.example.cart"),
        ])
        #expect(batch.messages == [#"{"event_category":"cart","event_name":"add"}"#, "b"])
    }

    @Test func `an entry without the payload field keeps its MESSAGE, flagged`() async throws {
        let batch = try await read(rules: [
            .match(["_SYSTEMD_UNIT": "nginx.service"], as: .init(subsystem: "s", category: "c"), payload: "NOT_THERE"),
            .match(["A": "b"], as: .init(subsystem: "s", category: "c"), payload: "A"),
        ])
        #expect(batch.messages == ["GET / 200", "b"])
        #expect(batch.entries.map(\.flaws) == [.otherField, []])
    }

    @Test(arguments: ["{}", "", nil], ["x", nil])
    func `a payload field that is empty is as good as none`(field: String?, message: String?) async throws {
        let head = """
            __REALTIME_TIMESTAMP=1700000000000001
            __MONOTONIC_TIMESTAMP=1
            _BOOT_ID=11111111111111111111111111111111
            SUBSYSTEM=com.example.shop
            """
        let fields = [field.map { "EVENT_JSON=" + $0 }, message.map { "MESSAGE=" + $0 }].compactMap(\.self)
        try await JournalFixture.withJournal(of: [([head] + fields).joined(separator: "\n")]) { folder in
            let rule = SourceRule.match(
                ["SUBSYSTEM": "*"], as: .init(subsystem: "s", category: "c"), payload: "EVENT_JSON")
            let batch = JournalSession(folder, rules: [rule]).readAll()
            if field == "{}" {
                #expect(batch.messages == ["{}"] && batch.entries.map(\.flaws) == [[]])
            } else {
                #expect(batch.messages == [message ?? ""])
                #expect(batch.entries.map(\.flaws) == [message == nil ? .damaged : .otherField])
            }
        }
    }

    @Test func `journal fields that a key needs come with their entries`() async throws {
        var cart = SourceRule.subsystem("com.example.cart")
        cart.keyFields = ["PRIORITY", "_HOSTNAME", "NOT_THERE"]
        var other = SourceRule.match(["A": "b"], as: .init(subsystem: "s", category: "c"))
        other.keyFields = ["A"]
        let batch = try await read(rules: [cart, other, .subsystem("org.other")])
        let fields = batch.entries.map { entry in entry.origin.keyFields.text.split(separator: "\n").map { String($0) }
        }
        #expect(fields == [["PRIORITY=nonsense", "_HOSTNAME=web1"], [], ["A=b"]])
        #expect(batch.entries[0].origin.keyFields["_HOSTNAME"] == "web1")
    }

    @Test(arguments: [
        (["A", "B", "MESSAGE"], "b", false), (["C", "MESSAGE", "B"], "m", false), (["C"], "m", true),
        (["EMPTY", "B"], "b", false), (["EMPTY", "C"], "m", true), (["EMPTY", "MESSAGE"], "m", false),
    ])
    func `the first of several payload fields that is there and not empty counts`(
        fields: [String], payload: String, isOther: Bool
    ) async throws {
        let entry = """
            __REALTIME_TIMESTAMP=1700000000000001
            __MONOTONIC_TIMESTAMP=1
            _BOOT_ID=11111111111111111111111111111111
            SUBSYSTEM=com.example.shop
            MESSAGE=m
            EMPTY=
            B=b
            """
        try await JournalFixture.withJournal(of: [entry]) { folder in
            var rule = SourceRule.subsystem("com.example.shop")
            rule.payloadFields = fields.map { ExactString($0) }
            let batch = JournalSession(folder, rules: [rule]).readAll()
            #expect(batch.messages == [payload])
            #expect(batch.entries.map(\.flaws) == [isOther ? .otherField : []])
        }
    }

    @Test func `a subsystem without a payload is damaged`() async throws {
        let damaged = try await read(rules: [.subsystem("*", category: "damaged")])
        #expect(damaged.entries.map(\.flaws) == [.damaged])
        #expect(damaged.messages == [""])
    }

    @Test func `a part of a line that journald split is flagged`() async throws {
        let batch = try await read(rules: [.subsystem("*", category: "split")])
        #expect(batch.entries.map(\.flaws) == [.split])
    }

    @Test func `what follows a part of a line in the same stream is flagged, also by other rules and in another batch`()
        async throws
    {
        let entries = [
            ("s1", "a", "line-max"), ("s2", "b", ""), ("s1", "c", "pid-change"), ("s1", "d", ""), ("s1", "e", "nul"),
            ("s1", "f", "eof"),
        ]
        let text = entries.enumerated().map { number, entry in
            """
            __REALTIME_TIMESTAMP=\(1_700_000_000_000_001 + number)
            __MONOTONIC_TIMESTAMP=\(number + 1)
            _BOOT_ID=11111111111111111111111111111111
            SUBSYSTEM=com.example.shop
            _STREAM_ID=\(entry.0)
            MESSAGE=\(entry.1)\(entry.2.isEmpty ? "" : "\n_LINE_BREAK=\(entry.2)")
            """
        }.joined(separator: "\n\n")
        try await JournalFixture.withJournal(of: [text]) { folder in
            let session = JournalSession(folder, rules: [.subsystem("none")])
            let one = BatchLimit(maximumEntriesRead: 1, maximumEvents: .max, maximumEventBytes: .max)
            #expect(session.read(one).entries.isEmpty)
            session.setRules([.subsystem("*")])
            let batch = session.readAll()
            #expect(batch.messages == ["b", "c", "d", "e", "f"])
            #expect(batch.entries.map(\.flaws) == [[], [.split, .continued], .continued, [], []])
        }
    }

    @Test func `a part of a container's line is flagged`() async throws {
        let entries = [("a", "true"), ("b", "false"), ("c", "")].enumerated().map { number, entry in
            """
            __REALTIME_TIMESTAMP=\(1_700_000_000_000_001 + number)
            __MONOTONIC_TIMESTAMP=\(number + 1)
            _BOOT_ID=11111111111111111111111111111111
            SUBSYSTEM=com.example.shop
            MESSAGE=\(entry.0)\(entry.1.isEmpty ? "" : "\nCONTAINER_PARTIAL_MESSAGE=\(entry.1)")
            """
        }
        try await JournalFixture.withJournal(of: [entries.joined(separator: "\n\n")]) { folder in
            let batch = JournalSession(folder, rules: [.subsystem("*")]).readAll()
            #expect(batch.messages == ["a", "b", "c"])
            #expect(batch.entries.map(\.flaws) == [.split, [], []])
        }
    }

    @Test func `a payload beyond the field limit is cut and flagged`() async throws {
        let rules = [SourceRule.match(["A": "b"], as: .init(subsystem: "s", category: "c"))]
        let cut = try await read(rules: rules, maximumFieldBytes: 7)
        #expect(cut.messages == ["nothing"])
        #expect(cut.entries.map(\.flaws) == [.cut])
        let whole = try await read(rules: rules, maximumFieldBytes: 28)
        #expect(whole.messages == ["nothing that a rule asks for"])
        #expect(whole.entries.map(\.flaws) == [[]])
    }

    @Test(.timeLimit(.minutes(1))) func `more names than there is room for are damage, and the next entry is read`()
        async throws
    {
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder()
            let names = (0..<1100).map { Array("_HOSTNAME=\($0)\(String(repeating: "x", count: 1000))".utf8) }
            for number in 1...3 {
                builder.add((number == 2 ? names : []) + [Array("SUBSYSTEM=s".utf8), Array("MESSAGE=\(number)".utf8)])
                // They are looked up by their place from the second entry on that has them.
                if number == 2 { builder.add(names) }
            }
            try Data(builder.bytes).write(to: folder.appending(path: "system.journal"))
            let batch = JournalSession(folder).readAll()
            #expect(batch.entriesRead == 4 && batch.messages.contains("1") && batch.messages.contains("3"))
        }
    }

    @Test func `a subsystem of a megabyte is cut and flagged`() async throws {
        let text = """
            __REALTIME_TIMESTAMP=1700000000000001
            __MONOTONIC_TIMESTAMP=1
            _BOOT_ID=11111111111111111111111111111111
            SUBSYSTEM=\(String(repeating: "s", count: 1 << 20))
            MESSAGE=m
            """
        try await JournalFixture.withJournal(of: [text]) { folder in
            let batch = JournalSession(folder).readAll()
            #expect(batch.entries.map(\.origin.subsystem.utf8.count) == [1024])
            #expect(batch.entries.map(\.flaws) == [.senderCut])
        }
    }

    @Test func `only a name that an entry has is flagged when it is cut, or when there is no room for it`() async throws
    {
        func long(_ field: String) -> String { "\(field)=\(String(repeating: "x", count: 2000))" }
        let entries = [
            [long("SUBSYSTEM"), "N=named"], ["SUBSYSTEM=s", long("SUBSYSTEM"), "N=twice"],
            ["SUBSYSTEM=s", long("KEY"), "N=key"],
        ].enumerated().map { number, fields in
            """
            __REALTIME_TIMESTAMP=\(1_700_000_000_000_001 + number)
            __MONOTONIC_TIMESTAMP=\(number + 1)
            _BOOT_ID=11111111111111111111111111111111
            MESSAGE=m
            \(fields.joined(separator: "\n"))
            """
        }
        try await JournalFixture.withJournal(of: [entries.joined(separator: "\n\n")]) { folder in
            var named = SourceRule.match(["N": "named"], as: .init(subsystem: "a", category: "b"))
            named.keyFields = ["KEY"]
            var twice = SourceRule.subsystem("s")
            twice.keyFields = ["KEY"]
            let batch = JournalSession(folder, rules: [named, twice]).readAll()
            #expect(batch.entries.map(\.origin.subsystem) == ["a", "s", "s"])
            #expect(batch.entries.map(\.flaws) == [[], [], .senderCut])
        }
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder()
            let names = (0..<8).map { Array("SYSLOG_IDENTIFIER=\($0)\(String(repeating: "x", count: 1023))".utf8) }
            let fields = names + [Array("KEY=k".utf8), Array("SUBSYSTEM=s".utf8), Array("MESSAGE=m".utf8)]
            // From the third entry on, the identifiers are looked up by their places, and take no room.
            for _ in 1...3 { builder.add(fields) }
            try Data(builder.bytes).write(to: folder.appending(path: "system.journal"))
            var rule = SourceRule.match(["SYSLOG_IDENTIFIER": "*"], as: .init(subsystem: "a", category: "b"))
            rule.keyFields = ["KEY"]
            let batch = JournalSession(folder, rules: [rule]).readAll()
            #expect(batch.entries.map(\.flaws) == [.senderCut, .senderCut, []])
            #expect(batch.entries.map(\.origin.keyFields.text) == ["", "", "KEY=k"])
        }
    }

    @Test func `entries of one origin share one object`() async throws {
        let batch = try await read("next-boot.txt", rules: [.subsystem("*")])
        #expect(batch.entries.count == 2)
        #expect(batch.entries[0].origin === batch.entries[1].origin)
    }

    @Test func `what journald did not store is a gap, whatever the rules say`() async throws {
        let batch = try await read("loss.txt", rules: [])
        #expect(batch.entries.isEmpty)
        #expect(batch.gaps.map(\.count) == [42, 7])
        #expect(batch.gaps.allSatisfy { $0.cause == .rateLimited && $0.entryIndex == 0 })
        #expect(batch.gaps[0].realtimeMicroseconds == 1_700_000_000_000_001)
        #expect(batch.gaps[0].message == "journald: Suppressed 42 messages from shop.service")
    }

    @Test func `a message of loss that a rule takes is an event as well`() async throws {
        let batch = try await read(
            "loss.txt", rules: [.match(["N_DROPPED": "*"], as: .init(subsystem: "journald", category: "loss"))])
        #expect(batch.messages == ["Suppressed 42 messages from shop.service", "a forged one"])
        #expect(batch.gaps.map(\.entryIndex) == [0, 1])
    }
}
