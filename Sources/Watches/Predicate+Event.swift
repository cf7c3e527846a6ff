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
