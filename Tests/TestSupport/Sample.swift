package import Model

package enum Sample {
    package static let boot = ID128(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)
    /// 2026-11-21T01:00:00Z
    package static let start: UInt64 = 1_795_222_800_000_000

    package static let source = "subsystem: com.example.*"

    package static func origin(
        subsystem: String = "com.example.shop", category: String = "ActivityLog", source: String = source
    ) -> Origin {
        Origin(
            [
                .subsystem: subsystem, .category: category, .host: "web1", .identifier: "shop",
                .unit: "shop.service", .processUID: "1000",
            ], bootID: boot, seqnumID: ID128(high: 1, low: 2), source: source)
    }

    package static func cursor(_ seqnum: UInt64) -> JournalCursor {
        JournalCursor(
            seqnumID: ID128(high: 1, low: 2), seqnum: seqnum, bootID: boot, monotonicMicroseconds: seqnum * 1000,
            realtimeMicroseconds: start + seqnum * 1000)
    }

    package static func entryHash(_ seqnum: UInt64) -> UInt64 { seqnum &* 0x9E37_79B9_7F4A_7C15 }

    /// Events that a dictionary `shop` resolves, one millisecond apart.
    package static func batch(
        _ seqnums: ClosedRange<UInt64>, subsystem: String = "com.example.shop", source: String = source,
        padding: Int = 0, gaps: [Gap] = []
    ) -> ResolvedBatch {
        let origin = origin(subsystem: subsystem, source: source)
        let kind = EventKind(
            dictionary: "shop", definitionsVersion: "0123456789abcdef",
            key: EventKey(category: "recipe_detail", name: "tap_save_button"))
        var batch = ResolvedBatch(gaps: gaps, entriesRead: seqnums.count)
        for seqnum in seqnums {
            let start = batch.bytes.count
            let text = String(repeating: "x", count: padding)
            batch.bytes +=
                #"{"event_category":"recipe_detail","event_name":"tap_save_button","seq":\#(seqnum),"text":"\#(text)"}"#
                .utf8
            let cursor = cursor(seqnum)
            let entry = Entry(
                origin: origin, level: .notice, pid: 812, seqnum: seqnum,
                monotonicMicroseconds: cursor.monotonicMicroseconds,
                realtimeMicroseconds: cursor.realtimeMicroseconds, entryHash: entryHash(seqnum),
                payload: start..<batch.bytes.count)
            batch.events.append(ResolvedEvent(entry: entry, resolution: .resolved, kind: kind))
        }
        return batch
    }

    package static func gap(_ message: String, before index: Int = 0) -> Gap {
        Gap(
            cause: .rateLimited, realtimeMicroseconds: start, count: 7, message: message, entryIndex: index)
    }

    package static let dictionary = EventDictionary(
        options: DictionaryOptions(name: "shop", path: "/etc/gloss/definitions"), version: "0123456789abcdef",
        common: [Parameter(name: "user_id", type: .bigint)],
        categories: [
            DefinitionCategory(
                name: "recipe_detail", title: "recipe_detail", description: "The recipe's page", parameters: [],
                definitions: [
                    Definition(
                        key: EventKey(category: "recipe_detail", name: "tap_save_button"), description: "Saved",
                        isObsolete: false,
                        parameters: [Parameter(name: "keyword", type: .string(maximumBytes: 64), isOptional: true)],
                        line: 7)
                ])
        ])
}
