import Definitions
import Model
import Predicates
import Testing

struct PredicateBinderTests {
    private static let now: UInt64 = 1_795_255_200_000_000
    private static let uid = "c264115c409ee21dbb3eac09cf10f0cd"
    private static let cursor = "s=\(uid);i=1;b=\(uid);m=2;t=ff;x=3"

    private func bind(_ text: String) throws -> Predicate {
        try PredicateBinder.bind(
            PredicateParser.parse(text), of: text, times: TimeExpression(now: Self.now, zone: .utc), Self.names(at: nil)
        )
    }

    /// - Parameter object: where payloads have parameters.
    private static func names(at object: MemberPath?) throws -> PredicateBinder.Names {
        let files = [
            ("common.md", "- app_version: !string?\n"),
            (
                "recipe.md",
                """
                # recipe

                ## tap

                - user_id: !bigint?
                    - user
                - device: Device?
                - items: Items?
                - owner: Owner?
                """
            ), ("types/items.md", "## Items\n\n- !any\n"), ("types/device.md", "## Device\n\n- os: !string?\n"),
            ("types/owner.md", "## Owner\n\n- id: !string?\n    - user\n"),
        ]
        var options = DictionaryOptions(name: "shop", path: "definitions")
        options.layout.parametersAt = object
        return PredicateBinder.Names([
            try DictionaryParser.parse(
                files.map { DefinitionFile(name: $0, bytes: Array($1.utf8)) }, options: options
            ).dictionary
        ])
    }

