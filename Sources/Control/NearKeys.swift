import Model

/// Suggests keys that are similar to an unknown one.
enum NearKeys {
    /// Returns at most three keys, the most similar first.
    static func of(_ key: EventKey, in known: [EventKey]) -> [EventKey] {
        let wanted = characters(key.description)
        let most = max(2, wanted.count / 4)
        return EditDistance.threeNearest(among: Set(known)) { other in
            // The right name in the wrong category.
            other.name == key.name ? 1 : EditDistance.between(wanted, characters(other.description), limit: most)
        }
    }

    /// Returns at most three keys whose names are similar to one, the most similar first.
    static func of(name: String, in known: [EventKey]) -> [EventKey] {
        let wanted = characters(name)
        return EditDistance.threeNearest(among: Set(known)) { other in
            EditDistance.between(wanted, characters(other.name), limit: max(1, wanted.count / 4))
        }
    }

    /// Returns at most three categories of the keys, the most similar first.
    static func categories(like category: String, in known: [EventKey]) -> [String] {
        let wanted = characters(category)
        return EditDistance.threeNearest(among: Set(exact: known.map(\.category)).map(\.text)) { other in
            EditDistance.between(wanted, characters(other), limit: max(1, wanted.count / 3))
        }
    }

    private static func characters(_ text: String) -> [UInt32] { text.lowercased().unicodeScalars.map(\.value) }
}
