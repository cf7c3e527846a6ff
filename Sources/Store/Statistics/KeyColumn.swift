internal import Model

/// What the events of a block have for a key: distinct texts, and their numbers for each event. It is a class without variables,
/// since structures with so many arrays are slow to pass on.
final class KeyColumn {
    /// The distinct texts. Some may be of events that are not selected.
    let texts: ByteTable
    /// For each event the number of its text, or of its list; -1 if it has none.
    let numbers: [Int32]
    /// The texts of events that may have several, -1 where one has none; `nil` where events have one each.
    let lists: [[Int32]]?
    /// The texts of events whose payloads have several values of one name, but for the last ones. Conditions hold for any of them.
    let earlier: [(event: Int, text: Int32)]
    /// Whether what other columns with findings have at the same place of their lists belongs together.
    let isOfFindings: Bool

    /// - Parameter selection: the events that are asked for, ascending.
    init(_ key: GroupKey, of events: some EventColumns, among selection: [Int], zone: Zone) throws {
        let read = try KeyReading(key, of: events, among: selection, zone: zone)
        (texts, numbers, lists, isOfFindings) = (read.texts, read.numbers, read.lists, read.isOfFindings)
        earlier = read.earlier
    }

    /// Returns the number of a text in a list; -1 if the list has fewer.
    func number(at place: Int, inList list: Int) -> Int {
        guard let lists, list < lists.count, place < lists[list].count else { return -1 }
        return Int(lists[list][place])
    }

    /// Returns the numbers of those of some texts that the block has.
    func numbers(of wanted: Set<[UInt8]>) -> [Int] {
        wanted.compactMap { $0.withUnsafeBytes { texts.knownNumber(of: $0) } }
    }
}

/// Reads a column of a block for a key, see `KeyColumn`.
private struct KeyReading {
    var texts = ByteTable()
    var numbers: [Int32] = []
    var lists: [[Int32]]?
    var earlier: [(event: Int, text: Int32)] = []
    var isOfFindings = false

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
                try events.valueNumbers(of: name, path.inner, among: selection) { value in
                    value.withText { text, _ in texts.number(of: text) }
                } earlier: {
                    earlier.append(($0, $1))
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
            lists = try findings.mapDistinct { text in
                let found = try KnownFindings.decoded(text)
                return key.texts(of: found).map { $0.map { self.number(of: $0) } ?? -1 }
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
        // The place of the text of each distinct number.
        var (known, places) = (IntegerTable(), [Int32]())
        numbers = column.unpacked.map { number in
            let place = known.number(of: Int(number))
            if place == places.count {
                places.append(-1)
                write(number) { places[place] = texts.number(of: $0) }
            }
            return places[place]
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
        case .reason: findings?.reason.map { [$0] } ?? []
        default: []
        }
    }
}
