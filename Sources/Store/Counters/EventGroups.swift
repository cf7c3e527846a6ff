internal import Model

/// The groups that the events of a block are counted in: combinations of rows of its tables and of findings.
struct EventGroups {
    let kinds: BlockTexts
    /// `nil` where no event is counted by sender.
    let senders: BlockTexts?
    /// `nil` where events are counted, not findings.
    let findings: PackedValues?
    /// Whether the events of each kind are counted by sender.
    let hasOrigin: [Bool]
    /// The kind of each event.
    private let kindNumbers: [Int64]
    private let senderNumbers: [Int64]
    private let findingNumbers: [Int64]

    struct Group {
        var kind: Int
        /// 0 where the sender is ignored.
        var sender: Int
        /// The number of the distinct findings; 0 where findings are ignored.
        var finding: Int
    }

    struct Sum {
        var group: Group
        var sum: Occurrences
    }

    /// Groups the events by name.
    init(ofEvents block: some EventColumns) throws {
        let kinds = try block.kindTexts()
        let hasOrigin = try Self.hasOrigin(kinds.table)
        self.init(kinds, senders: hasOrigin.contains(true) ? try block.senderTexts() : nil, hasOrigin, findings: nil)
    }

    /// Groups the events by name and findings.
    /// - Parameters:
    ///   - resolutions: the resolutions of the events that are counted.
    ///   - selection: the events without findings are removed from it.
    init(
        ofFindings block: some EventColumns, of resolutions: Set<Resolution>, _ selection: inout [Int]
    ) throws {
        let (kinds, findings) = (try block.kindTexts(), try block.findingTexts())
        let hasOrigin = [Bool](repeating: false, count: kinds.table.count)
        self.init(kinds, senders: nil, hasOrigin, findings: findings)
        let isSomething = findings.mapDistinct { !$0.isEmpty }
        let isWanted = try BlockTable.resolutions(kinds.table).map(resolutions.contains)
        selection.keep { [kindNumbers, findingNumbers] event in
            isSomething[Int(findingNumbers[event])] && isWanted[Int(kindNumbers[event])]
        }
    }

    private init(_ kinds: EventTexts, senders: EventTexts?, _ hasOrigin: [Bool], findings: PackedValues?) {
        self.kinds = kinds.table
        self.senders = senders?.table
        self.findings = findings
        self.hasOrigin = hasOrigin
        let none = PackedIntegers(kinds.numbers.count, first: 0, step: 0)
        kindNumbers = kinds.numbers.unpacked
        senderNumbers = (senders?.numbers ?? none).unpacked
        findingNumbers = (findings?.distinctNumbers ?? none).unpacked
    }

    /// Returns whether events of each kind are counted by sender. These are the events without a definition.
    private static func hasOrigin(_ kinds: BlockTexts) throws -> [Bool] {
        let hasDictionary = kinds.map(BlockTable.kindDictionary) { $0 != nil }
        return try zip(BlockTable.resolutions(kinds), hasDictionary).map { !$0.isKeyed || !$1 }
    }

    func sums(of selection: [Int], in block: some EventColumns) throws -> [Sum] {
        guard !selection.isEmpty else { return [] }
        let (ids, times) = (try block.ids().unpacked, try block.times().unpacked)
        let (senderCount, findingCount) = (senders?.count ?? 1, findings?.distinctCount ?? 1)
        var (sums, places) = ([Sum](), GroupPlaces(count: kinds.count * senderCount * findingCount))
        for event in selection {
            let (kind, finding) = (Int(kindNumbers[event]), Int(findingNumbers[event]))
            let sender = hasOrigin[kind] ? Int(senderNumbers[event]) : 0
            let number = (kind * senderCount + sender) * findingCount + finding
            let place = places.place(of: number, orNew: sums.count)
            if place < sums.count {
                sums[place].sum.add(ids[event], at: times[event])
            } else {
                let group = Group(kind: kind, sender: sender, finding: finding)
                sums.append(Sum(group: group, sum: Occurrences(of: ids[event], at: times[event])))
            }
        }
        return sums
    }
}

/// The position of each group's sum, by the number of the group.
struct GroupPlaces {
    /// With more groups, most of the array would be empty.
    private static let denseCapacity = 1 << 16

    /// Positions plus 1; 0 for groups without a sum.
    private var dense: [Int32]
    private var sparse = IntegerTable()

    /// - Parameter count: the number of possible groups.
    init(count: Int) { dense = count <= Self.denseCapacity ? [Int32](repeating: 0, count: count) : [] }

    /// - Parameter new: the position for a group that has none yet, which is how many have one.
    @inline(__always)
    mutating func place(of number: Int, orNew new: Int) -> Int {
        if dense.isEmpty { return sparse.number(of: number) }
        guard dense[number] == 0 else { return Int(dense[number]) - 1 }
        dense[number] = Int32(new + 1)
        return new
    }
}
