internal import Model

/// Adds up by name what blocks contain. Each name is created once, however many blocks contain it.
struct NameSums<Name: CountName>: Sendable {
    /// The counts that have been flushed.
    private(set) var counts = Counts<Name>()
    private let names: @Sendable (CountKey, Findings?) -> [Name]
    /// The distinct texts of blocks.
    private var texts = ByteTable()
    /// The distinct combinations of text numbers that make up a name.
    private var identities = ByteTable()
    /// The sum of each identity.
    private var sums: [(names: [Name], sum: Occurrences)] = []

    private static var mostKnown: Int { 50_000 }
    private static var mostKnownBytes: Int { 8 << 20 }

    /// The numbers of the texts: resolution, dictionary, category and name of the key, subsystem, category, findings.
    private typealias Identity = SIMD8<Int32>

    /// - Parameter names: returns the names that an event is counted under. It is called once for each combination.
    init(names: @escaping @Sendable (CountKey, Findings?) -> [Name]) { self.names = names }

    private var isFull: Bool {
        identities.count >= Self.mostKnown || texts.count >= Self.mostKnown
            || texts.bytes.count >= Self.mostKnownBytes
    }

    /// Adds the sums to the counts, and clears them.
    mutating func flush() {
        counts.reserve(sums.count)
        for (names, sum) in sums {
            for name in names { counts.add(sum, to: name) }
        }
        (texts, identities, sums) = (ByteTable(), ByteTable(), [])
    }

    /// Adds the sums of a block.
    mutating func add(_ more: [EventGroups.Sum], _ groups: EventGroups) throws {
        guard !more.isEmpty else { return }
        if isFull { flush() }
        let kinds = identities(ofKinds: groups.kinds)
        let senders = identities(ofSenders: groups.senders)
        for part in more {
            var identity = kinds[part.group.kind]
            if groups.hasOrigin[part.group.kind] { identity |= senders[part.group.sender] }
            if let findings = groups.findings {
                identity[6] = findings.withDistinct(part.group.finding) { number(of: $0) }
            }
            try add(part, groups, identity)
        }
    }

    private mutating func add(_ part: EventGroups.Sum, _ groups: EventGroups, _ identity: Identity) throws {
        let number = Int(withUnsafeBytes(of: identity) { identities.number(of: $0) })
        if number < sums.count {
            sums[number].sum.add(part.sum)
        } else {
            sums.append((try makeNames(part.group, groups), part.sum))
        }
    }

    private func makeNames(_ group: EventGroups.Group, _ groups: EventGroups) throws -> [Name] {
        let findings = try groups.findings?.withDistinct(group.finding) { try KnownFindings.decoded($0) }
        let origin = groups.hasOrigin[group.kind] ? try origin(group, groups) : (subsystem: "", category: "")
        let kind = try BlockTable.kind { groups.kinds.text($0, group.kind) }
        return names(CountKey(kind, subsystem: origin.subsystem, category: origin.category), findings)
    }

    private func origin(
        _ group: EventGroups.Group, _ groups: EventGroups
    ) throws(BlockDamage) -> (subsystem: String, category: String) {
        guard let subsystem = groups.senders?.text(BlockTable.column(of: .subsystem), group.sender),
            let category = groups.senders?.text(BlockTable.column(of: .category), group.sender)
        else { throw BlockDamage("a sender lacks a required field") }
        return (subsystem, category)
    }

    // MARK: identities

    private mutating func identities(ofKinds table: BlockTexts) -> [Identity] {
        let key = BlockTable.kindKey
        let columns = [BlockTable.kindResolution, BlockTable.kindDictionary, key.lowerBound, key.lowerBound + 1]
        return identities(table, columns, from: 0)
    }

    private mutating func identities(ofSenders table: BlockTexts?) -> [Identity] {
        table.map { identities($0, BlockTable.senderNames, from: 4) } ?? []
    }

    /// - Parameter place: the position of the first column in the identity.
    private mutating func identities(_ table: BlockTexts, _ columns: [Int], from place: Int) -> [Identity] {
        var identities = [Identity](repeating: .zero, count: table.count)
        for (index, column) in columns.enumerated() {
            let numbers = table.map(column) { text in text.map { number(of: $0) } ?? 0 }
            for row in identities.indices { identities[row][place + index] = numbers[row] }
        }
        return identities
    }

    /// Returns the number of a text, from 1.
    private mutating func number(of text: UnsafeRawBufferPointer) -> Int32 {
        texts.number(of: text) + 1
    }
}
