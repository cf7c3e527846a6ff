package import Model

/// A sort of events that is stored: all events of a series share it.
package struct StoredKind: Sendable, Hashable {
    package var series: Int64
    @Exact package var subsystem: String
    @Exact package var category: String
    package var resolution: Resolution
    package var kind: EventKind

    package init(series: Int64, subsystem: String, category: String, resolution: Resolution, kind: EventKind) {
        self.series = series
        self.subsystem = subsystem
        self.category = category
        self.resolution = resolution
        self.kind = kind
    }
}
