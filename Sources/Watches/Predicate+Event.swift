internal import Model

extension Predicate {
    /// The key that all events have which meet it, if it asks for one.
    var wantedEvent: EventKey? {
        switch self {
        case .text(.event, .among(let texts, ignoresCase: false)) where texts.count == 1:
            texts.first.flatMap { EventKey(path: $0.text) }
        case .all(let parts): parts.lazy.compactMap(\.wantedEvent).first
        default: nil
        }
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

    /// What is left to meet for events with that key.
    var withoutWantedEvent: Predicate {
        switch self {
        case .text(.event, .among) where wantedEvent != nil: .everything
        case .all(let parts):
            if let place = parts.firstIndex(where: { $0.wantedEvent != nil }) {
                .all(parts[..<place] + [parts[place].withoutWantedEvent] + parts[(place + 1)...])
            } else {
                self
            }
        default: self
        }
    }
}
