internal import Model

/// What repeats from event to event: one row of the table `series`.
struct Series: Sendable, Hashable {
    var origin: Origin
    var level: Level
    var resolution: Resolution
    var kind: EventKind

    init(origin: Origin, level: Level, resolution: Resolution, kind: EventKind) {
        self.origin = origin
        self.level = level
        self.resolution = resolution
        self.kind = kind
    }

    init(_ event: ResolvedEvent) {
        self.init(origin: event.entry.origin, level: event.entry.level, resolution: event.resolution, kind: event.kind)
    }

    /// About how many bytes its strings have. Event names and senders' names may be anything.
    var textBytes: Int {
        origin.subsystem.utf8.count + origin.category.utf8.count + (origin.identifier?.utf8.count ?? 0)
            + origin.host.utf8.count + origin.source.utf8.count + (origin.unit?.utf8.count ?? 0)
            + (kind.key.map { $0.category.utf8.count + $0.name.utf8.count } ?? 0)
    }
}
