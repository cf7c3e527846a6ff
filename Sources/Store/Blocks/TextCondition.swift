internal import Model

/// A compiled condition on a text that events have beside their payloads.
struct TextCondition {
    let key: Predicate.TextKey
    let matcher: TextMatcher
    /// The hashes of which a block's filter of names must contain one; empty when the filter cannot exclude a block.
    let hashes: [UInt64]

    /// - Throws: `.invalidPattern`
    init(_ key: Predicate.TextKey, _ test: TextTest) throws(StoreError) {
        self.key = key
        let matcher = try TextMatcher(test)
        self.matcher = matcher
        hashes =
            key.blockName.map { name in
                (matcher.exactTexts ?? []).map { BlockFilters.hash(name, String(decoding: $0, as: UTF8.self)) }
            } ?? []
    }

    /// - Parameter text: `nil` if the event has none.
    func accepts(_ text: UnsafeRawBufferPointer?, until turn: ReadTurn?) throws -> Bool {
        guard let text else { return false }
        // Members may have an empty name, and findings are about these as well.
        return matcher.isExists ? !text.isEmpty || key.table == .findings : try matcher.accepts(text, until: turn)
    }
}

/// The tables of a block that have texts.
enum TextTable: CaseIterable {
    case senders, kinds, findings

    /// Removes the events that do not meet all of the conditions from the selection.
    func select(
        _ conditions: [TextCondition], _ events: some EventColumns, _ selection: inout [Int], until turn: ReadTurn?
    ) throws {
        switch self {
        case .senders:
            let senders = try events.senderTexts()
            let verdicts = try verdicts(conditions, senders.table, until: turn)
            senders.numbers.select(&selection) { verdicts[Int($0)] }
        case .kinds:
            let kinds = try events.kindTexts()
            let verdicts = try verdicts(conditions, kinds.table, until: turn)
            kinds.numbers.select(&selection) { verdicts[Int($0)] }
        case .findings:
            let texts = try events.findingTexts()
            let verdicts = try texts.mapDistinct { text in
                let findings = try KnownFindings.decoded(text)
                return try conditions.allSatisfy { try Self.isMet($0, by: findings, until: turn) }
            }
            texts.distinctNumbers.select(&selection) { verdicts[Int($0)] }
        }
    }

    /// Returns, for each row, whether its events can match.
    private func verdicts(_ conditions: [TextCondition], _ table: BlockTexts, until turn: ReadTurn?) throws -> [Bool] {
        var verdicts = [Bool](repeating: true, count: table.count)
        for condition in conditions {
            guard let column = condition.key.column else {
                var key: [UInt8] = []
                let lengths = condition.matcher.exactTexts.map { Set($0.map(\.count)) }
                for row in verdicts.indices where verdicts[row] {
                    let mayBeMet = lengths?.contains(Self.keyLength(table, row)) ?? true
                    let hasKey = mayBeMet && Self.hasKey(table, row, &key)
                    verdicts[row] = try key.withUnsafeBytes { try condition.accepts(hasKey ? $0 : nil, until: turn) }
                }
                continue
            }
            for (row, isMet) in try table.map(column, { try condition.accepts($0, until: turn) }).enumerated()
            where !isMet {
                verdicts[row] = false
            }
        }
        return verdicts
    }

    /// Returns the length of the row's `CATEGORY/NAME`, which is known faster than its text; -1 without one.
    private static func keyLength(_ kinds: BlockTexts, _ row: Int) -> Int {
        BlockTable.kindKey.reduce(0) { length, column in
            let bytes = kinds.withText(column, row) { $0?.count ?? -1 }
            return length < 0 || bytes < 0 ? -1 : length + bytes + (column > BlockTable.kindKey.lowerBound ? 1 : 0)
        }
    }

    /// - Parameter key: is replaced with the row's `CATEGORY/NAME`.
    static func hasKey(_ kinds: BlockTexts, _ row: Int, _ key: inout [UInt8]) -> Bool {
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

    private static func isMet(_ condition: TextCondition, by findings: Findings?, until turn: ReadTurn?) throws -> Bool
    {
        try condition.key.texts(of: findings).contains { text in
            guard var text else { return false }
            return try text.withUTF8 { try condition.accepts(UnsafeRawBufferPointer($0), until: turn) }
        }
    }
}

extension Predicate.TextKey {
    var table: TextTable {
        switch self {
        case .sender, .boot: .senders
        case .resolution, .dictionary, .definitions, .event, .eventCategory, .eventName: .kinds
        case .violationRule, .violationParameter, .warningRule, .warningParameter, .reason: .findings
        }
    }

    /// The column of its table; `nil` if it is no column of its own.
    var column: Int? {
        switch self {
        case .sender(let field): BlockTable.column(of: field)
        case .boot: BlockTable.senderBoot
        case .resolution: BlockTable.kindResolution
        case .dictionary: BlockTable.kindDictionary
        case .definitions: BlockTable.kindVersion
        case .eventCategory: BlockTable.kindKey.lowerBound
        case .eventName: BlockTable.kindKey.lowerBound + 1
        case .event, .violationRule, .violationParameter, .warningRule, .warningParameter, .reason: nil
        }
    }

    /// The kind of name in a block's filter.
    fileprivate var blockName: BlockFilters.Name? {
        switch self {
        case .sender(.subsystem): .subsystem
        case .sender(.category): .category
        case .boot: .boot
        case .event: .event
        default: nil
        }
    }
}

/// A compiled condition on the texts of events.
struct MessageCondition {
    let matcher: TextMatcher

    func select(_ events: some EventColumns, _ selection: inout [Int], until turn: ReadTurn?) throws {
        let texts = try events.texts()
        // Texts are searched as they came, with their payloads.
        var withText: [Int] = []
        if let hasNoText = texts?.emptyTest() {
            withText = selection.filter { !hasNoText($0) }
            if !withText.isEmpty { selection.removeAll { !hasNoText($0) } }
        }
        for choice in matcher.literals where !selection.isEmpty { try select(events, havingOneOf: choice, &selection) }
        for run in matcher.runs where !selection.isEmpty { try events.select(having: run, &selection) }
        if !matcher.isLiteral {
            var found: [Int] = []
            try events.forEachPayload(of: selection) { event, payload in
                if try matcher.accepts(payload, until: turn) { found.append(event) }
            }
            selection = found
        }
        guard let texts, !withText.isEmpty else { return }
        try events.forEachPayload(of: withText) { event, payload in
            let text = try texts.withValue(event) { try StoredText.decoded($0) }
            let message = text?.whole(with: payload) ?? []
            let isFound = try message.withUnsafeBytes { try matcher.accepts($0, until: turn) }
            if try isFound || matcher.accepts(payload, until: turn) { selection.append(event) }
        }
        selection.sort()
    }

    private func select(
        _ events: some EventColumns, havingOneOf literals: [Literal], _ selection: inout [Int]
    ) throws {
        if literals.count == 1 { return try events.select(having: literals[0], &selection) }
        var (found, rest) = (EventMarks(of: events.count), selection)
        for literal in literals where !rest.isEmpty {
            var having = rest
            try events.select(having: literal, &having)
            for event in having { found.mark(event) }
            rest.keep { !found[$0] }
        }
        found.select(&selection)
    }
}
