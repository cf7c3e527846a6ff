extension RandomAccessCollection where Index == Int {
    /// Returns the place behind the last element for which a condition is true. It is true for all elements before that place,
    /// and false for all behind it.
    @inlinable
    package func endOfThose(_ isOne: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isOne(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Sequence {
    /// Returns the elements that would be the first of the sorted sequence. For many, sorting all of them is faster.
    /// Those that are the same in the order stay in theirs.
    @inlinable
    package func first(_ count: Int, by precedes: (Element, Element) -> Bool) -> [Element] {
        var first: [Element] = []
        for element in self {
            if first.count == count {
                guard let last = first.last, precedes(element, last) else { continue }
                first.removeLast()
            }
            first.insert(element, at: first.endOfThose { !precedes(element, $0) })
        }
        return first
    }
}
