// The settings as each stage uses them. The module Settings makes these values, and has the defaults that are not here.

/// The journal that is read.
package enum JournalLocation: Sendable, Hashable {
    /// The machine's own journal, default namespace.
    case machine
    case namespace(String)
    /// A folder of journal files.
    case directory(String)

    /// The name under which the journal's position is saved.
    package var name: String {
        switch self {
        case .machine: "machine"
        case .namespace(let name): "namespace:\(name)"
        case .directory(let path): "directory:\(path)"
        }
    }

    /// The journal namespace; `nil` for none.
    package var namespace: String? { if case .namespace(let name) = self { name } else { nil } }

    /// Whether there can be a namespace of this name: it is part of a unit's name, and of the path of a socket, which has at most
    /// 107 bytes.
    /// - Source: systemd, src/basic/syslog-util.c, log_namespace_name_valid; units/systemd-journald@.socket
    package static func isNamespace(_ name: String) -> Bool {
        (1...79).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0.isNameByte || ":.@".utf8.contains($0) }
    }

    package static func == (one: JournalLocation, other: JournalLocation) -> Bool { one.name == other.name }
    package func hash(into hasher: inout Hasher) { name.hashExactly(into: &hasher) }
}

/// Where reading starts when there is no saved position.
package enum StartPoint: Sendable, Hashable {
    case now, oldest
    case ago(Duration)
}

package struct JournalOptions: Sendable, Hashable {
    package var location: JournalLocation
    package var start: StartPoint
    /// The most bytes of one field that are read; a longer field is cut off and the event is flagged.
    package var maximumFieldBytes: Int
    /// The number of chains of entries for which the store remembers what was read. It is no setting: the daemon takes it from
    /// the options of the store.
    package var maximumChains: Int
    /// The secret key of `Entry.entryHash`. It is no setting: the daemon has it in a file.
    package var entryKey = ID128(high: 0, low: 0)

    package init(location: JournalLocation, start: StartPoint, maximumFieldBytes: Int, maximumChains: Int = 4096) {
        self.location = location
        self.start = start
        self.maximumFieldBytes = maximumFieldBytes
        self.maximumChains = maximumChains
    }
}

/// A rule that takes entries and gives their events a name. The first rule that matches an entry takes it.
package struct SourceRule: Sendable, Hashable {
    /// A journal field and a glob for its value.
    package struct Condition: Sendable, Hashable {
        @Exact package var field: String
        package var value: Glob

        package init(field: String, value: Glob) {
            self.field = field
            self.value = value
        }
    }

    package struct Name: Sendable, Hashable {
        @Exact package var subsystem: String
        @Exact package var category: String

        package init(subsystem: String, category: String) {
            self.subsystem = subsystem
            self.category = category
        }
    }

    /// For each field named here, one of its conditions must hold for one of the entry's values, as with journalctl:
    /// the same field means "or", different fields mean "and".
    package var conditions: [Condition]
    /// The name of the events; `nil` takes it from the entry's `SUBSYSTEM` and `CATEGORY` (a missing category is the
    /// empty string).
    package var name: Name?
    /// Whether matching entries are skipped, even if a later rule matches them.
    package var excludes: Bool
    /// Whether it is a rule of Gloss itself, and no source of the settings.
    package var isOwn = false
    /// The fields that may hold the payload: the first that is there and not empty does.
    package var payloadFields: [ExactString]
    /// What it says about the key and the place of parameters.
    package var layout = LayoutOverride()
    /// The journal fields that may have parts of the key.
    package var keyFields: [ExactString] = []
    /// The conditions as one line, as status and event details show them. No other rule of the settings has the same.
    @Exact package var text: String
    package var retention: SourceRetention

    package init(
        conditions: [Condition], name: Name?, payloadFields: [ExactString] = ["MESSAGE"], text: String,
        retention: SourceRetention = SourceRetention()
    ) {
        self.conditions = conditions
        self.name = name
        excludes = false
        self.payloadFields = payloadFields
        self.text = text
        self.retention = retention
    }
}

