internal import Model

/// The part of an `EventFilter` that all events of a series meet or miss together.
struct SeriesFilter: Sendable {
    private let subsystems: [Glob]
    private let categories: [Glob]
    private let events: [Glob]
    private let level: Level?
    private let boots: Set<ID128>
    private let resolutions: Set<Resolution>

    /// - Returns: `nil` when every series meets it.
    init?(_ filter: EventFilter) {
        guard
            !filter.subsystems.isEmpty || !filter.categories.isEmpty || !filter.events.isEmpty
                || !filter.boots.isEmpty || !filter.resolutions.isEmpty || filter.level != nil
        else { return nil }
        subsystems = filter.subsystems.map(Glob.init(_:))
        categories = filter.categories.map(Glob.init(_:))
        events = filter.events.map(Glob.init(_:))
        level = filter.level
        boots = Set(filter.boots)
        resolutions = Set(filter.resolutions)
    }

    func matches(_ series: Series) -> Bool {
        if let level, series.level.rawValue > level.rawValue { return false }
        return (resolutions.isEmpty || resolutions.contains(series.resolution))
            && (boots.isEmpty || boots.contains(series.origin.bootID))
            && fits(subsystem: series.origin.subsystem, category: series.origin.category, key: series.kind.key)
    }

    /// The part of it that is about names and resolutions.
    func fits(_ use: EventUseKey) -> Bool {
        (resolutions.isEmpty || resolutions.contains(use.resolution))
            && fits(subsystem: use.subsystem, category: use.category, key: use.isKeyed ? use.key : nil)
    }

    private func fits(subsystem: String, category: String, key: EventKey?) -> Bool {
        fits(subsystems, subsystem) && fits(categories, category)
            && (events.isEmpty || key.map { fits(events, $0.description) } ?? false)
    }

    private func fits(_ globs: [Glob], _ text: String) -> Bool {
        globs.isEmpty || globs.contains { $0.matches(text) }
    }
}
