/// Sums by name, whose number is bounded: what comes when there are too many is counted together.
struct UseTable<Name: Hashable & Sendable>: Sendable {
    /// So many bytes of names, and so many of them.
    private static var mostBytes: Int { 8 << 20 }
    private static var mostNames: Int { 50_000 }

    private(set) var sums: [Name: UseSum] = [:]
    private var bytes = 0

    /// - Parameters:
    ///   - bytes: how long the name's texts are.
    ///   - other: what it is counted as when there are too many; of such there is a bounded number.
    mutating func add(_ sum: UseSum, to name: Name, bytes: Int, orElse other: @autoclosure () -> Name) {
        guard sum.count > 0 else { return }
        if sums[name] != nil {
            sums[name]?.add(sum)
        } else if sums.count < Self.mostNames, self.bytes + bytes <= Self.mostBytes {
            sums[name] = sum
            self.bytes += bytes
        } else {
            sums[other(), default: UseSum()].add(sum)
        }
    }
}
