/// Whether some elements occur in others, one directly behind the other; in time linear in both, whatever they are.
/// - Source: D. Knuth, J. Morris, V. Pratt, "Fast pattern matching in strings", 1977
struct SubsequenceSearch<Element: Equatable & Sendable>: Sendable {
    private let wanted: [Element]
    /// For each count of elements that were found: how many of them are found still when the next one does not fit.
    private let fallback: [Int]

    init(_ wanted: [Element]) {
        self.wanted = wanted
        var fallback = [Int](repeating: 0, count: wanted.count + 1)
        var found = 0
        for index in wanted.indices.dropFirst() {
            while found > 0, wanted[index] != wanted[found] { found = fallback[found] }
            if wanted[index] == wanted[found] { found += 1 }
            fallback[index + 1] = found
        }
        self.fallback = fallback
    }

    func occurs(in elements: [Element]) -> Bool {
        var found = 0
        for element in elements {
            if found == wanted.count { return true }
            while found > 0, element != wanted[found] { found = fallback[found] }
            if element == wanted[found] { found += 1 }
        }
        return found == wanted.count
    }
}
