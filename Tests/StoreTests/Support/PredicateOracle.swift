import GRDB
import Model
import TestSupport

@testable import Store

/// Events that are known without reading their payloads, random predicates, and what these mean, event by event, without code
/// of the store.
struct PredicateOracle {
    /// A value in a payload.
    indirect enum Value {
        case string(String)
        /// Its JSON text.
        case other(String)
        case array([Value])
        case object([(String, Value)])

        var json: String {
            switch self {
            case .string(let text):
                "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("é", with: "\\u00e9"))\""
            case .other(let text): text
            case .array(let values): "[\(values.map(\.json).joined(separator: ","))]"
            case .object(let members): "{\(members.map { "\"\($0)\":\($1.json)" }.joined(separator: ","))}"
            }
        }
    }

    private(set) var events: [Event] = []
    private(set) var payloads: [Int64: Value] = [:]

    private static let names = ["a", "b", "user", "dev", "items", "v"]
    private static let values: [Value] = [
        .string("x"), .string("X y"), .string("25.4"), .string("25.10"), .string("v25.4.0"), .string("25.4-beta"),
        .string("É\"q\\"), .string("é\"q\\"), .string(""), .string("10KB"), .string("1.5s"), .string("夕食"),
        .other("1e400"),
        .string("-5"),
        .string("2026-11-21"), .other("1"), .other("-5"), .other("2.5"), .other("1e3"), .other("9007199254740993"),
        .other("9007199254740992"), .other("true"), .other("null"), .other("10000"), .string("17"), .other("17"),
    ]

    init(count: Int, _ random: inout SeededGenerator) {
        for number in 1...count {
            let resolution = Resolution.allCases.randomElement(using: &random) ?? .plain
            let id = Int64(number)
            let value = Self.object(&random, depth: 0)
            if resolution.hasPayload { payloads[id] = value }
            let line = "user said \(["x", "X y", "夕食", ""].randomElement(using: &random) ?? "")"
            let rules = [
                Violation("a", .unknownParameter(found: .string)),
                Violation("b", .missing(type: "integer", found: nil)),
            ]
            let origin = Origin(
                [
                    .subsystem: ["com.a", "com.B", ""].randomElement(using: &random) ?? "", .category: "c\(number % 3)",
                    .host: "web", .unit: number % 2 == 0 ? "shop.service" : nil,
                ], bootID: ID128(high: .max, low: UInt64(number % 2)), seqnumID: ID128(high: 3, low: 4), source: "test")
            let text =
                resolution.hasPayload && number % 5 == 0
                ? MessageText(Array("INFO  \(line)".utf8), payloadPlace: 5) : nil
            events.append(
                Event(
                    id: id, origin: origin, level: Level.allCases.randomElement(using: &random) ?? .info,
                    pid: number % 3 == 0 ? nil : Int32(number % 7), seqnum: UInt64(number),
                    monotonicMicroseconds: UInt64(number),
                    realtimeMicroseconds: 1_790_000_000_000_000 + UInt64(number / 2),
                    entryHash: 1, resolution: resolution,
                    kind: EventKind(
                        dictionary: number % 4 == 0 ? nil : "shop",
                        definitionsVersion: number % 3 == 0 ? "00000000000000\(10 + number % 2)" : nil,
                        key: [.plain, .malformed, .unkeyed].contains(resolution)
                            ? nil : EventKey(category: "c", name: "n\(number % 4)")),
                    findings: resolution == .violating
                        ? Findings(
                            violations: Array(rules.shuffled(using: &random).prefix(1 + number % 2)), warnings: [.cut])
                        : resolution == .malformed ? Findings(reason: "byte \(number % 3): expected a value") : nil,
                    payload: Array((resolution.hasPayload ? value.json : line).utf8), text: text,
                    program: ProgramFacts(
                        level: number % 6 == 0 ? .crit : nil,
                        timeMicroseconds: number % 5 == 0 ? 1_790_000_000_000_000 + UInt64(number) : nil)))
        }
    }

    private static func object(_ random: inout SeededGenerator, depth: Int) -> Value {
        let names = names.shuffled(using: &random).prefix(Int(random.next() % 4))
        return .object(names.map { ($0, value(&random, depth: depth + 1)) })
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> Value {
        switch random.next() % (depth > 2 ? 4 : 7) {
        case 4: .array((0..<random.next() % 4).map { _ in value(&random, depth: depth + 1) })
        case 5: object(&random, depth: depth)
        default: values.randomElement(using: &random) ?? .other("1")
        }
    }

    // MARK: predicates

    func predicate(_ random: inout SeededGenerator, depth: Int = 0) -> Predicate {
        switch random.next() % (depth > 3 ? 6 : 10) {
        case 6: .all((0..<random.next() % 4).map { _ in predicate(&random, depth: depth + 1) })
        case 7: .any((0..<random.next() % 4).map { _ in predicate(&random, depth: depth + 1) })
        case 8, 9: .not(predicate(&random, depth: depth + 1))
        default: condition(&random)
        }
    }

    private func condition(_ random: inout SeededGenerator) -> Predicate {
        let number = Int64(random.next() % UInt64(events.count + 2))
        switch random.next() % 10 {
        case 5:
            let event = events[Int(number) % events.count]
            var other = event
            other.ordinal = 9
            return random.next() % 2 == 0
                ? .identity(.cursor(event.cursor)) : .identity(.uids([event.uid, other.uid]))
        case 0:
            let key = Predicate.NumberKey.allCases.randomElement(using: &random) ?? .id
            let start: Int64 = key == .time || key == .programTime ? 1_790_000_000_000_000 : 0
            let first = start + (key.isLevel || key == .pid ? number % 8 : number)
            return .number(key, first...(Bool.random(using: &random) ? first + number % 9 : .max))
        case 1, 2:
            let keys: [Predicate.TextKey] = [
                .sender(.subsystem), .sender(.unit), .boot, .resolution, .dictionary, .definitions, .event,
                .eventCategory,
                .eventName,
                .violationRule, .violationParameter, .warningRule, .warningParameter, .reason,
            ]
            let texts = [
                "com.a", "com.b", "", "shop.service", ID128(high: .max, low: 1).description, "violating", "plain",
                "shop",
                "c/n1", "c",
                "n2", "missing", "a", "cut", "absent", "byte 1: expected a value", "byte",
            ]
            return .text(keys.randomElement(using: &random) ?? .event, test(texts, &random))
        case 4: return .journal("N", test(["x", "1", "4", "absent", ""], &random))
        case 3: return .message(test(["said x", "X Y", "夕食", "\"a\":", "INFO {", "", "25.4", "é"], &random))
        default:
            let texts = Self.values.map { value in
                switch value {
                case .string(let text), .other(let text): text
                default: value.json
                }
            }
            let paths = ["a", "b", "dev", "dev.a", "user", "items", "v", "dev.dev", "absent"]
            var path = Predicate.ParameterPath(names: [ExactString(paths.randomElement(using: &random) ?? "a")])
            if random.next() % 4 == 0 { path.names.insert("v") }
            if random.next() % 4 == 0 { path.inner = [.index(Int(random.next() % 2))] }
            if random.next() % 12 == 0 { path.inner = [.index(0), .member("a")] }
            return .parameter(path, test(texts + ["[1]", "{}", "{\"a\":1}", "20KB", "1s", "25", "10.0"], &random))
        }
    }

    private func test(_ texts: [String], _ random: inout SeededGenerator) -> TextTest {
        func text() -> String { texts.randomElement(using: &random) ?? "" }
        let ignoresCase = random.next() % 3 == 0
        switch random.next() % 5 {
        case 0: return .exists
        case 1: return .among(Set(exact: (0..<1 + random.next() % 3).map { _ in text() }), ignoresCase: ignoresCase)
        case 2: return .ordered(TextTest.Order.allCases.randomElement(using: &random) ?? .less, ExactString(text()))
        default:
            let match = TextTest.Match.allCases.randomElement(using: &random) ?? .contains
            var part = String(text().prefix(Int(random.next() % 4) + 1))
            if match == .like {
                part = [part + "*", "*" + part, "?" + part.dropFirst(), part].randomElement(using: &random) ?? part
            }
            if match == .matches {
                part = NSRegularExpressionText.escaped(part) + ["", ".", "$"][Int(random.next() % 3)]
            }
            return .matches(match, ExactString(part), ignoresCase: ignoresCase)
        }
    }

    // MARK: stored

    /// The events as a block.
    func packed() throws -> PackedBlock? {
        var packer = BlockPacker()
        for event in events { packer.append(event) }
        return try packer.packed(by: BlockFrames())
    }

    /// A database that has the events, and no block.
    func openEvents() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: OpenEventTable.schema)
            try OpenEventTable.replaceAll(by: events, db)
        }
        return queue
    }

    // MARK: journal

    /// A journal that has a part of the entries, with two values for a field.
    struct Journal: JournalFieldSource {
        static func values(_ number: UInt64) -> [String] { number % 2 == 0 ? ["x", "\(number % 9)"] : [] }

        func forEachValue(
            of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
            _ body: (Int, UnsafeRawBufferPointer) throws -> Void
        ) throws {
            for (entry, place) in places.enumerated() where isWanted() {
                for value in Self.values(place.cursor.seqnum) {
                    try Array(value.utf8).withUnsafeBytes { try body(entry, $0) }
                }
            }
        }
    }

    // MARK: meaning

    func meets(_ event: Event, _ predicate: Predicate) throws -> Bool {
        switch predicate {
        case .all(let parts): return try parts.allSatisfy { try meets(event, $0) }
        case .any(let parts): return try parts.contains { try meets(event, $0) }
        case .not(let part): return try !meets(event, part)
        case .number(let key, let range):
            let number: Int64? =
                switch key {
                case .id: event.id
                case .time: Int64(event.realtimeMicroseconds)
                case .programTime: event.program.timeMicroseconds.map { Int64($0) }
                case .level: Int64((event.program.level ?? event.level).rawValue)
                case .journalLevel: Int64(event.level.rawValue)
                case .programLevel: event.program.level.map { Int64($0.rawValue) }
                case .pid: event.pid.map { Int64($0) }
                }
            return number.map(range.contains) ?? false
        case .identity(.uids(let uids)): return uids.contains(event.uid)
        case .identity(.cursor(let cursor)): return event.cursor.description == cursor.description
        case .text(let key, let test):
            return try texts(event, key).contains { try test == .exists ? !$0.isEmpty : passes(.string($0), test) }
        case .journal(_, let test):
            return try Journal.values(event.seqnum).contains { try passes(.string($0), test) }
        case .message(let test):
            let texts = [event.message] + (event.text == nil ? [] : [event.payload])
            return try test == .exists
                || texts.contains { try passes(.string(String(decoding: $0, as: UTF8.self)), test) }
        case .parameter(let path, let test):
            guard let payload = payloads[event.id] else { return false }
            return try path.names.contains { name in
                try found(name.text, in: payload).contains { value in
                    guard !path.inner.isEmpty else { return try passes(value, test) }
                    return try inner(path.inner[...], value).map { try passes($0, test) } ?? false
                }
            }
        }
    }

    func texts(_ event: Event, _ key: Predicate.TextKey) -> [String] {
        switch key {
        case .sender(let field): [event.origin[field]].compactMap { $0 }
        case .boot: [event.origin.bootID.description]
        case .resolution: [event.resolution.rawValue]
        case .dictionary: [event.kind.dictionary].compactMap { $0 }
        case .definitions: [event.kind.definitionsVersion].compactMap { $0 }
        case .event: [event.kind.key?.description].compactMap { $0 }
        case .eventCategory: [event.kind.key?.category].compactMap { $0 }
        case .eventName: [event.kind.key?.name].compactMap { $0 }
        case .violationRule: event.findings?.violations.map(\.rule.rawValue) ?? []
        case .violationParameter: event.findings?.violations.map(\.parameter) ?? []
        case .warningRule: event.findings?.warnings.map(\.rule.rawValue) ?? []
        case .warningParameter: event.findings?.warnings.compactMap(\.parameter) ?? []
        case .reason: [event.findings?.reason].compactMap { $0 }
        }
    }

    func found(_ path: String, in value: Value) -> [Value] {
        guard case .object(let members) = value else { return [] }
        return members.flatMap { name, value in
            if name == path { return [value] }
            return path.hasPrefix(name + ".") ? found(String(path.dropFirst(name.count + 1)), in: value) : []
        }
    }

    func inner(_ steps: ArraySlice<Predicate.ParameterPath.Step>, _ value: Value) throws -> Value? {
        guard let step = steps.first else { return value }
        switch (step, value) {
        case (.index(let index), .array(let values)) where index < values.count:
            return try inner(steps.dropFirst(), values[index])
        case (.member(let name), .object(let members)):
            return try members.last { $0.0 == name.text }.flatMap { try inner(steps.dropFirst(), $0.1) }
        default: return nil
        }
    }

    private func hasLeaf(_ value: Value) -> Bool {
        switch value {
        case .object(let members): members.contains { hasLeaf($0.1) }
        case .other("null"): false
        default: true
        }
    }

    private func passes(_ value: Value, _ test: TextTest) throws -> Bool {
        var text = value.json
        if case .string(let string) = value { text = string }
        var isObject = false
        if case .object = value { isObject = true }
        switch test {
        case .exists: return hasLeaf(value)
        case .among(let texts, let ignoresCase):
            return texts.contains { folded($0.text, ignoresCase) == folded(text, ignoresCase) }
        case .ordered(let order, let other): return ordered(value, order, other.text)
        case .number(let number):
            if case .string = value { return Double(text.split(separator: " ").joined()) == number }
            return text == "true" ? number == 1 : text == "false" ? number == 0 : Double(text) == number
        case .matches(.contains, let part, let ignoresCase):
            if case .array(let values) = value {
                return try values.contains { try passes($0, .among([part], ignoresCase: ignoresCase)) }
            }
            return !isObject
                && (part.text.isEmpty || folded(text, ignoresCase).contains(folded(part.text, ignoresCase)))
        case .matches(.beginsWith, let part, let ignoresCase):
            return !isObject && folded(text, ignoresCase).starts(with: folded(part.text, ignoresCase))
        case .matches(.endsWith, let part, let ignoresCase):
            return !isObject
                && folded(text, ignoresCase).reversed().starts(with: folded(part.text, ignoresCase).reversed())
        case .matches(.like, let glob, let ignoresCase):
            let pattern = folded(glob.text, ignoresCase).map { letter in
                letter == "*" ? ".*" : letter == "?" ? "." : NSRegularExpressionText.escaped(String(letter))
            }.joined()
            return try !isObject
                && String(String.UnicodeScalarView(folded(text, ignoresCase))).wholeMatch(of: regex("(?s)" + pattern))
                    != nil
        case .matches(.matches, let pattern, let ignoresCase):
            return try !isObject && text.firstMatch(of: regex((ignoresCase ? "(?i)" : "") + pattern.text)) != nil
        }
    }

    private func regex(_ text: String) throws -> Regex<AnyRegexOutput> {
        try Regex(text).matchingSemantics(.unicodeScalar)
    }

    private func folded(_ text: String, _ ignoresCase: Bool) -> [Unicode.Scalar] {
        Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
    }

    private func ordered(_ value: Value, _ order: TextTest.Order, _ other: String) -> Bool {
        func holds<Item: Comparable>(_ one: Item?, _ other: Item?) -> Bool {
            guard let one, let other else { return false }
            return switch order {
            case .less: one < other
            case .atMost: one <= other
            case .greater: one > other
            case .atLeast: one >= other
            }
        }
        // By hand, for the texts of this test.
        let measures = ["10KB": 10_000.0, "20KB": 20_000, "1.5s": 1.5, "1s": 1]
        let versions: [String: [Int]] = [
            "25.4": [25, 4, 0], "v25.4.0": [25, 4, 0], "25.10": [25, 10, 0], "25.4-beta": [25, 4, -1],
            "17": [17, 0, 0],
            "25": [25, 0, 0], "10.0": [10, 0, 0], "2.5": [2, 5, 0], "1": [1, 0, 0], "10000": [10_000, 0, 0],
            "9007199254740993": [9_007_199_254_740_993, 0, 0], "9007199254740992": [9_007_199_254_740_992, 0, 0],
        ]
        func version(_ text: String) -> Version? { versions[text].map(Version.init) }
        switch value {
        case .string(let text):
            if let measure = measures[other] {
                let isSameKind = text.hasSuffix("B") == other.hasSuffix("B")
                return holds(Double(text) ?? (isSameKind ? measures[text] : nil), measure)
            }
            if let one = version(text), let other = version(other) { return holds(one, other) }
            if let number = Double(other) { return holds(Double(text), number) }
            if version(other) != nil { return false }
            return holds(Bytes(text), Bytes(other))
        case .other(let text):
            guard Double(text) != nil, text != "null" else { return false }
            if let measure = measures[other] { return holds(Double(text), measure) }
            if let one = Int64(text), let other = Int64(other) { return holds(one, other) }
            if let number = Double(other) { return holds(Double(text), number) }
            return version(other).map { holds(version(text), $0) } ?? false
        case .array, .object: return false
        }
    }

    private struct Version: Comparable {
        var parts: [Int]

        static func < (one: Self, other: Self) -> Bool { one.parts.lexicographicallyPrecedes(other.parts) }
    }

    private struct Bytes: Comparable {
        var bytes: [UInt8]

        init(_ text: String) { bytes = Array(text.utf8) }

        static func < (one: Self, other: Self) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
    }
}

private enum NSRegularExpressionText {
    static func escaped(_ text: String) -> String {
        text.map { #"\^$.|?*+()[]{}"#.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
