internal import Model

extension Predicate {
    /// The key that all events have which meet it, if it asks for one, and what is left to meet for events with that key.
    var byEvent: (event: EventKey?, rest: Predicate) {
        switch self {
        case .text(.event, .among(let texts, ignoresCase: false)) where texts.count == 1:
            if let event = texts.first.flatMap({ EventKey(path: $0.text) }) { return (event, .everything) }
        case .all(var parts):
            for place in parts.indices {
                let (event, rest) = parts[place].byEvent
                guard let event else { continue }
                parts[place] = rest
                return (event, .all(parts))
            }
        default: break
        }
        return (nil, self)
    }

    /// Whether it may be met by events that a dictionary covers.
    func maySelectEvents(of dictionary: DictionaryOptions) -> Bool {
        switch self {
        case .all(let parts): parts.allSatisfy { $0.maySelectEvents(of: dictionary) }
        case .any(let parts): parts.contains { $0.maySelectEvents(of: dictionary) }
        case .text(.sender(.subsystem), .among(let texts, ignoresCase: false)):
            texts.contains { dictionary.subsystem.matches($0.text) }
        case .text(.sender(.category), .among(let texts, ignoresCase: false)):
            texts.contains { dictionary.category.matches($0.text) }
        default: true
        }
    }
}