    @Test func `parameters stand where the settings say`() throws {
        let names = try Self.names(at: MemberPath("properties"))
        func bind(_ text: String, _ others: PredicateBinder.Names? = nil) throws -> Predicate {
            try PredicateBinder.bind(
                PredicateParser.parse(text), of: text, times: TimeExpression(now: 1, zone: .utc), others ?? names)
        }
        #expect(try bind("user_id = 4") == .parameter(.init(names: ["properties.user_id"]), .among(["4"])))
        #expect(try bind("device.os = 17") == .parameter(.init(names: ["properties.device.os"]), .among(["17"])))
        #expect(
            try bind("exists items[1].price")
                == .parameter(.init(names: ["properties.items"], inner: [.index(1), .member("price")]), .exists))
        #expect(
            try bind("user = 4")
                == .parameter(.init(names: ["properties.user_id", "properties.owner.id"]), .among(["4"])))
        #expect(try bind("app_version = 4") == .parameter(.init(names: ["app_version"]), .among(["4"])))
        #expect(
            try bind("app_version = 4", Self.names(at: MemberPath("a.b.c")))
                == .parameter(.init(names: ["app_version", "a.app_version", "a.b.app_version"]), .among(["4"])))
        #expect(try bind("payload.user_id = 4") == .parameter(.init(names: ["user_id"]), .among(["4"])))
        #expect(names.all.isSuperset(of: ["user_id", "device", "device.os", "owner.id", "items", "app_version"]))
        #expect(!names.all.contains("os"))
        let error = #expect(throws: PredicateError.self) { try bind("os = 17") }
        #expect(error?.reason.contains("no defined parameter os; did you mean device.os?") == true)
        // A member of a type is no parameter.
        #expect(throws: PredicateError.self) { try bind("os = 17") }
    }

    @Test(
        arguments: [
            ("level >= error", Predicate.number(.level, 0...3)), ("level < error", .number(.level, 4 ... .max)),
            ("type=error", .number(.level, 3...3)), ("level >= Fatal", .number(.level, 0...2)),
            ("level > emerg", .nothing),
            ("pid in {1, 2}", .any([.number(.pid, 1...1), .number(.pid, 2...2)])),
            ("id != 3", .not(.number(.id, 3...3))),
            ("time >= -5m", .number(.time, 1_795_254_900_000_000 ... .max)), ("id < 0", .nothing),
            ("time < @1795255200", .number(.time, 0...1_795_255_199_999_999)),
            ("exists program_time", .number(.programTime, 0 ... .max)),
            (
                "s=com.x and c=a|b",
                .all([.text(.sender(.subsystem), .among(["com.x"])), .text(.sender(.category), .among(["a", "b"]))])
            ),
            ("subsystem like com.*", .text(.sender(.subsystem), .matches(.like, "com.*"))),
            ("m:x", .message(.matches(.contains, "x"))), ("event == a/b", .text(.event, .among(["a/b"]))),
            ("violation.rule == missing", .text(.violationRule, .among(["missing"]))),
            ("resolution ==[c] Plain", .text(.resolution, .among(["Plain"], ignoresCase: true))),
            ("user == 42", .parameter(.init(names: ["user_id", "owner.id"]), .among(["42"]))),
            ("payload.x.y < 5", .parameter(.init(names: ["x.y"]), .ordered(.less, "5"))),
            (
                "items[2].price exists",
                .parameter(.init(names: ["items"], inner: [.index(2), .member("price")]), .exists)
            ),
            ("payload.a[0][1]=x", .parameter(.init(names: ["a"], inner: [.index(0), .index(1)]), .among(["x"]))),
            ("device.os == 17", .parameter(.init(names: ["device.os"]), .among(["17"]))),
            (#""level" == x"#, nil), ("usr_id = 3", nil), ("level = loud", nil), ("level contains err", nil),
            ("event = recipe", nil), ("resolution = good", nil), ("time > soon", nil), ("pid = -1", nil),
            ("device = x", nil), ("os = x", nil),
            ("user != nil", nil), ("user = NULL", nil), ("level <= 3", nil), ("level = 3", .number(.level, 3...3)),
            (#"payload.x = "nil""#, .parameter(.init(names: ["x"]), .among(["nil"]))), ("pid =[c] 1", nil),
            (
                "boot = 5F1D0C9A-5C9F-4A0B-A1C3-F1D2E3B4A596",
                .text(.boot, .among(["5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596"]))
            ), ("boot = 5f1d", nil),
            ("payload.x > 10M", nil), ("payload.x > 10K", nil), ("payload.x > 10kg", nil),
            (#"payload.x > "10kg""#, .parameter(.init(names: ["x"]), .ordered(.greater, "10kg"))),
            ("payload.x > 10mb", .parameter(.init(names: ["x"]), .ordered(.greater, "10mb"))),
            ("payload.x > 1h30m", .parameter(.init(names: ["x"]), .ordered(.greater, "1h30m"))),
            ("subsystem like com.x", .text(.sender(.subsystem), .among(["com.x"]))),
            ("payload.x like *\(String(repeating: "a", count: 300))?*", nil),
            ("subsystem = com.*", nil), ("payload.x < 1|2", nil), ("payload. = 1", nil), ("payload.x <[c] 1", nil),
            ("violation.rule = mising", nil),
            ("uid in {\(uid), \(uid)}", .identity(.uids([EventUID(uid)!]))),
            ("uid != \(uid)", .not(.identity(.uids([EventUID(uid)!])))), ("exists uid", nil),
            ("uid < \(uid)", nil), ("uid like \(uid)", nil), ("uid ==[c] \(uid)", nil), ("uid == 42", nil),
            (
                "cursor == '\(cursor)'",
                .any([.all([.number(.time, 255...255), .identity(.cursor(JournalCursor(cursor)!))])])
            ), ("cursor == 's=1'", nil),
        ] as [(String, Predicate?)])
    func `keys and values have their meaning`(text: String, expected: Predicate?) {
        #expect((try? bind(text)) == expected)
    }

    @Test(arguments: [
        (
            "level >= info and usr_id = 3", "there is no key and no defined parameter usr_id; did you mean user_id?",
            18..<24
        ),
        ("subsytem = x", "there is no key and no defined parameter subsytem; did you mean subsystem?", 0..<8),
        ("zzz = x", "there is no key and no defined parameter zzz; payload.zzz asks for a parameter", 0..<3),
        (
            "_SYSTEMD_UNIT=shop.service",
            "there is no key and no defined parameter _SYSTEMD_UNIT; write unit for this journal field", 0..<13
        ), ("PRIORITY=3", "there is no key and no defined parameter PRIORITY; write level for this", 0..<8),
        (
            "SYSLOG_IDENTIFIER=shop", "there is no key and no defined parameter SYSLOG_IDENTIFIER; write identifier",
            0..<17
        ),
        (
            "_EXE=/bin/sh",
            "there is no key and no defined parameter _EXE; journal._EXE asks for a journal field, and payload._EXE asks",
            0..<4
        ), ("USER_ID=3", "there is no key and no defined parameter USER_ID; did you mean user_id? payload", 0..<7),
        ("level = loud", "a level is one of emerg, alert,", 8..<12),
        ("time > soon", "not a time; write one such as", 7..<11),
        ("time > 5m", "this is a length of time, not a time; write -5m", 7..<9),
        ("subsystem = com.*", "write like for a value with wildcards", 12..<17),
        ("resolution = good", "resolution is one of resolved, violating", 13..<17),
        ("resolution > violating", "resolution has no order: write == or in instead of >", 0..<10),
        (".usr_id = 3", "there is no key and no defined parameter usr_id; did you mean user_id?", 0..<7),
        ("device = x", "no definition has a parameter with the role device", 0..<6),
        ("payload..a = 3", "expected the name of a parameter", 0..<10), ("user != nil", "write exists user", 8..<11),
        ("user == null", "write not exists user", 8..<12),
        ("level <= 3", "levels are compared by name: write err", 9..<10),
        ("payload.x > 10M", "M may be minutes, months or megabytes", 12..<15),
        ("uid == 42", "a uid has 32 hexadecimal digits", 7..<9),
        ("uid > 42", "uid is compared by ==, != and in", 0..<3),
        ("cursor == 42", "a cursor is s=…;i=…;b=…", 10..<12),
    ])
    func `an error names the likely, and the place`(text: String, reason: String, range: Range<Int>) {
        let error = #expect(throws: PredicateError.self) { try bind(text) }
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
        #expect(error?.range == range)
    }

    @Test(arguments: [
        ("level = eror", true), ("level >= 'eror'", true), ("level >= eror", false), ("level < 8", false),
    ])
    func `numbers of levels are offered only where they are understood`(text: String, isOffered: Bool) {
        let error = #expect(throws: PredicateError.self) { try bind(text) }
        #expect(error?.reason.hasSuffix("debug" + (isOffered ? ", or 0 to 7" : "")) == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [
        ("tiem", nil), ("huor", "hour"), ("levle", "level"), ("curso", nil), ("usr_id", "user_id"), ("_EXE", nil),
    ])
    func `only what events can be grouped by is suggested for it`(key: String, near: String?) {
        let error = #expect(throws: PredicateError.self) { try PredicateBinder.groupKey(key, Self.names(at: nil)) }
        let hint = near.map { "did you mean \($0)? " } ?? ""
        let reason = "there is no key and no defined parameter \(key); \(hint)payload.\(key) asks for"
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `only parameters are suggested where a parameter is expected`() {
        let error = #expect(throws: PredicateError.self) { try PredicateBinder.parameter("levle", Self.names(at: nil)) }
        #expect(error?.reason.contains("did you mean") == false, "\(error?.reason ?? "")")
    }

    @Test(arguments: ["pid not in {1, 2}", "cursor != '\(cursor)'", "message not contains x|y"])
    func `every condition can stand in as many parentheses as there may be`(condition: String) throws {
        let open = String(repeating: "pid = 1 or pid = 2 and (", count: 64)
        let close = String(repeating: ")", count: 64)
        _ = try bind("\(open)pid = 1 or pid = 2 and \(condition)\(close)")
    }

    @Test func `times become absolute where they are written`() throws {
        let text = #"time > "-5m" and level = err or program_time in {now, '2026-11-21 10:00'}"#
        let times = TimeExpression(now: Self.now, zone: .utc)
        let absolute = try PredicateParser.parse(text).withAbsoluteTimes(text, times)
        #expect(
            absolute
                == #"time > "@1795254900.000000" and level = err or program_time in {"@1795255200.000000", "@1795255200.000000"}"#
        )
        #expect(try bind(absolute) == bind(text))
    }

    @Test func `every example of a key is a predicate`() throws {
        for key in PredicateKey.allCases where key.name != "device" { _ = try bind(key.example) }
    }
}
