/// Numbers distinct runs of bytes in the order in which they first occur.
struct ByteTable {
    private(set) var bytes: [UInt8] = []
    /// The position in `bytes` at which each run ends.
    private(set) var ends: [Int] = []
    /// The hash of each run, with the random seed of this process, unless the table is given others.
    private(set) var hashes: [UInt64] = []
    /// The numbers of runs plus 1, by hash; 0 marks a free slot. The count is a power of two, and at most half of the
    /// slots are used.
    private var slots = [UInt32](repeating: 0, count: 16)

    var count: Int { ends.count }

    subscript(number: Int) -> ArraySlice<UInt8> { bytes[start(of: number)..<ends[number]] }

    @inline(__always)
    func withRun<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[start(of: number)..<ends[number]]))
        }
    }

    @inline(__always)
    private func start(of number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }

    /// Returns the number of a run, adding it where it is new.
    /// - Parameter most: the maximum number of distinct runs.
    /// - Returns: `nil` when the run is new and the table is full.
    @inline(__always)
    mutating func number(of run: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
        let hash = ByteHash.hash(run, seed: ByteHash.randomSeed)
        let (slot, number) = find(run, hash)
        if let number { return number }
        return count < most ? add(run, hash, at: slot) : nil
    }

    /// Returns the number of a run, adding it where it is new.
    /// - Parameter hash: of the run, or of what it is made of. All runs of a table have hashes of one kind.
    @inline(__always)
    mutating func number(of run: UnsafeRawBufferPointer, hash: UInt64) -> Int {
        let (slot, number) = find(run, hash)
        return number ?? add(run, hash, at: slot)
    }

    /// Adds a run that is new.
    /// - Parameter slot: the free slot that it was not found in.
    /// - Returns: its number.
    @inline(__always)
    private mutating func add(_ run: UnsafeRawBufferPointer, _ hash: UInt64, at slot: Int) -> Int {
        bytes.append(contentsOf: run)
        ends.append(bytes.count)
        hashes.append(hash)
        slots[slot] = UInt32(count)
        if count * 2 > slots.count { grow() }
        return count - 1
    }

    /// Returns the number of a run, adding it where it is new.
    mutating func number(of run: UnsafeRawBufferPointer) -> Int32 {
        Int32(number(of: run, hash: ByteHash.hash(run, seed: ByteHash.randomSeed)))
    }

    /// Returns the number of a run; `nil` when it is not in the table.
    func knownNumber(of run: UnsafeRawBufferPointer) -> Int? {
        knownNumber(of: run, hash: ByteHash.hash(run, seed: ByteHash.randomSeed))
    }

    /// - Parameter hash: of the kind that the runs of the table have.
    func knownNumber(of run: UnsafeRawBufferPointer, hash: UInt64) -> Int? { find(run, hash).number }

    /// - Returns: the slot of a run, and its number; for a run that is not in the table a free slot, and `nil`.
    @inline(__always)
    private func find(_ run: UnsafeRawBufferPointer, _ hash: UInt64) -> (slot: Int, number: Int?) {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if hashes[number] == hash, isEqual(number, run) { return (slot, number) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return (slot, nil)
    }

    private func isEqual(_ number: Int, _ run: UnsafeRawBufferPointer) -> Bool {
        let start = start(of: number)
        guard ends[number] - start == run.count else { return false }
        return bytes.withUnsafeBytes {
            UnsafeRawBufferPointer(rebasing: $0[start..<ends[number]]).hasSameBytes(as: run)
        }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, hash) in hashes.enumerated() {
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }

    /// Removes the last runs, as if they had never been added.
    mutating func removeLast(_ count: Int) {
        for _ in 0..<count {
            let number = self.count - 1
            var slot = Int(truncatingIfNeeded: hashes[number]) & (slots.count - 1)
            while slots[slot] != UInt32(number + 1) { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = 0
            bytes.removeLast(bytes.count - start(of: number))
            ends.removeLast()
            hashes.removeLast()
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }
}
