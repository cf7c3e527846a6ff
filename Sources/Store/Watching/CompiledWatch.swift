internal import Model

/// The conditions of a watch, in the form in which a block's events are counted: first by their keys, which only few of the
/// items have, and by values of parameters, which are read once for all groups.
struct CompiledWatch {
    /// What events meet.
    fileprivate struct Condition {
        /// Values of which events must have one each: they are looked at first, since their columns are read once for all.
        var values: [(column: Int, texts: Set<[UInt8]>)] = []
        /// The rest; `nil` if there is none.
        var matcher: BlockMatcher?
        var isEmpty: Bool { values.isEmpty && matcher == nil }
    }

    private struct Group {
        var condition: Condition
        var times: ClosedRange<Int64>
        /// The columns of what is kept of each event; `nil` if only sums are.
        var kept: [Int]?
        var items: [Condition] = []
    }

    private typealias Place = (group: Int, item: Int)

    private var groups: [Group] = []
    /// The keys whose texts are asked for.
    private var columns: [GroupKey] = []
    /// Those of them that are parameters.
    private var parameters: Set<[UInt8]> = []
    private var itemsOfKey: [[UInt8]: [Place]] = [:]
    private var itemsOfAny: [Place] = []

    /// - Throws: `.invalidPattern`
    init(_ groups: [EventWatch.Group]) throws(StoreError) {
        for (number, group) in groups.enumerated() {
            var compiled = Group(condition: try condition(group.predicate), times: group.times)
            compiled.kept = group.kept.map { $0.map { column($0) } }
            for (item, watched) in group.items.enumerated() {
                compiled.items.append(try condition(watched.predicate))
                if let key = watched.event {
                    itemsOfKey[Array(key.description.utf8), default: []].append((number, item))
                } else {
                    itemsOfAny.append((number, item))
                }
            }
            self.groups.append(compiled)
        }
    }

    private mutating func condition(_ predicate: Predicate) throws(StoreError) -> Condition {
        var (condition, rest) = (Condition(), [Predicate]())
        for part in predicate.parts where part != .everything {
            if let (name, texts) = Self.value(part) {
                condition.values.append((column(.parameter(Predicate.ParameterPath(names: [name]))), texts))
            } else {
                rest.append(part)
            }
        }
        condition.matcher = rest.isEmpty ? nil : try BlockMatcher(.all(rest))
        return condition
    }

    private mutating func column(_ key: GroupKey) -> Int {
        if let known = columns.firstIndex(of: key) { return known }
        columns.append(key)
        if case .parameter(let path) = key, path.inner.isEmpty {
            parameters.formUnion(path.names.map { Array($0.utf8) })
        }
        return columns.count - 1
    }

    /// Returns a parameter and its values, for a condition that is met by a value of them.
    private static func value(_ predicate: Predicate) -> (ExactString, Set<[UInt8]>)? {
        guard case .parameter(let path, .among(let texts, ignoresCase: false)) = predicate, path.inner.isEmpty,
            path.names.count == 1, let name = path.names.first,
            // Columns have no objects and no null.
            !texts.contains(where: { $0.text.hasPrefix("{") || $0.text == "null" })
        else { return nil }
        return (name, Set(texts.map { Array($0.text.utf8) }))
    }

    // MARK: counting

    /// Returns what a block's events add, for the groups and items that have any.
    /// - Parameter ids: the range of ids to count.
    func sums(
        of events: some EventColumns, _ ids: ClosedRange<Int64>, until turn: ReadTurn
    ) throws -> [(group: Int, items: [(item: Int, sum: WatchedSum)])] {
        guard events.count > 0 else { return [] }
        if let open = events as? OpenEvents, parameters.count > 1 { try open.keepParameters(named: parameters) }
        var block = try WatchedBlock(events, ids, columns, turn)
        var wanted: [Int: [(item: Int, kinds: [Int]?)]] = [:]
        for (key, kinds) in block.kindsOfKey {
            for place in itemsOfKey[key] ?? [] { wanted[place.group, default: []].append((place.item, kinds)) }
        }
        for place in itemsOfAny { wanted[place.group, default: []].append((place.item, nil)) }
        return try wanted.map { number, items in (number, try sums(number, items, &block)) }
    }

