internal import Model

/// Reads columns of the rows of a block.
final class RowReader {
    let events: any EventColumns
    /// The events that have rows, ascending.
    private let selection: [Int]
    /// The names of all parameters that may be asked for.
    private let names: Set<[UInt8]>

    /// With so many parameters, and few events for each, payloads are parsed once, and columns are not looked through for each
    /// parameter.
    private static let (manyParameters, eventsPerParameter) = (4, 16)
    private let isParsing: Bool

    init(_ events: any EventColumns, _ selection: [Int], _ columns: [RowColumn]) {
        (self.events, self.selection) = (events, selection)
        names = Set(
            columns.flatMap { column -> [[UInt8]] in
                switch column {
                case .parameter(let path, _, _): path.names.map { Array($0.utf8) }
                default: []
                }
            })
        isParsing =
            names.count >= Self.manyParameters && selection.count <= names.count * Self.eventsPerParameter
    }

    /// The parameters of the events.
    private lazy var parsed = Result {
        var kept = KeptParameters(names: names)
        try events.forEachParameter(of: selection, where: kept.names.contains) { event, name, value, isString in
            kept.add(event, Array(name), value, isString)
        }
        return kept
    }

    func read(_ column: RowColumn) throws -> RowValues {
        switch column {
        case .id: RowValues(integers: try events.ids())
        case .priority: RowValues(integers: try events.effectiveLevels())
        case .pid: RowValues(integers: try events.pids())
        case .time: RowValues(times: try events.times())
        case .programTime:
            RowValues(times: try events.programTimes() ?? PackedIntegers(events.count, first: -1, step: 0))
        case .timeUnit(let unit): try beginnings(of: unit)
        case .level: RowValues(texts: try key(.level(.level)))
        case .journalLevel: RowValues(texts: try key(.level(.journalLevel)))
        case .programLevel: RowValues(texts: try key(.level(.programLevel)))
        case .text(let text): RowValues(texts: try key(.text(text)))
        case .number(let text): RowValues(numbers: try key(.text(text)))
        case .uid: try uids()
        case .violations: try ofFindings { cells, found in cells.add(Int64(found?.violations.count ?? 0)) }
        case .warnings: try ofFindings { cells, found in cells.add(Int64(found?.warnings.count ?? 0)) }
        case .reason: try ofFindings { cells, found in found?.reason.map { cells.add(text: $0) } ?? -1 }
        case .payload: try payloads()
        case .message: try messages()
        case .parameter(let path, let isObject, let isExact):
            try parameters(path.names.sorted(), isObject: isObject, isExact: isExact)
        case .rule, .subject, .expected, .found: RowValues(integers: PackedIntegers(events.count, first: -1, step: 0))
        }
    }

    private func key(_ key: GroupKey) throws -> KeyColumn {
        try KeyColumn(key, of: events, among: selection, zone: .utc)
    }

    private func beginnings(of unit: TimeUnit) throws -> RowValues {
        var (cells, numbers) = (CellTable(), [Int32](repeating: -1, count: events.count))
        let times = try events.times().unpacked
        var (span, cell) = (UInt64(0)..<0, Int32(-1))
        for event in selection where times[event] != -1 {
            let time = SQLTime.shown(times[event])
            if !span.contains(time) {
                span = unit.span(of: time, in: .utc)
                let start = SQLTime.text(Int64(span.lowerBound))
                cell = cells.add(text: String(start.prefix(unit.textCount)))
            }
            numbers[event] = cell
        }
        return RowValues(cells, numbers)
    }

    private func uids() throws -> RowValues {
        var cells = CellTable()
        let numbers = try events.uids(of: selection).map { cells.add(text: $0.description) }
        var ofEvents = [Int32](repeating: -1, count: events.count)
        for (event, number) in zip(selection, numbers) { ofEvents[event] = number }
        return RowValues(cells, ofEvents)
    }

    /// - Parameter add: adds the cell for some findings, once for all events that have the same.
    private func ofFindings(_ add: (inout CellTable, Findings?) -> Int32) throws -> RowValues {
        let texts = try events.findingTexts()
        var cells = CellTable()
        let distinct = try texts.mapDistinct { add(&cells, try KnownFindings.decoded($0)) }
        return RowValues(cells, (0..<events.count).map { distinct[texts.distinctNumber($0)] })
    }

