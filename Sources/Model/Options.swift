// What the settings file says, as each stage takes it. Settings makes these values; defaults stand there.

/// Which journal is read.
package enum JournalLocation: Sendable, Hashable {
    /// The machine's own journal, default namespace.
    case machine
    case namespace(String)
    /// A folder of journal files.
    case directory(String)

    /// What the journal's position is saved under.
    package var name: String {
        switch self {
        case .machine: "machine"
        case .namespace(let name): "namespace:\(name)"
        case .directory(let path): "directory:\(path)"
        }
    }

    package static func == (one: JournalLocation, other: JournalLocation) -> Bool { one.name == other.name }
    package func hash(into hasher: inout Hasher) { name.hashExactly(into: &hasher) }
}

/// Where reading starts when there is no position yet.
package enum StartPoint: Sendable, Hashable {
    case now, oldest
    case ago(Duration)
}

package struct JournalOptions: Sendable, Hashable {
    package var location: JournalLocation
    package var start: StartPoint
    /// The most bytes that are read of one field; the rest is cut off and the event is flagged.
    package var maximumFieldBytes: Int
    /// Of how many chains of entries it is remembered what was read.
    package var maximumChains: Int

    package init(location: JournalLocation, start: StartPoint, maximumFieldBytes: Int, maximumChains: Int = 4096) {
        self.location = location
        self.start = start
        self.maximumFieldBytes = maximumFieldBytes
        self.maximumChains = maximumChains
    }
}

/// Which entries become events, and what they are called. The first rule that fits an entry takes it.
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
    /// What the events are called; `nil` takes it from the entry's `SUBSYSTEM` and `CATEGORY` (an absent category is
    /// the empty string).
    package var name: Name?
    /// Whether the entries that it fits are passed over, whatever the rules after it say.
    package var excludes: Bool
    /// The field that holds the payload.
    @Exact package var payloadField: String
    /// The rule in one line, as status and event details show it.
    @Exact package var text: String
    package var retention: SourceRetention

    package init(
        conditions: [Condition], name: Name?, payloadField: String = "MESSAGE", text: String,
        retention: SourceRetention = SourceRetention()
    ) {
        self.conditions = conditions
        self.name = name
        excludes = false
        self.payloadField = payloadField
        self.text = text
        self.retention = retention
    }
}

/// How long the events of a source are kept, and how many.
package struct SourceRetention: Sendable, Hashable {
    /// In the place of the store's; `nil`: as long as others.
    package var maximumAge: Duration?
    /// How many hundredths of the store they may take; `nil`: all of it.
    package var share: Int?

    package var isUsual: Bool { maximumAge == nil && share == nil }

    /// The most that they may take of a store of so many bytes; `nil`: all of it.
    package func bytes(of store: Int64) -> Int64? { share.map { store * Int64($0) / 100 } }

    package init(maximumAge: Duration? = nil, share: Int? = nil) {
        self.maximumAge = maximumAge
        self.share = share
    }
}

extension SourceRule {
    /// A rule for entries that are to be passed over.
    package init(excluding conditions: [Condition], text: String) {
        self.init(conditions: conditions, name: Name(subsystem: "", category: ""), text: text)
        excludes = true
    }
}

package struct DictionaryOptions: Sendable, Hashable {
    @Exact package var name: String
    @Exact package var path: String
    /// Which events are looked up in this dictionary: globs on subsystem and category. The first dictionary fits.
    package var subsystem: Glob
    package var category: Glob
    /// The payload keys that hold the event category and the event name.
    @Exact package var categoryKey: String
    @Exact package var nameKey: String
    package var types: [ExactString: CustomType]
    /// Where else something about a definition can be found, in the order of the settings.
    package var links: [LinkTemplate]

    package init(
        name: String, path: String, subsystem: Glob = Glob("*"), category: Glob = Glob("*"),
        categoryKey: String = "event_category", nameKey: String = "event_name", types: [ExactString: CustomType] = [:],
        links: [LinkTemplate] = []
    ) {
        self.name = name
        self.path = path
        self.subsystem = subsystem
        self.category = category
        self.categoryKey = categoryKey
        self.nameKey = nameKey
        self.types = types
        self.links = links
    }

    /// The payload keys of event category and event name.
    package var key: [String] { [categoryKey, nameKey] }
}

