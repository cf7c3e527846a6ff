internal import Model

/// What the events of a block have for a key: distinct texts, and their numbers for each event.
struct KeyColumn {
    /// The distinct texts. Some may be of events that are not selected.
    private(set) var texts = ByteTable()
    /// For each event the number of its text, or of its list; -1 if it has none.
    private(set) var numbers: [Int32] = []
    /// The texts of events that may have several, -1 where one has none; `nil` where events have one each.
    private(set) var lists: [[Int32]]?
    /// Whether what other columns with findings have at the same place of their lists belongs together.
    private(set) var isOfFindings = false

    /// - Parameter selection: the events that are asked for, ascending.
    init(_ key: GroupKey, of events: some EventColumns, among selection: [Int], zone: Zone) throws {
        switch key {
        case .text(let key): try read(key, of: events)
        case .level(let key):
            let levels =
                switch key {
                case .journalLevel: try events.levels()
                case .programLevel: try events.programLevels() ?? PackedIntegers(events.count, first: -1, step: 0)
                default: try events.effectiveLevels()
                }
            read(levels) { level, text in
                guard level >= 0 else { return }
                var name = Level(rawValue: UInt8(clamping: level))?.name ?? String(level)
                name.withUTF8 { text(UnsafeRawBufferPointer($0)) }
            }
        case .pid: read(try events.pids()) { pid, text in if pid >= 0 { pid.withText(text) } }
        case .time(let unit): read(try events.times(), unit, zone)
        case .parameter(let path):
            let columns = try path.names.sorted().map { name in
                let path = Predicate.ParameterPath(names: [name], inner: path.inner)
                return try events.valueNumbers(of: path, among: selection) { value in
                    value.withText { text, _ in texts.number(of: text) }
                }
            }
            if columns.count == 1 { numbers = columns[0] } else { join(columns, of: events.count) }
        }
    }

    /// Makes lists of the values that events have in several columns, each value once.
    private mutating func join(_ columns: [[Int32]], of count: Int) {
        var (lists, known) = ([[Int32]](), [[Int32]: Int32]())
        numbers = (0..<count).map { event in
            var list: [Int32] = []
            for column in columns where column[event] >= 0 && !list.contains(column[event]) {
                list.append(column[event])
            }
            if let number = known[list] { return number }
            let number = Int32(lists.count)
            known[list] = number
            lists.append(list)
            return number
        }
        self.lists = lists
    }

    // MARK: texts

    private mutating func read(_ key: Predicate.TextKey, of events: some EventColumns) throws {
        switch key.table {
        case .senders: read(key, try events.senderTexts())
        case .kinds: read(key, try events.kindTexts())
        case .findings:
            let findings = try events.findingTexts()
            isOfFindings = true
            lists = try (0..<findings.distinctCount).map { number in
                try findings.withDistinct(number) { text in
                    guard !text.isEmpty else { return [] }
                    let found = try KnownFindings.decoded(text)
                    return key.texts(of: found).map { $0.map { self.number(of: $0) } ?? -1 }
                }
            }
            numbers = findings.distinctNumbers.unpacked.map { Int32(truncatingIfNeeded: $0) }
        }
    }

    private mutating func read(_ key: Predicate.TextKey, _ rows: EventTexts) {
        var numberOfRow: [Int32]
        if let column = key.column {
            numberOfRow = rows.table.map(column) { text in
                guard let text, !text.isEmpty else { return -1 }
                return texts.number(of: text)
            }
        } else {
            var text: [UInt8] = []
            numberOfRow = (0..<rows.table.count).map { row in
                guard TextTable.hasKey(rows.table, row, &text) else { return -1 }
                return text.withUnsafeBytes { texts.number(of: $0) }
            }
        }
        numbers = rows.numbers.unpacked.map { numberOfRow[Int($0)] }
    }

    private mutating func number(of text: String) -> Int32 {
        var text = text
        return text.withUTF8 { texts.number(of: UnsafeRawBufferPointer($0)) }
    }

