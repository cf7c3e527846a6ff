internal import Model

/// The rows of one block, or of the open events. A column is read when a row's value in it is first asked for.
final class RowBlock {
    /// `nil` once the block is closed.
    private var reader: RowReader?
    /// `nil` for the open events.
    private let block: StoredBlock?
    /// The events that have rows, ascending.
    private let selection: [Int]
    private let kind: RowKind
    private let isDescending: Bool
    private let ids: PackedIntegers
    private let names: [RowColumn]
    /// Those that were read.
    private var columns: [RowValues?]
    /// The same, without being counted for each value.
    private var uncounted: [Unmanaged<RowValues>?]
    /// How many events were passed, and the row's event.
    private var passed = 0
    private var event = 0
    /// The row's place among the findings of its event.
    private var finding = 0
    /// The findings of the row's event.
    private var findings: [Finding] = []
    /// Those of each distinct text that were asked for.
    private var known: [[Finding]?] = []

    private typealias Finding = (rule: String, subject: String?, expected: String?, found: String?)

    /// - Parameters:
    ///   - selection: ascending.
    ///   - block: the block that the events are in; `nil` for the open events.
    init(
        _ events: any EventColumns, _ selection: [Int], _ kind: RowKind, _ columns: [RowColumn], isDescending: Bool,
        in block: StoredBlock? = nil
    ) throws {
        reader = RowReader(events, selection, columns)
        self.block = block
        (self.selection, self.kind, self.isDescending) = (selection, kind, isDescending)
        (names, self.columns) = (columns, Array(repeating: nil, count: columns.count))
        uncounted = Array(repeating: nil, count: columns.count)
        ids = try events.ids()
    }

    func id(of event: Int) -> Int64 { ids[event] }

    /// The number of the current row.
    var rowID: Int64 { rowID(of: event, row: finding) }

    /// Returns the number of a row of an event: the event's id, and in tables of findings also the place of the finding. An event has
    /// at most a hundred.
    func rowID(of event: Int, row finding: Int) -> Int64 {
        kind == .events ? ids[event] : ids[event] << 16 | Int64(finding)
    }

    /// - Throws: an error that names the block when its data is damaged.
    private func reading<Value>(_ body: (RowReader) throws -> Value) throws -> Value {
        guard let reader else { throw BlockDamage("a column was not read before the block was closed") }
        return try block?.naming { try body(reader) } ?? body(reader)
    }

    private func read(_ column: Int) throws -> RowValues {
        let values = try reading { try $0.read(names[column]) }
        columns[column] = values
        uncounted[column] = .passUnretained(values)
        return values
    }

    // MARK: rows in another order

    /// Reads columns, by their numbers, so that values can be asked for when the block is closed.
    func load(_ wanted: [Int]) throws {
        for column in wanted { _ = try read(column) }
    }

    /// Gives back what the block was read from. Only values of columns that were read can be asked for.
    func close() { reader = nil }

    /// Returns the event with an id; `nil` if it has no row.
    func event(of id: Int64) -> Int? {
        let place = selection.endOfThose { ids[$0] < id }
        return place < selection.count && ids[selection[place]] == id ? selection[place] : nil
    }

    /// Goes to the row of an event.
    func go(to event: Int) { self.event = event }

    /// Goes to a row of an event, which has one for each finding in tables of these.
    /// - Returns: whether there is one.
    func go(to event: Int, row finding: Int) throws -> Bool {
        if kind != .events, self.event != event || findings.isEmpty {
            self.event = event
            findings = try readFindings()
        }
        (self.event, self.finding) = (event, finding)
        return finding < (kind == .events ? 1 : findings.count)
    }

    func values(of column: Int) -> RowValues? { columns[column] }
    var eventsWithRows: [Int] { selection }
    /// In microseconds since 1970, by event.
    func times() throws -> [Int64] { try reading { try $0.events.times().unpacked } }

    // MARK: rows one after the other

    /// Goes to the next row.
    func next() throws -> Bool {
        guard kind != .events else { return nextEvent() }
        finding += 1
        while finding >= findings.count {
            guard nextEvent() else { return false }
            (findings, finding) = (try readFindings(), 0)
        }
        return true
    }

    private func nextEvent() -> Bool {
        guard passed < selection.count else { return false }
        event = selection[isDescending ? selection.count - 1 - passed : passed]
        passed += 1
        return true
    }

    private func readFindings() throws -> [Finding] {
        guard reader != nil else { return [] }
        return try reading { reader in
            let texts = try reader.events.findingTexts()
            if known.isEmpty { known = Array(repeating: nil, count: texts.distinctCount) }
            let number = texts.distinctNumber(event)
            if let findings = known[number] { return findings }
            let findings = try texts.withDistinct(number) { try KnownFindings.decoded($0).map(rows) ?? [] }
            known[number] = findings
            return findings
        }
    }

    private func rows(of findings: Findings) -> [Finding] {
        switch kind {
        case .events: []
        case .violations: findings.violations.map { ($0.rule.rawValue, $0.parameter, $0.expected, $0.found) }
        case .warnings: findings.warnings.map { ($0.rule.rawValue, $0.parameter, nil, nil) }
        }
    }

    /// Returns the row's value in a column, by its number. The bytes of a text are valid until the next one is asked for.
    func value(of column: Int) throws -> RowValue {
        if let values = uncounted[column] { return values._withUnsafeGuaranteedRef { $0[event] } }
        let name = names[column]
        if name.isOfFinding {
            return held.value(findings.indices.contains(finding) ? text(of: name, findings[finding]) : nil)
        }
        return try read(column)[event]
    }

    private func text(of column: RowColumn, _ finding: Finding) -> String? {
        switch column {
        case .rule: finding.rule
        case .subject: finding.subject
        case .expected: finding.expected
        default: finding.found
        }
    }

    /// The last text of a finding.
    private let held = HeldText()
}

extension RowColumn {
    /// Whether its values are those of a finding, not of the event.
    fileprivate var isOfFinding: Bool {
        switch self {
        case .rule, .subject, .expected, .found: true
        default: false
        }
    }
}
