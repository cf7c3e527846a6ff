import Foundation
import Model

@testable import Journal

/// What rules make of a journal's entries, worked out plainly from fields that libsystemd gave: to compare with.
struct ReferenceReader {
    struct Event: Equatable {
        var subsystem: String
        var category: String
        var host: String
        var identifier: String?
        var unit: String?
        var processUID: UInt32?
        var source: String
        var level: Level
        var pid: Int32?
        var seqnum: UInt64
        var payload: [UInt8]
        var flaws: Entry.Flaws
    }

    private static let maximumNameBytes = 1024

    let rules: [SourceRule]
    let maximumFieldBytes: Int
    private var splitStreams: Set<[UInt8]> = []
    private(set) var events: [Event] = []

    init(_ entries: [JournalFileBuilder.Entry], rules: [SourceRule], maximumFieldBytes: Int) {
        self.rules = rules
        self.maximumFieldBytes = maximumFieldBytes
        for entry in entries { read(entry) }
    }

    private mutating func read(_ entry: JournalFileBuilder.Entry) {
        let fields = entry.fields.map { field in
            let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            return (name: String(decoding: field[..<end], as: UTF8.self), value: Array(field[end...].dropFirst()))
        }
        func values(_ name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }
        func fits(_ condition: SourceRule.Condition) -> Bool {
            var found = values(condition.field)
            if found.isEmpty, condition.field == "CATEGORY" { found = [[]] }
            return found.contains { value in
                value.prefix(maximumFieldBytes).withContiguousStorageIfAvailable {
                    condition.value.matches(UnsafeRawBufferPointer($0))
                } ?? condition.value.matches(String(decoding: value, as: UTF8.self))
            }
        }
        var flaws: Entry.Flaws = []
        let isSplit =
            values("_LINE_BREAK").contains {
                ["line-max", "pid-change"].contains(String(decoding: $0, as: UTF8.self))
            } || values("CONTAINER_PARTIAL_MESSAGE").contains(Array("true".utf8))
        if isSplit { flaws.insert(.split) }
        if let stream = values("_STREAM_ID").first {
            if splitStreams.remove(stream) != nil { flaws.insert(.continued) }
            if isSplit { splitStreams.insert(stream) }
        }
        let rule = rules.first { rule in
            if !rule.excludes, rule.name == nil, values("SUBSYSTEM").isEmpty { return false }
            return Dictionary(grouping: rule.conditions, by: \.field).values.allSatisfy { $0.contains(where: fits) }
        }
        guard let rule, !rule.excludes else { return }
        func name(_ field: String) -> String? {
            let conditions = rule.conditions.filter { $0.field == field }
            let found = values(field)
            let fitting = found.first { value in
                conditions.contains { $0.value.matches(String(decoding: value, as: UTF8.self)) }
            }
            guard let value = fitting ?? found.first else { return nil }
            return String(decoding: value.prefix(Self.maximumNameBytes), as: UTF8.self)
        }
        let payloads = rule.payloadFields.compactMap { values($0.text).first }
        var payload = payloads.first { !$0.isEmpty } ?? []
        if payload.isEmpty, let message = values("MESSAGE").first {
            payload = message
            if !rule.payloadFields.contains("MESSAGE") { flaws.insert(.otherField) }
        } else if payload.isEmpty, !values("SUBSYSTEM").isEmpty {
            flaws.insert(.damaged)
        }
        if payload.count > maximumFieldBytes { flaws.insert(.cut) }
        let digits = values("PRIORITY").first.map { String(decoding: $0, as: UTF8.self) }
        events.append(
            Event(
                subsystem: rule.name?.subsystem ?? name("SUBSYSTEM") ?? "",
                category: rule.name?.category ?? name("CATEGORY") ?? "", host: name("_HOSTNAME") ?? "",
                identifier: name("SYSLOG_IDENTIFIER"), unit: name("_SYSTEMD_UNIT"),
                processUID: name("_UID").flatMap { UInt32($0) }, source: rule.text,
                level: digits.flatMap { $0.utf8.count == 1 ? UInt8($0).flatMap(Level.init(rawValue:)) : nil }
                    ?? .default,
                pid: values("_PID").first.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }, seqnum: entry.seqnum,
                payload: Array(payload.prefix(maximumFieldBytes)), flaws: flaws))
    }
}
