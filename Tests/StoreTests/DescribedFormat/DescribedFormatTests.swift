import Model
import TestSupport
import Testing

@testable import Store

/// Tests that docs/store.md is sufficient to read a store. They compare the events that were saved with those that
/// `DescribedStore` reads, which uses nothing but this description.
struct DescribedFormatTests {
    /// Runs `body` with a store that has events of every sort. Most of them are in blocks, and some were changed
    /// afterwards.
    private func withFilledStore(_ body: (DescribedStore, Journal) throws -> Void) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(Self.batch(Self.random(seed: 1, 4096), &journal), journal: "machine")
            try await store.save(Self.batch(Self.steady(4096), &journal), journal: "machine")
            let large = Array(#"{"text":"\#(String(repeating: "夕食 ", count: 200_000))"}"#.utf8)
            try await store.save(journal.single(large, resolution: .resolved), journal: "machine")
            try await store.save(Self.batch(Self.random(seed: 2, 4096), &journal), journal: "machine")
            try await store.save(Self.batch(Self.steady(40) + Self.random(seed: 3, 40), &journal), journal: "machine")
            try await store.save(Self.batch(Self.everyFinding, &journal), journal: "machine")
            let changes = [5, 6, Int64(journal.events.count)].map { id in
                ReprocessedEvent(
                    id: id, resolution: .violating,
                    kind: EventKind(dictionary: "bar", definitionsVersion: "00", key: nil),
                    findings: Self.everyFinding[0].findings, payload: Array(#"{"a":"<private>"}"#.utf8))
            }
            #expect(try await store.replace(changes) == [.violating: 3])
            for change in changes { journal.replace(change) }
            try body(DescribedStore(path: folder + "/events.sqlite"), journal)
            await store.close()
        }
    }

    @Test func `the description is sufficient to read all events byte for byte`() async throws {
        try await withFilledStore { described, journal in
            #expect(described.blocks.count > 3)
            #expect(described.openEvents.count > 40)
            #expect(same(described.events, journal.events))
            for event in described.events {
                let (boot, hash) = (event.origin.bootID, event.entryHash)
                let uid = ID128(
                    high: boot.high ^ boot.low ^ event.monotonicMicroseconds,
                    low: hash ^ DescribedHash.ofOrdinal(UInt64(event.ordinal)))
                #expect(uid.description == event.uid.description)
            }
            // A form that does not occur here is not verified.
            #expect(
                described.met == [
                    "LZ4 block", "another template", "bytes", "constant", "decimal digits", "dictionary",
                    "differences", "hexadecimal digits", "integers", "offsets", "plain", "plain texts",
                    "recent template 0", "recent template 1", "recent template 2", "recent template 3", "steps",
                    "upper hexadecimal digits", "whole", "zstd frame",
                ])
        }
    }

    @Test func `the filters as described contain all names and values of their blocks`() async throws {
        #expect(DescribedHash.hash(Array("user_id".utf8)) == 0x8194_B9D1_2CC2_8D9F)
        try await withFilledStore { described, _ in
            for (block, filters) in described.blocks {
                for event in block.events {
                    let (origin, kind) = (event.origin, event.kind)
                    var names: [(UInt64, String)] = [
                        (1, origin.subsystem), (2, origin.category), (4, origin.bootID.description),
                    ]
                    if let key = kind.key { names.append((3, "\(key.category)/\(key.name)")) }
                    if let dictionary = kind.dictionary, let version = kind.definitionsVersion {
                        names.append((5, "\(dictionary)/\(version)"))
                    }
                    #expect(names.allSatisfy { Self.mayHave($0.0, $0.1, filters) })
                }
                for (name, value) in block.parameters {
                    #expect(Self.mayHave(name, value, filters))
                }
                let wrong = (0..<1000).count { Self.mayHave(1, "org.other.\($0)", filters) }
                #expect(wrong < 60)
                let others = (0..<1000).count { Self.mayHave(Array("other".utf8), Array("\($0)".utf8), filters) }
                #expect(others < 60)
            }
            #expect(described.blocks.reduce(0) { $0 + $1.block.parameters.count } > 10_000)
        }
    }

    private static func mayHave(_ number: UInt64, _ name: String, _ filters: DescribedStore.Filters) -> Bool {
        let hash = DescribedHash.mix(DescribedHash.hash(Array(name.utf8)) ^ number)
        return DescribedHash.mayHave(hash, filter: filters.names)
    }

    private static func mayHave(_ name: [UInt8], _ value: [UInt8], _ filters: DescribedStore.Filters) -> Bool {
        // Longer names are not parameters.
        guard name.count <= 256 else { return true }
        let hash = DescribedHash.mix(DescribedHash.hash(value) ^ DescribedHash.hash(name))
        return DescribedHash.mayHave(hash, filter: filters.values)
    }

