import GRDBSQLite
import Model
import Store

extension SQLCollation {
    func register(on connection: OpaquePointer) {
        switch self {
        case .time:
            sqlite3_create_collation_v2(
                connection, rawValue, SQLITE_UTF8, Unmanaged.passRetained(TimeComparison()).toOpaque(),
                { comparison, length, text, otherLength, other in
                    guard let comparison else { return 0 }
                    return Unmanaged<TimeComparison>.fromOpaque(comparison)._withUnsafeGuaranteedRef {
                        $0.compare(
                            UnsafeRawBufferPointer(start: text, count: Int(length)),
                            UnsafeRawBufferPointer(start: other, count: Int(otherLength)))
                    }
                }, { comparison in if let comparison { Unmanaged<TimeComparison>.fromOpaque(comparison).release() } })
        case .level:
            sqlite3_create_collation_v2(
                connection, rawValue, SQLITE_UTF8, nil,
                { _, length, text, otherLength, other in
                    SQLCollation.compareLevels(
                        UnsafeRawBufferPointer(start: text, count: Int(length)),
                        UnsafeRawBufferPointer(start: other, count: Int(otherLength)))
                }, nil)
        }
    }

    /// Other texts, which a statement may have beside levels, come after these.
    private static func compareLevels(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int32 {
        // Most comparisons are for being equal, by names that are.
        if one.elementsEqual(other) { return 0 }
        return switch (Level(inSQL: one), Level(inSQL: other)) {
        case (let first?, let second?): Int32(second.rawValue) - Int32(first.rawValue)
        case (_?, nil): -1
        case (nil, _?): 1
        case (nil, nil):
            one.lexicographicallyPrecedes(other) ? -1 : other.lexicographicallyPrecedes(one) ? 1 : 0
        }
    }
}

extension SQLColumn {
    /// Returns what is wrong with a constant that the column is compared with, if it is nothing that the column's values could
    /// be: a condition that nothing meets, or everything, would go unnoticed.
    /// - Parameter isOrder: whether the comparison is for less or more, not for being equal.
    func problem(with operand: Operand, isOrder: Bool) -> SQLFailure? {
        guard let text = operand.shown else { return nil }
        let wrong: String? =
            switch (collation, source) {
            case (.time, _) where SQLTime.earliest(text) == nil:
                "no time since 1970; times are in UTC: 2026-11-21 10:00:00, or 2026-11-21T10:00:00Z"
            case (.level, _) where Level(inSQL: text) == nil:
                "no level: \(Level.allCases.map(\.name).joined(separator: ", "))"
            case (_, .timeUnit(let unit)) where !unit.isText(text, orPart: isOrder):
                "not in the form of its texts: \("2026-11-21 10:00".prefix(unit.textCount))"
            default: nil
            }
        return wrong.map { SQLFailure(description: "\(name): '\(text)' is \($0)") }
    }

    /// Whether a text is in the form of the column's texts, so that it is where its meaning is if texts are compared by bytes.
    func hasForm(_ operand: Operand) -> Bool {
        guard case .text(let text) = operand else { return true }
        return switch collation {
        case .time: SQLTime.hasForm(text)
        case .level: Level.allCases.contains { $0.name == text }
        case nil: true
        }
    }
}

extension SQLTime {
    /// Whether a text is one that is shown for a time, or the beginning of some.
    fileprivate static func hasForm(_ text: String) -> Bool {
        earliest(text).map { Self.text($0).utf8.starts(with: text.utf8) } ?? false
    }
}

extension TimeUnit {
    /// Whether a text is one of those of this unit, or the beginning of some.
    func isText(_ text: String, orPart: Bool) -> Bool {
        (orPart || text.utf8.count == textCount) && SQLTime.hasForm(text)
    }
}

extension Operand {
    /// As a column of texts is compared with it; `nil` for NULL and blobs.
    fileprivate var shown: String? {
        switch self {
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        case .null, .other: nil
        }
    }
}
