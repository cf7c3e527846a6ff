import Model

/// Suggests keys that are similar to an unknown one.
enum NearKeys {
    /// Returns at most three keys, the most similar first.
    static func of(_ key: EventKey, in known: [EventKey]) -> [EventKey] {
        let wanted = characters(key)
        let most = max(2, wanted.count / 4)
        let near = known.compactMap { other -> (key: EventKey, distance: Int)? in
            // The right name in the wrong category.
            if other.name == key.name { return (other, 1) }
            return EditDistance.between(wanted, characters(other), limit: most).map { (other, $0) }
        }
        let sorted = near.sorted { ($0.distance, $0.key) < ($1.distance, $1.key) }
        return sorted.prefix(3).map(\.key)
    }

    private static func characters(_ key: EventKey) -> [UInt32] {
        key.description.lowercased().unicodeScalars.map(\.value)
    }
}
