import Model
import Predicates
import Testing

struct PredicateBinderTests {
    private static let now: UInt64 = 1_795_255_200_000_000

    private func bind(_ text: String) throws -> Predicate {
        var names = PredicateBinder.Names()
        names.parameters = ["user_id", "device", "items", "app_version"]
        names.roles = [.user: ["user_id", "owner.id"]]
        return try PredicateBinder.bind(
            PredicateParser.parse(text), of: text, times: TimeExpression(now: Self.now, zone: .utc), names)
    }

    @Test(
        arguments: [
            ("level >= error", Predicate.number(.level, 0...3)), ("level < error", .number(.level, 4 ... .max)),
            ("type=error", .number(.level, 3...3)), ("level > emerg", .nothing),
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
            ("device = x", nil),
            ("subsystem = com.*", nil), ("payload.x < 1|2", nil), ("payload. = 1", nil), ("payload.x <[c] 1", nil),
            ("violation.rule = mising", nil),
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
        ("level = loud", "a level is one of emerg, alert,", 8..<12),
        ("time > soon", "not a time; write one such as", 7..<11),
        ("subsystem = com.*", "write like for a value with wildcards", 12..<17),
        ("resolution = good", "resolution is one of resolved, violating", 13..<17),
        ("device = x", "no definition has a parameter with the role device", 0..<6),
    ])
    func `an error names the likely, and the place`(text: String, reason: String, range: Range<Int>) {
        let error = #expect(throws: PredicateError.self) { try bind(text) }
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
        #expect(error?.range == range)
    }

    @Test func `times become absolute where they are written`() throws {
        let text = #"time > "-5m" and level = err or program_time in {now, '2026-11-21 10:00'}"#
        let times = TimeExpression(now: Self.now, zone: .utc)
        let absolute = try PredicateParser.parse(text).withAbsoluteTimes(text, times)
        #expect(
            absolute
                == "time > @1795254900.000000 and level = err or program_time in {@1795255200.000000, @1795255200.000000}"
        )
        #expect(try bind(absolute) == bind(text))
    }

    @Test func `every example of a key is a predicate`() throws {
        for key in PredicateKey.allCases where key.name != "device" { _ = try bind(key.example) }
    }
}
