import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct KeyColumnTests {
    @Test func `what events have for a key is the same from blocks and from open events`() throws {
        var found = 0
        for seed in FuzzBudget.seeds(6) {
            var random = SeededGenerator(seed: seed)
            let oracle = PredicateOracle(count: 150, &random)
            let content = try #require(try oracle.packed()).content()
            let queue = try oracle.openEvents()
            for _ in 0..<60 {
                let key = Self.key(&random)
                let selection = oracle.events.indices.filter { _ in random.next() % 3 > 0 }
                let wanted = try selection.map { try oracle.keyTexts(oracle.events[$0], key) }
                let packed = try KeyColumn(key, of: content, among: selection, zone: .fixed(seconds: 3600))
                #expect(selection.map(packed.texts) == wanted, "seed \(seed): \(key)")
                let open = try queue.read { db in
                    try KeyColumn(
                        key, of: OpenEvents(db, ids: 1 ... .max), among: selection, zone: .fixed(seconds: 3600))
                }
                #expect(selection.map(open.texts) == wanted, "seed \(seed), open: \(key)")
                found += wanted.count { !$0.isEmpty }
            }
        }
        #expect(found > 1000)
    }

    @Test(arguments: [Predicate.TextKey.violationParameter, .warningParameter, .sender(.category), .eventCategory])
    func `an empty name of a parameter is a value, and no other empty text`(key: Predicate.TextKey) throws {
        let event = Event(
            id: 1, origin: .sample(category: ""), level: .info, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1, entryHash: 1, resolution: .violating,
            kind: EventKind(dictionary: "shop", definitionsVersion: nil, key: EventKey(category: "", name: "n")),
            findings: Findings(
                violations: [Violation("", .unknownParameter(found: .null))], warnings: [.duplicateKey("")]),
            payload: Array(#"{"":1,"":null}"#.utf8))
        var packer = BlockPacker()
        packer.append(event)
        let content = try #require(try packer.packed(by: BlockFrames())).content()
        let isValue = key.table == .findings
        let column = try KeyColumn(.text(key), of: content, among: [0], zone: .utc)
        #expect(column.texts(0) == (isValue ? [""] : []))
        #expect(try BlockMatcher(.text(key, .exists)).select(content) == (isValue ? [0] : []))
        #expect(try BlockMatcher(.text(key, .among([""]))).select(content) == [0])
    }

    private static func key(_ random: inout SeededGenerator) -> GroupKey {
        let texts: [Predicate.TextKey] = [
            .sender(.subsystem), .sender(.unit), .boot, .resolution, .dictionary, .event, .eventCategory, .eventName,
            .violationRule, .violationParameter, .warningRule,
        ]
        switch random.next() % 8 {
        case 0, 1, 2: return .text(texts.randomElement(using: &random) ?? .event)
        case 3: return .level([.level, .journalLevel, .programLevel].randomElement(using: &random) ?? .level)
        case 4: return .pid
        case 5: return .time(TimeUnit.allCases.randomElement(using: &random) ?? .hour)
        default:
            let names = ["a", "b", "dev", "dev.a", "user", "items", "v", "absent"]
            var path = Predicate.ParameterPath(names: [ExactString(names.randomElement(using: &random) ?? "a")])
            if random.next() % 3 == 0 { path.names.insert(ExactString(names.randomElement(using: &random) ?? "b")) }
            if random.next() % 3 == 0 { path.inner = [.index(Int(random.next() % 2))] }
            return .parameter(path)
        }
    }
}

extension KeyColumn {
    fileprivate func texts(_ event: Int) -> Set<String> {
        var found: [Int32] = []
        if let lists {
            found = lists[Int(numbers[event])].filter { $0 >= 0 }
        } else if numbers[event] >= 0 {
            found = [numbers[event]]
        }
        return Set(found.map { String(decoding: texts[Int($0)], as: UTF8.self) })
    }
}

extension PredicateOracle {
    /// What an event has for a key, without code of the store.
    func keyTexts(_ event: Event, _ key: GroupKey) throws -> Set<String> {
        switch key {
        case .text(let key): return Set(texts(event, key).filter { !$0.isEmpty })
        case .level(.journalLevel): return [event.level.name]
        case .level(.programLevel): return Set([event.program.level?.name].compactMap(\.self))
        case .level: return [(event.program.level ?? event.level).name]
        case .pid: return Set([event.pid.map { String($0) }].compactMap(\.self))
        case .time(let unit):
            return [String(unit.span(of: event.realtimeMicroseconds, in: .fixed(seconds: 3600)).lowerBound)]
        case .parameter(let path):
            guard let payload = payloads[event.id] else { return [] }
            let values = try path.names.flatMap { name in
                try found(name.text, in: payload).compactMap { try inner(path.inner[...], $0) }
            }
            return Set(
                values.compactMap { value in
                    switch value {
                    case .string(let text): text
                    case .other(let text): text == "null" ? nil : text
                    case .array: value.json
                    case .object: nil
                    }
                })
        }
    }
}
