import Model

/// Which keys somebody may have meant who wrote another.
enum NearKeys {
    /// At most three, the nearest first.
    static func of(_ key: EventKey, in known: [EventKey]) -> [EventKey] {
        let wanted = Array(key.description.lowercased().unicodeScalars)
        let most = max(2, wanted.count / 4)
        let near = known.compactMap { other -> (key: EventKey, distance: Int)? in
            // The right name in the wrong category.
            if other.name == key.name { return (other, 1) }
            let text = Array(other.description.lowercased().unicodeScalars)
            guard abs(text.count - wanted.count) <= most else { return nil }
            let distance = distance(wanted, text)
            return distance <= most ? (other, distance) : nil
        }
        let sorted = near.sorted { ($0.distance, $0.key.description) < ($1.distance, $1.key.description) }
        return sorted.prefix(3).map(\.key)
    }

    /// How many characters must be inserted, deleted or replaced to get from one text to the other.
    /// - Source: Levenshtein's distance, with one row of the table at a time
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var row = Array(0...other.count)
        for (line, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, counterpart) in other.enumerated() {
                let replaced = diagonal + (character == counterpart ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
