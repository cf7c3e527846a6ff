internal import GRDB
internal import Model

/// What events are counted by: one row of the table `event_counts`.
struct CountKey: Sendable, Hashable {
    /// Stands for names that are too many.
    static let other = "(other)"
    /// Events with longer texts are counted with others.
    private static let longestText = 512

    /// Empty where events have none.
    @Exact var dictionary: String
    /// Empty texts for events without one.
    var key: EventKey
    var resolution: Resolution
    @Exact var subsystem: String
    @Exact var category: String

    init(_ origin: Origin, _ kind: ResolvedKind) {
        self.init(kind, subsystem: origin.subsystem, category: origin.category)
    }

    init(_ kind: ResolvedKind, subsystem: String, category: String) {
        dictionary = kind.kind.dictionary ?? ""
        key = kind.kind.key ?? EventKey(category: "", name: "")
        resolution = kind.resolution
        self.subsystem = subsystem
        self.category = category
    }

    static let columns = "dictionary, event_category, event_name, resolution, subsystem, category"

    /// From the first columns of a row.
    init(_ row: borrowing BareStatement) throws {
        guard let resolution = Resolution(rawValue: row.text(3)) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an unknown resolution is counted")
        }
        dictionary = row.text(0)
        key = EventKey(category: row.text(1), name: row.text(2))
        self.resolution = resolution
        subsystem = row.text(4)
        category = row.text(5)
    }

    func bind(to statement: borrowing BareStatement, from index: Int32) throws {
        try statement.bind(index, dictionary)
        try statement.bind(index + 1, key.category)
        try statement.bind(index + 2, key.name)
        try statement.bind(index + 3, resolution.rawValue)
        try statement.bind(index + 4, subsystem)
        try statement.bind(index + 5, category)
    }

    /// Whether a dictionary has the event, so that there is no end of senders but not of names.
    var isDefined: Bool { resolution.isDefined }

    /// Whether its events have a key: only such are reported one by one.
    var isKeyed: Bool { resolution.isKeyed }

    /// Where it is counted when there are too many: one row for each definition, one for all undefined events.
    var bounded: CountKey {
        var bounded = self
        (bounded.subsystem, bounded.category) = (Self.other, Self.other)
        if resolution == .undefined { bounded.key = .other }
        return bounded
    }

    var isBounded: Bool { subsystem == Self.other && category == Self.other && self == bounded }

    var isTooLong: Bool {
        max(
            dictionary.utf8.count, key.category.utf8.count, key.name.utf8.count, subsystem.utf8.count,
            category.utf8.count) > Self.longestText
    }

    /// About what its row and its place in the index take.
    var rowBytes: Int64 {
        let names = dictionary.utf8.count + key.category.utf8.count + key.name.utf8.count
        return 64 + 2 * Int64(names + resolution.rawValue.utf8.count + subsystem.utf8.count + category.utf8.count)
    }
}

extension Resolution {
    fileprivate var isDefined: Bool { self == .resolved || self == .violating }

    /// Whether such events have a key.
    var isKeyed: Bool { isDefined || self == .undefined }
}

/// The part of a filter that is about names and resolutions.
struct CountFilter: Sendable {
    private let subsystems: [Glob]
    private let categories: [Glob]
    private let events: [Glob]
    private let resolutions: Set<Resolution>

    init(_ filter: EventFilter) {
        subsystems = filter.subsystems.map(Glob.init(_:))
        categories = filter.categories.map(Glob.init(_:))
        events = filter.events.map(Glob.init(_:))
        resolutions = Set(filter.resolutions)
    }

    func wants(_ counted: CountKey) -> Bool {
        (resolutions.isEmpty || resolutions.contains(counted.resolution)) && fits(subsystems, counted.subsystem)
            && fits(categories, counted.category)
            && (events.isEmpty || counted.isKeyed && fits(events, counted.key.description))
    }

    private func fits(_ globs: [Glob], _ text: String) -> Bool {
        globs.isEmpty || globs.contains { $0.matches(text) }
    }
}
