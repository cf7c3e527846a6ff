internal import Model

/// The rows of one block, or of the open events. A column is read when a row's value in it is first asked for.
final class RowBlock {
    private let events: any EventColumns
    /// The events that have rows, ascending.
    private let selection: [Int]
    private let kind: RowKind
    private let isDescending: Bool
    private let ids: PackedIntegers
    private let names: [RowColumn]
    /// Those that were read.
    private var columns: [Column?]
    /// How many events were passed, and the row's place among the findings of its event.
    private var passed = 0
    private var finding = 0
    /// The findings of the row's event.
    private var findings: [Finding] = []
    private var known = KnownFindings()

    private typealias Finding = (rule: String, subject: String?, expected: String?, found: String?)

    private enum Column {
        /// Negative numbers are none.
        case integers(PackedIntegers)
        case times(PackedIntegers)
        case texts(KeyColumn)
        case numbers(KeyColumn)
        /// The number of its cell for each event.
        case cells(CellTable, [Int32])
        /// The number of its cell for each place in the selection.
        case selected(CellTable, [Int32])
        case ofFinding
    }

    /// - Parameter selection: ascending.
    init(
        _ events: any EventColumns, _ selection: [Int], _ kind: RowKind, _ columns: [RowColumn], isDescending: Bool
    ) throws {
        (self.events, self.selection, self.kind, self.isDescending) = (events, selection, kind, isDescending)
        (names, self.columns) = (columns, Array(repeating: nil, count: columns.count))
        ids = try events.ids()
    }

    /// The place of the row's event in the selection.
    private var place: Int { isDescending ? selection.count - passed : passed - 1 }
    private var event: Int { selection[place] }
    var id: Int64 { ids[event] }

    /// Goes to the next row.
    func next() throws -> Bool {
        guard kind != .events else {
            passed += 1
            return passed <= selection.count
        }
        finding += 1
        while finding >= findings.count {
            passed += 1
            guard passed <= selection.count else { return false }
            (findings, finding) = (try readFindings(), 0)
        }
        return true
    }

    private func readFindings() throws -> [Finding] {
        let texts = try events.findingTexts()
        let found = try texts.withDistinct(texts.distinctNumber(event)) { try known.findings($0) }
        return switch kind {
        case .events: []
        case .violations: found?.violations.map { ($0.rule.rawValue, $0.parameter, $0.expected, $0.found) } ?? []
        case .warnings: found?.warnings.map { ($0.rule.rawValue, $0.parameter, nil, nil) } ?? []
        }
    }

    /// - Parameter column: the number of a column.
    func withValue<Result>(of column: Int, _ body: (RowValue) throws -> Result) throws -> Result {
        let known: Column
        if let read = columns[column] {
            known = read
        } else {
            known = try read(names[column])
            columns[column] = known
        }
        switch known {
        case .integers(let numbers):
            let number = numbers[event]
            return try body(number < 0 ? .null : .integer(number))
        case .times(let times):
            let time = times[event]
            guard time != -1 else { return try body(.null) }
            return try SQLTime.withText(time) { try body(.text($0)) }
        case .texts(let texts):
            return try texts.withText(of: event) { text in try body(text.map { .text($0) } ?? .null) }
        case .numbers(let texts):
            return try texts.withText(of: event) { text in
                try body(text.flatMap { Int64(exactText: $0) }.map { .integer($0) } ?? .null)
            }
        case .cells(let cells, let numbers): return try cells.withValue(numbers[event], body)
        case .selected(let cells, let numbers): return try cells.withValue(numbers[place], body)
        case .ofFinding:
            guard findings.indices.contains(finding) else { return try body(.null) }
            return try withText(text(of: names[column], findings[finding]), body)
        }
    }

    private func text(of column: RowColumn, _ finding: Finding) -> String? {
        switch column {
        case .rule: finding.rule
        case .subject: finding.subject
        case .expected: finding.expected
        default: finding.found
        }
    }

    private func withText<Result>(_ text: String?, _ body: (RowValue) throws -> Result) throws -> Result {
        guard var text else { return try body(.null) }
        return try text.withUTF8 { try body(.text(UnsafeRawBufferPointer($0))) }
    }

    // MARK: reading