    private func payloads() throws -> RowValues {
        var (cells, numbers) = (CellTable(), [Int32](repeating: -1, count: events.count))
        try events.forEachPayload(of: selection.filter(try events.payloadTest())) { event, payload in
            numbers[event] = cells.add(payload, isString: true)
        }
        return RowValues(cells, numbers)
    }

    private func messages() throws -> RowValues {
        let (hasPayload, texts) = (try events.payloadTest(), try events.texts())
        let hasNoText = texts?.emptyTest() ?? { _ in true }
        var (cells, numbers) = (CellTable(), [Int32](repeating: -1, count: events.count))
        let wanted = selection.filter { !hasPayload($0) || !hasNoText($0) }
        try events.forEachPayload(of: wanted) { event, payload in
            let text = try texts?.withValue(event) { try StoredText.decoded($0) }
            if let text {
                text.whole(with: payload).withUnsafeBytes { numbers[event] = cells.add($0, isString: true) }
            } else {
                numbers[event] = cells.add(payload, isString: true)
            }
        }
        return RowValues(cells, numbers)
    }

    /// Reads the values of a parameter. Of several names, the first one that an event has a value of counts, however the event is
    /// stored.
    private func parameters(
        _ names: [ExactString], isObject: Bool, isExact: Bool
    ) throws -> RowValues {
        if names.count == 1, !isParsing, let (integers, places) = try events.integers(of: names[0]),
            try mayHaveObjects(places, isObject: isObject).isEmpty
        {
            return RowValues(integers: integers, places: places)
        }
        var (cells, numbers) = (CellTable(isExact: isExact), [Int32](repeating: -1, count: events.count))
        for name in names {
            let found = try values(of: name, &cells)
            for event in selection where numbers[event] < 0 { numbers[event] = found[event] }
        }
        let rest = try mayHaveObjects(numbers, isObject: isObject)
        guard !rest.isEmpty else { return RowValues(cells, numbers) }
        for name in names { try addObjects(of: name, among: rest.filter { numbers[$0] < 0 }, &cells, &numbers) }
        return RowValues(cells, numbers)
    }

    /// Whether an event is as it should be. Only others may have objects that are not expected.
    private lazy var hasNoFindings = Result { try events.findingTexts().emptyTest() }

    /// Returns the events that may have an object, which has no column.
    /// - Parameter numbers: negative for events without another value.
    private func mayHaveObjects(_ numbers: [Int32], isObject: Bool) throws -> [Int] {
        let rest = selection.filter { numbers[$0] < 0 }
        if isObject || rest.isEmpty { return rest }
        let hasNoFindings = try hasNoFindings.get()
        return rest.filter { !hasNoFindings($0) }
    }

    /// Returns the numbers of values that are no objects.
    private func values(of name: ExactString, _ cells: inout CellTable) throws -> [Int32] {
        guard isParsing else {
            return try events.valueNumbers(of: name, [], among: selection) { value in
                switch value {
                case .integer(let number): cells.add(number)
                case .text(let text, let isString): cells.add(text, isString: isString)
                }
            } earlier: { _, _ in
            }
        }
        var numbers = [Int32](repeating: -1, count: events.count)
        try parsed.get().forEach(of: Array(name.utf8)) { event, value, isString in
            guard !PayloadValue.isNullOrObject(value, isString: isString) else { return }
            numbers[event] = cells.add(value, isString: isString)
        }
        return numbers
    }

    /// - Parameters:
    ///   - rest: events without another value, ascending.
    ///   - numbers: get the numbers of objects.
    private func addObjects(
        of name: ExactString, among rest: [Int], _ cells: inout CellTable, _ numbers: inout [Int32]
    ) throws {
        let name = Array(name.utf8)
        func add(_ event: Int, _ value: UnsafeRawBufferPointer, _ isString: Bool) {
            guard !isString, value.first == UInt8(ascii: "{") else { return }
            numbers[event] = cells.add(value, isString: false)
        }
        guard isParsing else {
            return try events.forEachParameter(of: rest, where: ParameterNames([name]).contains) {
                event, _, value, isString in add(event, value, isString)
            }
        }
        var isWanted = EventMarks(of: events.count)
        for event in rest { isWanted.mark(event) }
        try parsed.get().forEach(of: name) { event, value, isString in
            if isWanted[event] { add(event, value, isString) }
        }
    }
}