    // MARK: events

    private static func batch(_ events: [Event], _ journal: inout Journal) -> ResolvedBatch {
        var batch = ResolvedBatch(entriesRead: events.count)
        for event in events {
            let start = batch.bytes.count
            let entry = Entry(
                origin: event.origin, level: event.level, pid: event.pid, seqnum: event.seqnum,
                monotonicMicroseconds: event.monotonicMicroseconds, realtimeMicroseconds: event.realtimeMicroseconds,
                entryHash: event.entryHash, ordinal: event.ordinal, payload: start..<start + event.payload.count)
            journal.append(
                ResolvedEvent(
                    entry: entry, resolution: event.resolution, kind: event.kind, findings: event.findings,
                    text: event.text, program: event.program),
                event.payload, to: &batch)
        }
        return batch
    }

    /// Returns events of many senders and kinds, whose payloads have little in common.
    private static func random(seed: UInt64, _ count: Int) -> [Event] {
        var generator = BlockEventGenerator(seed: seed)
        var extras = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            var event = generator.next()
            event.text = extras.text()
            event.program = extras.program(around: event.realtimeMicroseconds)
            return event
        }
    }

    /// Returns events of one sender, one for each second, with payloads of a few shapes.
    private static func steady(_ count: Int) -> [Event] {
        (0..<count).map { number in
            let payload =
                switch number % 11 {
                case 0...4:
                    #"{"n":\#(number * 7 - 9000),"even":\#(number % 2 == 0),"at":{"x":\#(number),"y":[\#(number), "]"]},"#
                        + #""place":"on page \#(number % 500)",\#(digits(number))}"#
                case 5: #"{ "text" : "tea \"\#(number)\" \u5915", "n":\#(number) }"#
                case 6: #"{"n":-0,"e":1e\#(number),"nothing":null,"":{"":""}}"#
                case 7: #"{"n":1,"n":\#(number)}"#
                case 8: #"{"at.x":\#(number),"at":{"x":"\#(number)"}}"#
                case 9: #"{"at":{"x":\#(number % 3)},"k\u00e4se":[]}"#
                default: #"{"k\#(number)":[{"a":[\#(number)]}]}"#
                }
            return event(number, .undefined, Array(payload.utf8))
        }
    }

    /// Returns members whose values differ in digits only: decimal ones, more than one number of them, hexadecimal and upper case.
    private static func digits(_ number: Int) -> String {
        let hash = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
        let (trace, order) = (String(hash | 1 << 63, radix: 16), 100_000_000_000 + number * number * number)
        return #""order":"no. \#(order)-\#(order)","trace":"\#(trace)-\#(trace)","key":"\#(trace.uppercased())""#
    }

    private static func event(
        _ number: Int, _ resolution: Resolution, _ payload: [UInt8], findings: Findings? = nil
    ) -> Event {
        let key = resolution.hasPayload ? EventKey(category: "list", name: "tap") : nil
        return Event(
            id: 0, origin: .sample(), level: .info, pid: 7, seqnum: UInt64(number),
            monotonicMicroseconds: UInt64(number) * 1_000_000,
            realtimeMicroseconds: newYear + UInt64(number) * 1_000_000,
            entryHash: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, resolution: resolution,
            kind: EventKind(dictionary: "shop", definitionsVersion: "0123456789abcdef", key: key), findings: findings,
            payload: payload)
    }

    private static let everyFinding: [Event] = {
        let violations: [Violation.Fault] = [
            .missing(type: "bigint", found: nil), .missing(type: "bigint", found: .null),
            .unknownParameter(found: .object), .type("string", found: .real),
            .integer(type: "smallint", allowed: -32768...32767, excess: .larger),
            .integer(type: "bigint", allowed: .min ... .max, excess: .unknown),
            .number(type: "real", isDouble: false), .number(type: "double", isDouble: true), .time(type: "date"),
            .length(maximum: 16, found: 17), .value(allowed: ["a\"", "夕食"], hasMore: true, found: .string),
            .value(allowed: [], hasMore: false, found: .boolean),
        ]
        let all = Findings(
            violations: violations.enumerated().map { Violation("p\($0)\"", $1) },
            warnings: [
                .obsoleteEvent, .obsoleteParameter("o"), .duplicateKey("d"), .cut, .payloadField, .senderCut,
                .programLevel, .programTime,
            ],
            reason: "byte 17: expected a value")
        return [
            event(1, .violating, Array("{}".utf8), findings: all),
            event(2, .malformed, [0xFF, 0, 0x7B], findings: Findings(reason: "it has no end")),
            event(3, .plain, [], findings: Findings(warnings: [.cut])), event(4, .unkeyed, Array(" {\n} ".utf8)),
        ]
    }()
}
