extension Array {
    /// The first of them in order: those of which there are most, and where there are as many of each, those that
    /// `isBefore` puts first. Their places are put in order, as they are large.
    func mostFirst(
        _ limit: Int, _ count: (Element) -> Int64, then isBefore: (Element, Element) -> Bool
    ) -> [Element] {
        let counts = map(count)
        return withUnsafeBufferPointer { elements in
            let places = elements.indices.sorted { one, other in
                counts[one] == counts[other] ? isBefore(elements[one], elements[other]) : counts[one] > counts[other]
            }
            return places.prefix(limit).map { elements[$0] }
        }
    }
}
