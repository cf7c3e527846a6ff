internal import Model

/// A compiled query. It decides which blocks may have matching events, and which events of a block match.
struct BlockMatcher {
    /// Whether nothing can match: `since` is later than `until`, or a list of values is empty.
    private let isEmpty: Bool
    private let times: ClosedRange<Int64>?
    /// Of the times that programs say.
    private let programTimes: ClosedRange<Int64>?
    private let level: Level?
    /// The globs that fields of the sender have to match.
    private let senders: [(field: SenderField, globs: [Glob])]
    private let events: [Glob]
    /// The boot ids, as the tables of a block have them.
    private let boots: [[UInt8]]
    private let pids: Set<Int64>
    private let resolutions: Set<Resolution>
    private let parameters: [ValueCondition]
    private let pattern: PayloadPattern?
    /// The hashes of the names in each list. A block must have at least one hash of each list.
    private let names: [[UInt64]]

    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    init(_ filter: EventFilter) throws(StoreError) {
        isEmpty = filter.isEmpty || filter.parameters.contains { $0.names.isEmpty || $0.values.isEmpty }
        times = filter.times
        programTimes = filter.programTimes
        level = filter.level
        senders = [
            (.subsystem, filter.subsystems), (.category, filter.categories), (.host, filter.hosts),
            (.identifier, filter.identifiers), (.unit, filter.units),
        ].filter { !$1.isEmpty }.map { ($0, $1.map(Glob.init(_:))) }
        events = filter.events.map(Glob.init(_:))
        pids = Set(filter.pids.map(Int64.init))
        boots = filter.boots.map { Array($0.description.utf8) }
        resolutions = Set(filter.resolutions)
        parameters = filter.parameters.map(ValueCondition.init(_:))
        pattern = try filter.grep.map { text throws(StoreError) in try PayloadPattern(text) }
        names = [
            Self.hashes(.subsystem, filter.subsystems.map(Glob.init(_:))),
            Self.hashes(.category, filter.categories.map(Glob.init(_:))), Self.hashes(.event, events),
            filter.boots.map { BlockFilters.hash(.boot, $0.description) },
        ].filter { !$0.isEmpty }
    }

    /// Matches any event, in blocks that may have events resolved with a version.
    init(mayHave version: DictionaryVersionID) {
        self.init(times: nil, names: [[BlockFilters.hash(.version, version.description)]])
    }

    /// Matches all events in a range of time. The times of damaged entries may be negative.
    init(times: ClosedRange<Int64>) { self.init(times: times, names: []) }

    private init(times: ClosedRange<Int64>?, names: [[UInt64]]) {
        isEmpty = false
        (self.times, programTimes, level) = (times, nil, nil)
        (senders, events, parameters) = ([], [], [])
        (boots, pids, resolutions, pattern) = ([], [], [], nil)
        self.names = names
    }

    /// - Returns: an empty list when the globs can match any name, so that names exclude no block.
    private static func hashes(_ name: BlockFilters.Name, _ globs: [Glob]) -> [UInt64] {
        let texts = globs.compactMap(\.exactText)
        return texts.count == globs.count ? texts.map { BlockFilters.hash(name, $0) } : []
    }

    // MARK: blocks

    /// Returns whether a block may have matching events, as far as this is known without its data.
    func mayMatch(times block: ClosedRange<Int64>, levels: UInt8, names filter: UnsafeRawBufferPointer) -> Bool {
        if isEmpty { return false }
        if let times, !times.overlaps(block) { return false }
        // More severe levels have lower numbers.
        if let level, levels & (UInt8(truncatingIfNeeded: 1 << (UInt(level.rawValue) + 1)) &- 1) == 0 { return false }
        return names.allSatisfy { $0.contains { ValueFilter.mayContain($0, filter) } }
    }

    /// Whether the query has conditions that a block's filter of values can rule out.
    var asksForValues: Bool { parameters.contains { !$0.hashes.isEmpty } }

    func mayHaveValues(_ filter: UnsafeRawBufferPointer) -> Bool {
        parameters.allSatisfy { condition in
            condition.hashes.isEmpty || condition.hashes.contains { ValueFilter.mayContain($0, filter) }
        }
    }

    // MARK: events

    /// Returns the positions of the events that match, ascending.
    /// - Parameters:
    ///   - ids: the range of ids to select from.
    ///   - turn: the turn of the reader. Once it is cancelled, payloads that have not been searched for a pattern are
    ///     skipped.
    /// - Throws: `BlockDamage`, and the errors of reading.
    func select(
        _ events: some EventColumns, of ids: ClosedRange<Int64> = .min ... .max, until turn: ReadTurn? = nil
    ) throws -> [Int] {
        guard !isEmpty else { return [] }
        var selection = Array(0..<events.count)
        let column = try events.ids()
        if events.count > 0, !ids.contains(column[0]) || !ids.contains(column[events.count - 1]) {
            selection.removeAll { !ids.contains(column[$0]) }
        }
        try selectByTime(events, &selection)
        try selectByOrigin(events, &selection)
        for parameter in parameters where !selection.isEmpty { try events.select(parameter, &selection) }
        if let pattern, !selection.isEmpty { try selectByPattern(pattern, events, &selection, turn) }
        return selection
    }

