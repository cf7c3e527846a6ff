import Model

/// Suggests keys that are similar to an unknown one.
enum NearKeys {
    /// Returns at most three keys, the most similar first.
    static func of(_ key: EventKey, in known: [EventKey]) -> [EventKey] {
        let wanted = characters(key)
        let most = max(2, wanted.count / 4)
        return EditDistance.threeNearest(among: known) { other in
            // The right name in the wrong category.
            other.name == key.name ? 1 : EditDistance.between(wanted, characters(other), limit: most)
        }
    }

    private static func characters(_ key: EventKey) -> [UInt32] {
        key.description.lowercased().unicodeScalars.map(\.value)
    }
}