    private func sums<Events: EventColumns>(
        _ number: Int, _ items: [(item: Int, kinds: [Int]?)], _ block: inout WatchedBlock<Events>
    ) throws -> [(item: Int, sum: WatchedSum)] {
        let group = groups[number]
        guard let all = block.allTimes, group.times.overlaps(all) else { return [] }
        var common: [Int]?
        if !group.condition.isEmpty {
            let selection = try block.events(meeting: group.condition, of: items.kinds)
            guard !selection.isEmpty else { return [] }
            common = selection
        }
        return try items.compactMap { item, kinds in
            let own = try block.events(meeting: group.items[item], of: kinds, among: common)
            return own.isEmpty ? nil : (item, try block.sum(of: own, keeping: group.kept))
        }
    }
}

extension [(item: Int, kinds: [Int]?)] {
    /// The kinds of events that any of them takes; `nil` for all.
    fileprivate var kinds: [Int]? { contains { $0.kinds == nil } ? nil : flatMap { $0.kinds ?? [] } }
}

extension Predicate {
    /// The predicates that all have to hold.
    fileprivate var parts: [Predicate] {
        if case .all(let parts) = self { parts.flatMap(\.parts) } else { [self] }
    }
}

/// What is read of a block for several groups.
private struct WatchedBlock<Events: EventColumns> {
    private let events: Events
    private let turn: ReadTurn
    /// The events that are counted, ascending.
    let all: [Int]
    private let kindOfEvent: [Int64]
    private let isViolating: [Bool]
    private let ids: [Int64]
    private let times: [Int64]
    /// The earliest and the latest time of all its events.
    let allTimes: ClosedRange<Int64>?
    /// The kinds, by their numbers, with each key.
    let kindsOfKey: [[UInt8]: [Int]]
    private let keys: [GroupKey]
    private var columns: [KeyColumn?]
    /// The events with each text of a column, put in order once: what a group or an item costs depends on its own events then,
    /// however many values payloads have of a name.
    private var indexes: [ColumnIndex?]

    init(_ events: Events, _ range: ClosedRange<Int64>, _ keys: [GroupKey], _ turn: ReadTurn) throws {
        (self.events, self.keys, self.turn) = (events, keys, turn)
        let ids = try events.ids().unpacked
        all = ids.indices.filter { range.contains(ids[$0]) }
        let kinds = try events.kindTexts()
        kindOfEvent = kinds.numbers.unpacked
        isViolating = try BlockTable.resolutions(kinds.table).map { $0 == .violating }
        let times = try events.times().unpacked
        (self.ids, self.times) = (ids, times)
        // Open events do not say it; they are few.
        allTimes = events.timeRange ?? times.min().flatMap { first in times.max().map { first...$0 } }
        var (kindsOfKey, key) = ([[UInt8]: [Int]](), [UInt8]())
        for kind in 0..<kinds.table.count where TextTable.hasKey(kinds.table, kind, &key) {
            kindsOfKey[key, default: []].append(kind)
        }
        self.kindsOfKey = kindsOfKey
        columns = Array(repeating: nil, count: keys.count)
        indexes = Array(repeating: nil, count: keys.count)
    }

    private func events(_ selection: [Int], of kinds: [Int]) -> [Int] {
        if kinds.count == 1 { return selection.filter { kindOfEvent[$0] == kinds[0] } }
        var isWanted = [Bool](repeating: false, count: isViolating.count)
        for kind in kinds { isWanted[kind] = true }
        return selection.filter { isWanted[Int(kindOfEvent[$0])] }
    }

    /// - Parameters:
    ///   - kinds: `nil` for all.
    ///   - selection: `nil` for all.
    mutating func events(
        meeting condition: CompiledWatch.Condition, of kinds: [Int]?, among selection: [Int]? = nil
    ) throws -> [Int] {
        var (values, found) = (condition.values[...], selection)
        // Few events have a value, so that it is better to begin with them than with all.
        if found == nil, let (column, texts) = values.popFirst() {
            found = try events(having: texts, in: column)
        }
        var events = kinds.map { self.events(found ?? all, of: $0) } ?? found ?? all
        for (column, texts) in values where !events.isEmpty {
            let read = try read(column)
            guard read.earlier.isEmpty else {
                try marks(of: texts, in: column).select(&events)
                continue
            }
            // By the number plus 1, since -1 is that of events without a text.
            var isWanted = [Bool](repeating: false, count: read.texts.count + 1)
            for number in read.numbers(of: texts) { isWanted[number + 1] = true }
            let numbers = read.numbers
            events.keep { isWanted[Int(numbers[$0]) + 1] }
        }
        if let matcher = condition.matcher, !events.isEmpty {
            try matcher.narrow(&events, of: self.events, until: turn)
        }
        return events
    }

