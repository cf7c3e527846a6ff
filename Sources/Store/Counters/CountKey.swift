internal import GRDB
internal import Model

/// The key that events are counted by: one row of the table `event_counts`.
struct CountKey: Sendable, Hashable {
    /// The name that stands for all names beyond the limit.
    static let other = "(other)"
    /// Events with longer texts are counted under `other`.
    private static let longestText = 512

    /// Empty for events that no dictionary covers.
    @Exact var dictionary: String
    /// Both texts are empty for events without a key.
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

    /// Reads the first columns of a row.
    init(_ row: borrowing BareStatement) throws {
        guard let resolution = Resolution(rawValue: row.text(3)) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "event_counts has an unknown resolution")
        }
        dictionary = row.text(0)
        key = EventKey(category: row.text(1), name: row.text(2))
        self.resolution = resolution
        subsystem = row.text(4)
        category = row.text(5)
    }

    /// Binds the first parameters of a statement.
    func bind(to statement: borrowing BareStatement) throws {
        try statement.bind(1, dictionary)
        try statement.bind(2, key.category)
        try statement.bind(3, key.name)
        try statement.bind(4, resolution.rawValue)
        try statement.bind(5, subsystem)
        try statement.bind(6, category)
    }

    /// Whether a dictionary defines the event. The number of such names is bounded, but not the number of senders.
    var isDefined: Bool { resolution.isDefined }

    /// Whether the events have a key. Only such events are reported individually.
    var isKeyed: Bool { resolution.isKeyed }

    /// The key that the event is counted by when there are too many: one for each definition, and one for all
    /// undefined events.
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

    /// The approximate size of the row and of its index entry.
    var rowBytes: Int64 {
        let names = dictionary.utf8.count + key.category.utf8.count + key.name.utf8.count
        return 64 + 2 * Int64(names + resolution.rawValue.utf8.count + subsystem.utf8.count + category.utf8.count)
    }
}

extension Resolution {
    fileprivate var isDefined: Bool { self == .resolved || self == .violating }

    /// Whether events with this resolution have a key.
    var isKeyed: Bool { isDefined || self == .undefined }
}

extension CountKey {
    /// What is known of the events that are counted by it.
    func text(_ key: Predicate.TextKey) -> NamePredicate.Text {
        switch key {
        case .sender(.subsystem): .known(subsystem)
        case .sender(.category): .known(category)
        case .resolution: .known(resolution.rawValue)
        case .dictionary: .known(dictionary.isEmpty ? nil : dictionary)
        case .event: .known(isKeyed ? self.key.description : nil)
        case .eventCategory: .known(isKeyed ? self.key.category : nil)
        case .eventName: .known(isKeyed ? self.key.name : nil)
        case .sender, .boot, .definitions, .violationRule, .violationParameter, .warningRule, .warningParameter,
            .reason:
            .unknown
        }
    }
}