/// An address with the places `{category}`, `{event}` and `{path}`, none of them in its host.
package struct LinkTemplate: Sendable, Hashable {
    /// What the link is called, such as `SQL`.
    @Exact package var name: String
    @Exact package var template: String

    /// What may stand between braces.
    package static let places = ["category", "event", "path"]

    package init(name: String, template: String) {
        self.name = name
        self.template = template
    }
}

/// Whether the `privacy` of parameters is kept.
package enum PrivacyMode: String, Sendable, CaseIterable {
    /// Private and hashed values are replaced before anything is stored, logged or sent.
    case protect
    /// Everything stays readable: for development on a machine that has nobody's data.
    case reveal
}

package struct StoreOptions: Sendable, Hashable {
    package enum WhenFull: String, Sendable, CaseIterable {
        /// Stop reading the journal until there is room.
        case pause
        /// Remove the oldest events although a sink has not had them; counted, with a gap record.
        case dropOldest = "drop_oldest"
    }

    @Exact package var path: String
    /// The most bytes that the database file and its write-ahead log may take together.
    package var maximumBytes: Int64
    /// Events older than this are removed once every sink has had them; `nil` keeps them.
    package var maximumAge: Duration?
    package var whenFull: WhenFull

    package init(path: String, maximumBytes: Int64, maximumAge: Duration?, whenFull: WhenFull) {
        self.path = path
        self.maximumBytes = maximumBytes
        self.maximumAge = maximumAge
        self.whenFull = whenFull
    }

    /// How many chains of entries it remembers of a journal: one usually takes less than 16 KiB, and all of them an eighth.
    package var maximumChains: Int { Int(min(max(maximumBytes / (128 << 10), 16), 4096)) }

    /// The least that a source's share may come to: events go by blocks, and there is to be room for two.
    package var smallestShare: Int64 { min(2 << 20, maximumBytes / 8) }
}

package struct ControlOptions: Sendable, Hashable {
    @Exact package var socket: String
    /// The socket file's permission bits.
    package var mode: UInt32
    /// The group whose members may change things, besides root and the daemon's own user.
    @Exact package var adminGroup: String?
    /// How many tails may be open at a time; one more gets 503.
    package var maximumTails: Int
    /// The most bytes of a request's body.
    package var maximumBodyBytes: Int
    /// How many events a tail may be behind before it is told that it missed them.
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

/// A destination upstream. The only type so far is `http`: NDJSON by POST.
package struct SinkOptions: Sendable, Hashable {
    package enum Compression: String, Sendable, CaseIterable { case gzip, deflate, none }

    @Exact package var name: String
    @Exact package var url: String
    package var isEnabled: Bool
    /// Where a sink that the store does not know yet begins.
    package var start: StartPoint
    package var compression: Compression
    /// A batch closes at whichever of the three comes first.
    package var maximumBatchEvents: Int
    package var maximumBatchBytes: Int
    package var maximumBatchAge: Duration
    /// Of the full-jitter backoff: `random(0, min(cap, base * 2^n))`.
    package var backoffBase: Duration
    package var backoffCap: Duration
    /// How long a held sink waits before it tries again by itself.
    package var probeInterval: Duration
    /// From the connection to the last byte of the reply.
    package var timeout: Duration
    /// The file that holds the bearer token; read anew for each attempt after a hold or reload.
    @Exact package var tokenFile: String?
    /// A PEM file of certificate authorities that are trusted besides the system's.
    @Exact package var caFile: String?
    package var headers: [ExactString: ExactString]

    package init(
        name: String, url: String, isEnabled: Bool = true, start: StartPoint = .now, compression: Compression = .gzip,
        maximumBatchEvents: Int = 500, maximumBatchBytes: Int = 1 << 20, maximumBatchAge: Duration = .seconds(1),
        backoffBase: Duration = .seconds(1), backoffCap: Duration = .seconds(30),
        probeInterval: Duration = .seconds(300), timeout: Duration = .seconds(30), tokenFile: String? = nil,
        caFile: String? = nil, headers: [ExactString: ExactString] = [:]
    ) {
        self.name = name
        self.url = url
        self.isEnabled = isEnabled
        self.start = start
        self.compression = compression
        self.maximumBatchEvents = maximumBatchEvents
        self.maximumBatchBytes = maximumBatchBytes
        self.maximumBatchAge = maximumBatchAge
        self.backoffBase = backoffBase
        self.backoffCap = backoffCap
        self.probeInterval = probeInterval
        self.timeout = timeout
        self.tokenFile = tokenFile
        self.caFile = caFile
        self.headers = headers
    }
}