    private mutating func events(having texts: Set<[UInt8]>, in column: Int) throws -> [Int] {
        let read = try read(column)
        guard read.earlier.isEmpty else {
            var found = all
            try marks(of: texts, in: column).select(&found)
            return found
        }
        let (wanted, index) = (read.numbers(of: texts), try index(column))
        guard wanted.count != 1 else { return Array(index.events(of: wanted[0])) }
        return wanted.flatMap { index.events(of: $0) }.sorted()
    }

    /// Returns which events have one of some texts of a column in which events may have several.
    private mutating func marks(of texts: Set<[UInt8]>, in column: Int) throws -> EventMarks {
        let (wanted, index) = (try read(column).numbers(of: texts), try index(column))
        var marks = EventMarks(of: events.count)
        for number in wanted {
            for event in index.events(of: number) { marks.mark(event) }
        }
        return marks
    }

    private mutating func index(_ column: Int) throws -> ColumnIndex {
        if let known = indexes[column] { return known }
        let index = ColumnIndex(try read(column), among: all)
        indexes[column] = index
        return index
    }

    /// The texts of all events, since several groups ask for them.
    private mutating func read(_ column: Int) throws -> KeyColumn {
        if let known = columns[column] { return known }
        let read = try KeyColumn(keys[column], of: events, among: all, zone: .utc)
        columns[column] = read
        return read
    }

    /// - Parameter kept: the columns of what is kept of each event.
    mutating func sum(of selection: [Int], keeping kept: [Int]?) throws -> WatchedSum {
        var sum = WatchedSum()
        sum.count = Int64(selection.count)
        for event in selection {
            let place = EventPlace(time: times[event], id: ids[event])
            sum.first = min(sum.first ?? place, place)
            sum.last = max(sum.last ?? place, place)
            if isViolating[Int(kindOfEvent[event])] { sum.violating += 1 }
        }
        guard let kept else { return sum }
        let groups = BlockGroups(try kept.map { try read($0) }, of: selection)
        var (known, texts) = (IntegerTable(), [[ExactString?]]())
        for event in selection {
            let place = EventPlace(time: times[event], id: ids[event])
            groups.forEachNumber(of: event) { number in
                let combination = known.number(of: number)
                if combination == texts.count { texts.append(groups.texts(of: number).map { $0?.shortened }) }
                sum.events.append(WatchedEvent(place: place, values: texts[combination]))
            }
        }
        return sum
    }
}

/// The events of a block in the order of the texts that they have for a key.
private struct ColumnIndex {
    private var starts: [Int]
    private var order: [Int]

    /// - Parameter selection: the events that are asked for, ascending.
    init(_ column: KeyColumn, among selection: [Int]) {
        var counts = [Int](repeating: 0, count: column.texts.count + 1)
        for event in selection where column.numbers[event] >= 0 { counts[Int(column.numbers[event]) + 1] += 1 }
        for (_, text) in column.earlier { counts[Int(text) + 1] += 1 }
        for number in counts.indices.dropFirst() { counts[number] += counts[number - 1] }
        starts = counts
        order = [Int](repeating: 0, count: counts.last ?? 0)
        for event in selection where column.numbers[event] >= 0 {
            let number = Int(column.numbers[event])
            order[counts[number]] = event
            counts[number] += 1
        }
        for (event, text) in column.earlier {
            order[counts[Int(text)]] = event
            counts[Int(text)] += 1
        }
    }

    /// Returns the events with a text, ascending; behind them, in any order, those that have it before another one: also events
    /// that are not selected, and events that have been returned.
    func events(of number: Int) -> ArraySlice<Int> { order[starts[number]..<starts[number + 1]] }
}

extension ExactString {
    /// The text, or the beginning of one that is longer than people need to distinguish values.
    fileprivate var shortened: ExactString {
        guard text.utf8.count > 256 else { return self }
        let beginning = String(decoding: text.utf8.prefix(200), as: UTF8.self)
        let hash = FNV1a(Array(text.utf8)).value
        return ExactString("\(beginning)…\(String(hash, radix: 16))")
    }
}
