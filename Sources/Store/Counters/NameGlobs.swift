internal import Model

/// The globs of a filter on names, less those that were found to fit something.
struct NameGlobs: Sendable {
    private var subsystems: [Glob]
    private var categories: [Glob]
    private var events: [Glob]

    init(_ filter: EventFilter) {
        subsystems = filter.subsystems.map(Glob.init)
        categories = filter.categories.map(Glob.init)
        events = filter.events.map(Glob.init)
    }

    var isEmpty: Bool { subsystems.isEmpty && categories.isEmpty && events.isEmpty }

    /// Takes away those that fit.
    mutating func strike(_ counted: CountKey) {
        subsystems.removeAll { $0.matches(counted.subsystem) }
        categories.removeAll { $0.matches(counted.category) }
        guard counted.isKeyed, !events.isEmpty else { return }
        let key = counted.key.description
        events.removeAll { $0.matches(key) }
    }

    var rest: EventFilter {
        var filter = EventFilter()
        filter.subsystems = subsystems.map(\.pattern)
        filter.categories = categories.map(\.pattern)
        filter.events = events.map(\.pattern)
        return filter
    }
}