/// How long the events of a source are kept, and how many.
package struct SourceRetention: Sendable, Hashable {
    /// The age that replaces the store's; `nil` for the store's.
    package var maximumAge: Duration?
    /// The percentage of the store that they may take; `nil` for the whole store.
    package var share: Int?

    package var isUsual: Bool { maximumAge == nil && share == nil }

    /// Returns the most bytes that they may take of a store of this size; `nil` for the whole store.
    package func bytes(of store: Int64) -> Int64? { share.map { store * Int64($0) / 100 } }

    package init(maximumAge: Duration? = nil, share: Int? = nil) {
        self.maximumAge = maximumAge
        self.share = share
    }
}

extension SourceRule {
    /// Creates a rule for entries that are skipped.
    package init(excluding conditions: [Condition], text: String) {
        self.init(conditions: conditions, name: Name(subsystem: "", category: ""), text: text)
        excludes = true
    }
}

package struct DictionaryOptions: Sendable, Hashable {
    @Exact package var name: String
    @Exact package var path: String
    /// The events that this dictionary covers: globs on subsystem and category. The first matching dictionary is used.
    package var subsystem: Glob
    package var category: Glob
    package var layout: PayloadLayout
    /// The layouts of payloads from sources whose rules say something else, by the texts of these rules.
    package var layoutOfSource: [ExactString: PayloadLayout] = [:]
    package var types: [ExactString: CustomType]
    /// The most characters (Unicode scalars) in the names of categories, events and parameters.
    package var maximumNameLength = 64
    /// The names that no event may give a parameter, because a warehouse has columns of these names.
    @Exact package var reservedNames = Self.daifukuReservedNames
    /// The parameters that payloads may have without a definition.
    package var extraParameters = ExtraParameters.named([])
    /// Files of the folder that are no definitions: globs on their names.
    package var ignore = Self.usualIgnore
    /// Links to more about a definition, in the order of the settings.
    package var links: [LinkTemplate]

    package init(
        name: String, path: String, subsystem: Glob = Glob("*"), category: Glob = Glob("*"),
        layout: PayloadLayout = .usual, types: [ExactString: CustomType] = [:], links: [LinkTemplate] = []
    ) {
        self.name = name
        self.path = path
        self.subsystem = subsystem
        self.category = category
        self.layout = layout
        self.types = types
        self.links = links
    }

    /// The columns that daifuku's warehouse adds to every event on its own.
    package static let daifukuReservedNames = ["event_name", "event_category", "log_id", "id"]

    /// A file that describes the folder to people, and is never a definition.
    package static let usualIgnore = [Glob("README.md")]

    /// The layout of payloads from a source, which is named by the text of its rule.
    package func layout(ofSource source: String) -> PayloadLayout {
        layoutOfSource.isEmpty ? layout : layoutOfSource[ExactString(source)] ?? layout
    }

    /// A text that differs between any different layouts.
    package var layoutText: String {
        ([layout.text] + layoutOfSource.sorted { $0.key < $1.key }.map { "\($0.key)\n\($0.value.text)" })
            .joined(separator: "\n\n")
    }

    /// Whether names alone may find definitions, so that no two events can have the same.
    package var findsByName: Bool { layouts.contains { $0.category == .definingFile } }

    /// The members that have parts of the key in any layout.
    package var keyMembers: [MemberPath] { layouts.flatMap(\.members) }

    /// Where payloads that are pairs in text have their keys. What is around a key in such a pair cannot be replaced without it, and
    /// the event could never be resolved again.
    package var keyMembersOfPairs: [MemberPath] { layouts.filter(\.format.hasPairs).flatMap(\.members) }

    /// All layouts, its own first.
    package var layouts: [PayloadLayout] { [layout] + layoutOfSource.sorted { $0.key < $1.key }.map(\.value) }
}

/// The parameters that payloads may have without a definition, where categories and events say nothing else.
package enum ExtraParameters: Sendable, Hashable {
    case all
    /// Those with these names, such as columns that a warehouse adds; usually none.
    case named([ExactString])

    /// The same in one text: `*`, or the names, one on each line.
    package var text: String {
        switch self {
        case .all: "*"
        case .named(let names): names.map(\.text).joined(separator: "\n")
        }
    }

    /// The names, if not all are allowed.
    package var names: [String] { if case .named(let names) = self { names.map(\.text) } else { [] } }
}

