import Model
import TestSupport

enum SampleEvent {
    static let boot = ID128(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)

    static func event(
        resolution: Resolution = .violating, payload: String = #"{"recipe_id":"123456"}"#,
        findings: Findings? = nil, level: Level = .notice, key: EventKey? = nil
    ) -> Event {
        event(resolution: resolution, bytes: Array(payload.utf8), findings: findings, level: level, key: key)
    }

    static func event(
        resolution: Resolution, bytes: [UInt8], findings: Findings? = nil, level: Level = .notice, key: EventKey? = nil
    ) -> Event {
        Event(
            id: 4711,
            origin: Origin(
                [
                    .subsystem: "com.example.shop", .category: "ActivityLog", .host: "web1", .identifier: "shop",
                    .unit: "shop.service", .processUID: "1000",
                ], bootID: boot, seqnumID: ID128(high: 1, low: 2), source: "subsystem: com.example.*"),
            level: level, pid: 812, seqnum: 0xABC, monotonicMicroseconds: 0x10,
            realtimeMicroseconds: 1_795_222_800_123_456,
            entryHash: 0xF0, resolution: resolution,
            kind: EventKind(dictionary: "shop", definitionsVersion: "0123456789abcdef", key: key),
            findings: findings, payload: bytes)
    }

    static let findings = Findings(
        violations: [Violation("recipe_id", .type("bigint", found: .string))],
        warnings: [.obsoleteParameter("user_status"), .obsoleteEvent])
}
