import Model
import Store

/// Events and gaps, each gap at its place.
struct PlacedEvents: Sendable {
    private(set) var events: [Event] = []
    /// Ordered by place: before which of the events each stands.
    private(set) var gaps: [(place: Int, record: GapRecord)] = []
    /// What they take in memory, where it is more than usual.
    var share: StreamMemory.Share?

    init(share: StreamMemory.Share? = nil) { self.share = share }

    /// - Parameters:
    ///   - events: in ascending or descending order of their ids.
    ///   - gaps: in any order.
    init(events: [Event], gaps: [GapRecord], isAscending: Bool = true, share: StreamMemory.Share? = nil) {
        self.init(share: share)
        var rest = gaps.sorted(isAscending: isAscending)[...]
        for event in events {
            while let gap = rest.first, isAscending ? gap.afterEventID < event.id : gap.afterEventID >= event.id {
                append(gap)
                rest.removeFirst()
            }
            append(event)
        }
        rest.forEach { append($0) }
    }

    mutating func append(_ event: Event) { events.append(event) }
    mutating func append(_ gap: GapRecord) { gaps.append((events.count, gap)) }

    func forEach(event: (Event) -> Void, gap: (GapRecord) -> Void) {
        var rest = gaps[...]
        for (place, next) in events.enumerated() {
            while let first = rest.first, first.place == place { gap(rest.removeFirst().record) }
            event(next)
        }
        for last in rest { gap(last.record) }
    }
}

extension Sequence<GapRecord> {
    /// By their places, and those of one place as they were found.
    func sorted(isAscending: Bool) -> [GapRecord] {
        let ascending = sorted { ($0.afterEventID, $0.id) < ($1.afterEventID, $1.id) }
        return isAscending ? ascending : ascending.reversed()
    }
}