/// An address with the placeholders `{category}`, `{event}` and `{path}`, none of them in its host.
package struct LinkTemplate: Sendable, Hashable {
    /// The name of the link, such as `SQL`.
    @Exact package var name: String
    @Exact package var template: String

    /// A placeholder: a name between `{` and `}` in a template.
    package enum Place: String, Sendable, CaseIterable {
        case category, event, path
    }

    package init(name: String, template: String) {
        self.name = name
        self.template = template
    }
}

/// Whether the `privacy` of parameters is enforced.
package enum PrivacyMode: String, Sendable, CaseIterable {
    /// Private and hashed values are replaced before anything is stored, logged or sent.
    case protect
    /// All values stay readable: for development on a machine without personal data.
    case reveal
}

package struct StoreOptions: Sendable, Hashable {
    package enum WhenFull: String, Sendable, CaseIterable {
        /// Stop reading the journal until there is room.
        case pause
        /// Remove the oldest events although a sink has not received them; they are counted, with a gap record.
        case dropOldest = "drop_oldest"
    }

    @Exact package var path: String
    /// The most bytes that the database file and its write-ahead log may take together.
    package var maximumBytes: Int64
    /// Events older than this are removed once every sink has received them; `nil` keeps them.
    package var maximumAge: Duration?
    package var whenFull: WhenFull

    package init(path: String, maximumBytes: Int64, maximumAge: Duration?, whenFull: WhenFull) {
        self.path = path
        self.maximumBytes = maximumBytes
        self.maximumAge = maximumAge
        self.whenFull = whenFull
    }

    /// The number of chains of entries that it remembers of a journal. One usually takes less than 16 KiB, and all
    /// together take at most an eighth.
    package var maximumChains: Int { Int(min(max(maximumBytes / (128 << 10), 16), 4096)) }

    /// The smallest size that a source's share may have: events are removed in blocks, and two blocks must fit.
    package var smallestShare: Int64 { min(2 << 20, maximumBytes / 8) }
}

package struct ControlOptions: Sendable, Hashable {
    @Exact package var socket: String
    /// The socket file's permission bits.
    package var mode: UInt32
    /// The group whose members may change things, besides root and the daemon's own user.
    @Exact package var adminGroup: String?
    /// The most tails that may be open at the same time; one more gets status 503.
    package var maximumTails: Int
    /// The most bytes of a request's body.
    package var maximumBodyBytes: Int
    /// The most events that a tail may be behind; beyond that it skips them and reports how many it missed.
    package var maximumTailLag: Int

    package init(
        socket: String, mode: UInt32, adminGroup: String?, maximumTails: Int, maximumBodyBytes: Int,
        maximumTailLag: Int
    ) {
        self.socket = socket
        self.mode = mode
        self.adminGroup = adminGroup
        self.maximumTails = maximumTails
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumTailLag = maximumTailLag
    }
}

/// A destination for events. The only type so far is `http`: NDJSON by POST.
package struct SinkOptions: Sendable, Hashable {
    package enum Compression: String, Sendable, CaseIterable { case gzip, deflate, none }

    @Exact package var name: String
    @Exact package var url: String
    /// Whether nobody may see the address.
    package var isURLSecret = false
    package var isEnabled = true
    /// Where a new sink, which the store does not know yet, begins.
    package var start = StartPoint.now
    /// A predicate that says which events it gets, without names of others; `nil` for all.
    @Exact package var predicate: String? = nil
    package var compression = Compression.gzip
    /// A batch closes when it reaches the first of the three limits.
    package var maximumBatchEvents = 500
    package var maximumBatchBytes = 1 << 20
    package var maximumBatchAge = Duration.seconds(1)
    /// The base of the full-jitter backoff: `random(0, min(cap, base * 2^n))`.
    package var backoffBase = Duration.seconds(1)
    package var backoffCap = Duration.seconds(30)
    /// How long a held sink waits before it tries again on its own.
    package var probeInterval = Duration.seconds(300)
    /// The time from the connection to the last byte of the reply.
    package var timeout = Duration.seconds(30)
    /// The file that holds the bearer token; it is read again for each attempt.
    @Exact package var tokenFile: String? = nil
    /// A PEM file of certificate authorities that are trusted besides the system's.
    @Exact package var caFile: String? = nil
    package var headers: [ExactString: ExactString] = [:]

    package init(name: String, url: String) {
        self.name = name
        self.url = url
    }
}