    private func selectByTime(_ events: some EventColumns, _ selection: inout [Int]) throws {
        if let times, !(events.timeRange.map { times.contains($0) } ?? false) {
            try events.times().select(&selection) { times.contains($0) }
        }
        if let programTimes, !selection.isEmpty {
            let column = try events.programTimes()
            selection.removeAll { !programTimes.contains(column?[$0] ?? -1) }
        }
        if let level, !selection.isEmpty {
            let most = Int64(level.rawValue)
            try events.effectiveLevels().select(&selection) { $0 <= most }
        }
    }

    private func selectByOrigin(_ events: some EventColumns, _ selection: inout [Int]) throws {
        if !senders.isEmpty || !boots.isEmpty, !selection.isEmpty {
            let senders = try events.senderTexts()
            let verdicts = verdicts(ofSenders: senders.table)
            senders.numbers.select(&selection) { verdicts[Int($0)] }
        }
        if !pids.isEmpty, !selection.isEmpty { try events.pids().select(&selection) { pids.contains($0) } }
        if !self.events.isEmpty || !resolutions.isEmpty, !selection.isEmpty {
            let kinds = try events.kindTexts()
            let verdicts = try verdicts(ofKinds: kinds.table)
            kinds.numbers.select(&selection) { verdicts[Int($0)] }
        }
    }

    /// Returns, for each sender, whether its events can match.
    private func verdicts(ofSenders table: BlockTexts) -> [Bool] {
        var verdicts = [Bool](repeating: true, count: table.count)
        func require(_ column: Int, _ isWanted: (UnsafeRawBufferPointer?) -> Bool) {
            for (row, isWanted) in table.map(column, isWanted).enumerated() where !isWanted { verdicts[row] = false }
        }
        for sender in senders { require(BlockTable.column(of: sender.field)) { fits(sender.globs, $0) } }
        if !boots.isEmpty { require(BlockTable.senderBoot, isBoot) }
        return verdicts
    }

    /// Returns, for each kind, whether its events can match.
    private func verdicts(ofKinds table: BlockTexts) throws -> [Bool] {
        var verdicts = [Bool](repeating: true, count: table.count)
        if !resolutions.isEmpty { verdicts = try BlockTable.resolutions(table).map(resolutions.contains) }
        guard !events.isEmpty else { return verdicts }
        var key: [UInt8] = []
        for row in verdicts.indices where verdicts[row] {
            verdicts[row] = Self.hasKey(table, row, &key) && key.withUnsafeBytes { fits(events, $0) }
        }
        return verdicts
    }

    private func fits(_ globs: [Glob], _ text: UnsafeRawBufferPointer?) -> Bool {
        globs.isEmpty || text.map { text in globs.contains { $0.matches(text) } } ?? false
    }

    private func isBoot(_ text: UnsafeRawBufferPointer?) -> Bool {
        text.map { text in boots.contains { $0.withUnsafeBytes { $0.hasSameBytes(as: text) } } } ?? false
    }

    /// - Parameter key: is replaced with the row's `CATEGORY/NAME`.
    private static func hasKey(_ kinds: BlockTexts, _ row: Int, _ key: inout [UInt8]) -> Bool {
        key.removeAll(keepingCapacity: true)
        return BlockTable.kindKey.allSatisfy { column in
            kinds.withText(column, row) { text in
                guard let text else { return false }
                if column > BlockTable.kindKey.lowerBound { key.append(UInt8(ascii: "/")) }
                key.append(contentsOf: text)
                return true
            }
        }
    }

    private static func select(
        _ events: some EventColumns, havingOneOf literals: [Literal], _ selection: inout [Int]
    ) throws {
        if literals.count == 1 { return try events.select(having: literals[0], &selection) }
        var found: Set<Int> = []
        for literal in literals {
            var having = selection.filter { !found.contains($0) }
            try events.select(having: literal, &having)
            found.formUnion(having)
        }
        selection.removeAll { !found.contains($0) }
    }

    private func selectByPattern(
        _ pattern: PayloadPattern, _ events: some EventColumns, _ selection: inout [Int], _ turn: ReadTurn?
    ) throws {
        let texts = try events.texts()
        // Texts are searched as they came, with their payloads.
        let withText = selection.filter { event in texts.map { !$0.isEmpty(event) } ?? false }
        if let texts { selection.removeAll { !texts.isEmpty($0) } }
        for choice in pattern.literals where !selection.isEmpty {
            try Self.select(events, havingOneOf: choice, &selection)
        }
        if !pattern.isLiteral {
            var found: [Int] = []
            try events.forEachPayload(of: selection) { event, payload in
                if try pattern.matches(payload, until: turn) { found.append(event) }
            }
            selection = found
        }
        guard let texts, !withText.isEmpty else { return }
        try events.forEachPayload(of: withText) { event, payload in
            let text = try texts.withDistinct(texts.distinctNumber(event)) { try StoredText.decoded($0) }
            let message = text?.whole(with: payload) ?? []
            let isFound = try message.withUnsafeBytes { try pattern.matches($0, until: turn) }
            if try isFound || pattern.matches(payload, until: turn) { selection.append(event) }
        }
        selection.sort()
    }
}
