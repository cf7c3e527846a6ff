extension Array {
    /// The first of them in order: those of which there are most, and where there are as many of each, those that
    /// `isBefore` puts first. Their places are put in order, as they are large; where few are wanted, only those of the
    /// first so far.
    func mostFirst(
        _ limit: Int, _ count: (Element) -> Int64, then isBefore: (Element, Element) -> Bool
    ) -> [Element] {
        let counts = map(count)
        return withUnsafeBufferPointer { elements in
            func precedes(_ one: Int, _ other: Int) -> Bool {
                counts[one] == counts[other] ? isBefore(elements[one], elements[other]) : counts[one] > counts[other]
            }
            // Many would have to make room for each that comes before them.
            guard limit < elements.count / 8 else {
                return elements.indices.sorted(by: precedes).prefix(limit).map { elements[$0] }
            }
            var first: [Int] = []
            for place in elements.indices {
                if first.count == limit {
                    guard let last = first.last, precedes(place, last) else { continue }
                    first.removeLast()
                }
                first.insert(place, at: first.endOfThose { !precedes(place, $0) })
            }
            return first.map { elements[$0] }
        }
    }

    /// - Parameter isOne: holds for the elements up to the place that is looked for, and for none behind it.
    private func endOfThose(_ isOne: (Element) -> Bool) -> Int {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isOne(self[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