    private func read(_ column: RowColumn) throws -> Column {
        switch column {
        case .id: .integers(ids)
        case .priority: .integers(try events.effectiveLevels())
        case .pid: .integers(try events.pids())
        case .time: .times(try events.times())
        case .programTime: .times(try events.programTimes() ?? PackedIntegers(events.count, first: -1, step: 0))
        case .level: .texts(try key(.level(.level)))
        case .journalLevel: .texts(try key(.level(.journalLevel)))
        case .programLevel: .texts(try key(.level(.programLevel)))
        case .text(let text): .texts(try key(.text(text)))
        case .number(let text): .numbers(try key(.text(text)))
        case .uid: try uids()
        case .violations: try ofFindings { cells, found in cells.add(Int64(found?.violations.count ?? 0)) }
        case .warnings: try ofFindings { cells, found in cells.add(Int64(found?.warnings.count ?? 0)) }
        case .reason: try ofFindings { cells, found in found?.reason.map { cells.add(text: $0) } ?? -1 }
        case .payload: try payloads()
        case .message: try messages()
        case .parameter(let path, let isObject): try parameters(path, isObject: isObject)
        case .rule, .subject, .expected, .found: .ofFinding
        }
    }

    private func key(_ key: GroupKey) throws -> KeyColumn {
        try KeyColumn(key, of: events, among: selection, zone: .utc)
    }

    private func uids() throws -> Column {
        var cells = CellTable()
        let numbers = try events.uids(of: selection).map { cells.add(text: $0.description) }
        return .selected(cells, numbers)
    }

    /// - Parameter add: adds the cell for some findings, once for all events that have the same.
    private func ofFindings(_ add: (inout CellTable, Findings?) -> Int32) throws -> Column {
        let texts = try events.findingTexts()
        var cells = CellTable()
        let distinct = try (0..<texts.distinctCount).map { number in
            try texts.withDistinct(number) { add(&cells, $0.isEmpty ? nil : try KnownFindings.decoded($0)) }
        }
        return .cells(cells, (0..<events.count).map { distinct[texts.distinctNumber($0)] })
    }

    private func hasPayload() throws -> [Bool] {
        let kinds = try events.kindTexts()
        let hasPayload = try BlockTable.resolutions(kinds.table).map(\.hasPayload)
        return (0..<events.count).map { hasPayload[Int(kinds.numbers[$0])] }
    }

    private func payloads() throws -> Column {
        let hasPayload = try hasPayload()
        var (cells, numbers) = (CellTable(), [Int32](repeating: -1, count: events.count))
        try events.forEachPayload(of: selection.filter { hasPayload[$0] }) { event, payload in
            numbers[event] = cells.add(payload, isString: true)
        }
        return .cells(cells, numbers)
    }

    private func messages() throws -> Column {
        let (hasPayload, texts) = (try hasPayload(), try events.texts())
        var (cells, numbers) = (CellTable(), [Int32](repeating: -1, count: events.count))
        let wanted = selection.filter { event in !hasPayload[event] || texts.map { !$0.isEmpty(event) } ?? false }
        try events.forEachPayload(of: wanted) { event, payload in
            let text = try texts?.withDistinct(texts?.distinctNumber(event) ?? 0) { try StoredText.decoded($0) }
            if let text {
                text.whole(with: payload).withUnsafeBytes { numbers[event] = cells.add($0, isString: true) }
            } else {
                numbers[event] = cells.add(payload, isString: true)
            }
        }
        return .cells(cells, numbers)
    }

    private func parameters(_ path: Predicate.ParameterPath, isObject: Bool) throws -> Column {
        var cells = CellTable()
        var numbers = try events.valueNumbers(of: path, among: selection) { cells.add($0, isString: $1) }
        // Objects have no column: those that are expected, and those of events that are not as they should be.
        let findings = isObject ? nil : try events.findingTexts()
        let rest = selection.filter { numbers[$0] < 0 && !(findings?.isEmpty($0) ?? false) }
        let names = Set(path.names.map { Array($0.utf8) })
        try events.forEachParameter(of: rest) { event, name, value, isString in
            guard !isString, value.first == UInt8(ascii: "{"), names.contains(name) else { return }
            numbers[event] = cells.add(value, isString: false)
        }
        return .cells(cells, numbers)
    }
}

extension KeyColumn {
    /// Calls `body` with the text of an event; `nil` if it has none.
    fileprivate func withText<Result>(
        of event: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        let number = numbers[event]
        return number < 0 ? try body(nil) : try texts.withRun(Int(number)) { try body($0) }
    }
}