    // MARK: numbers

    /// - Parameter write: calls its second argument with the text of a number; not for numbers that count as none.
    private mutating func read(
        _ column: PackedIntegers, _ write: (Int64, (UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        var (known, last) = ([Int64: Int32](), (number: Int64.min, place: Int32(-1)))
        numbers = column.unpacked.map { number in
            if number == last.number { return last.place }
            let place =
                known[number]
                ?? {
                    var place: Int32 = -1
                    write(number) { place = texts.number(of: $0) }
                    known[number] = place
                    return place
                }()
            last = (number, place)
            return place
        }
    }

    /// The starts of the parts of time, in microseconds since 1970.
    private mutating func read(_ times: PackedIntegers, _ unit: TimeUnit, _ zone: Zone) {
        var (span, place) = (UInt64(0)..<0, Int32(-1))
        numbers = times.unpacked.map { time in
            let time = UInt64(clamping: time)
            if !span.contains(time) {
                span = unit.span(of: time, in: zone)
                place = Int64(clamping: span.lowerBound).withText { texts.number(of: $0) }
            }
            return place
        }
    }
}

extension Predicate.TextKey {
    /// The texts that findings have for the key.
    func texts(of findings: Findings?) -> [String?] {
        switch self {
        case .violationRule: findings?.violations.map(\.rule.rawValue) ?? []
        case .violationParameter: findings?.violations.map(\.parameter) ?? []
        case .warningRule: findings?.warnings.map(\.rule.rawValue) ?? []
        case .warningParameter: findings?.warnings.map(\.parameter) ?? []
        default: []
        }
    }
}

// MARK: values in payloads

/// A value of a payload.
enum ColumnValue {
    /// A number, where a column has it as such.
    case integer(Int64)
    /// The text of a string, or the JSON text of another value.
    case text(UnsafeRawBufferPointer, isString: Bool)

    @inline(__always)
    func withText<Result>(_ body: (UnsafeRawBufferPointer, _ isString: Bool) -> Result) -> Result {
        switch self {
        case .integer(let number): number.withText { body($0, false) }
        case .text(let text, let isString): body(text, isString)
        }
    }
}

/// Gives a value of a payload a number.
typealias NumberOfValue = (ColumnValue) -> Int32

extension BlockContent {
    func valueNumbers(
        of path: Predicate.ParameterPath, among selection: [Int], _ number: NumberOfValue
    ) throws -> [Int32] {
        let shapes = try shapes()
        var numbers = [Int32](repeating: -1, count: count)
        var isSelected = [Bool](repeating: false, count: count)
        for event in selection { isSelected[event] = true }
        let names = Set(path.names.map { Array($0.utf8) })
        for node in shapes.paths.nodes(of: names) where shapes.events(ofPath: node) > 0 {
            let column = try values(ofPath: node)
            let integers = path.inner.isEmpty ? column.integers?.unpacked : nil
            // What is known of the distinct texts, as strings and as other values.
            var known = [[Int32]](
                repeating: [Int32](repeating: -2, count: integers == nil ? column.distinctCount : 0), count: 2)
            shapes.forEachValue(ofPath: node) { event, hole, place in
                guard isSelected[event] else { return }
                let isString = shapes.templates.holes[hole].kind == .string
                if let integers {
                    let integer = integers[place]
                    numbers[event] =
                        isString ? integer.withText { number(.text($0, isString: true)) } : number(.integer(integer))
                    return
                }
                let distinct = column.distinctNumber(place)
                var found = known[isString ? 1 : 0][distinct]
                if found == -2 {
                    found = column.withDistinct(distinct) { value in
                        isString
                            ? value.withUnescaped { Self.number(of: $0, isString: true, path, number) }
                            : Self.number(of: value, isString: false, path, number)
                    }
                    known[isString ? 1 : 0][distinct] = found
                }
                if found >= 0 { numbers[event] = found }
            }
        }
        guard shapes.wholeCount > 0 else { return numbers }
        let whole = selection.filter { shapes.template(of: $0) == nil }
        try readPayloads(of: whole, path, names, number, &numbers)
        return numbers
    }
}

extension OpenEvents {
    func valueNumbers(
        of path: Predicate.ParameterPath, among selection: [Int], _ number: NumberOfValue
    ) throws -> [Int32] {
        var numbers = [Int32](repeating: -1, count: count)
        let names = Set(path.names.map { Array($0.utf8) })
        if path.inner.isEmpty, let kept, names.isSubset(of: kept.names) {
            kept.forEach(of: names) { event, value, isString in
                let found = Self.number(of: value, isString: isString, path, number)
                if found >= 0 { numbers[event] = found }
            }
        } else {
            try readPayloads(of: selection, path, names, number, &numbers)
        }
        return numbers
    }

    /// Parses all payloads once, for several calls of `valueNumbers(of:)` that ask for values with these names.
    func keepParameters(named names: Set<[UInt8]>) throws {
        var kept = KeptParameters(names: names)
        try forEachParameter(of: Array(0..<count)) { event, name, value, isString in
            if names.contains(name), isString || value.first != UInt8(ascii: "{") {
                kept.add(event, name, value, isString)
            }
        }
        self.kept = kept
    }
}

/// Values of some parameters, for all events.
struct KeptParameters {
    let names: Set<[UInt8]>
    private var values: [[UInt8]: [(event: Int, range: Range<Int>, isString: Bool)]] = [:]
    private var bytes: [UInt8] = []

    init(names: Set<[UInt8]>) { self.names = names }

    mutating func add(_ event: Int, _ name: [UInt8], _ value: UnsafeRawBufferPointer, _ isString: Bool) {
        values[name, default: []].append((event, bytes.count..<bytes.count + value.count, isString))
        bytes.append(contentsOf: value)
    }

    func forEach(of names: Set<[UInt8]>, _ body: (Int, UnsafeRawBufferPointer, Bool) -> Void) {
        bytes.withUnsafeBytes { bytes in
            for name in names {
                for (event, range, isString) in values[name] ?? [] {
                    body(event, UnsafeRawBufferPointer(rebasing: bytes[range]), isString)
                }
            }
        }
    }
}

extension EventColumns {
    /// Finds the values by parsing the payloads.
    fileprivate func readPayloads(
        of events: [Int], _ path: Predicate.ParameterPath, _ names: Set<[UInt8]>, _ number: NumberOfValue,
        _ numbers: inout [Int32]
    ) throws {
        try forEachParameter(of: events) { event, name, value, isString in
            guard names.contains(name), isString || value.first != UInt8(ascii: "{") else { return }
            let found = Self.number(of: value, isString: isString, path, number)
            if found >= 0 { numbers[event] = found }
        }
    }

    /// Calls `body` with each parameter in the payloads of events, which are parsed.
    /// - Parameter events: ascending.
    func forEachParameter(
        of events: [Int], _ body: (Int, [UInt8], UnsafeRawBufferPointer, Bool) -> Void
    ) throws {
        try forEachPayload(of: events.filter(try payloadTest())) { event, payload in
            PayloadParameters.forEach(in: payload) { name, value, isString in body(event, name, value, isString) }
        }
    }

    /// - Returns: the number of a value, or of what is in it; -1 for `null`, and where there is nothing.
    fileprivate static func number(
        of value: UnsafeRawBufferPointer, isString: Bool, _ path: Predicate.ParameterPath, _ number: NumberOfValue
    ) -> Int32 {
        guard !path.inner.isEmpty else {
            if !isString, value.elementsEqual("null".utf8) { return -1 }
            return number(.text(value, isString: isString))
        }
        // What is in a text is no JSON.
        guard !isString else { return -1 }
        var found: Int32 = -1
        _ = try? PayloadValue.inner(path.inner, of: value) { text, isString in
            if isString || !text.elementsEqual("null".utf8) { found = number(.text(text, isString: isString)) }
            return true
        }
        return found
    }
}
