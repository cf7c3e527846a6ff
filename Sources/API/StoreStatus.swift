/// The store's file and its limit.
package struct StoreStatus: Sendable, Hashable, Codable {
    package var path: String
    /// The database file and its write-ahead log.
    package var bytes: Int64
    package var maxBytes: Int64
    /// `pause` or `drop_oldest`.
    package var whenFull: String
    /// Whether the intake waits for room.
    package var paused: Bool
    /// Those that take most come first; `nil` when that cannot be read.
    package var sources: [SourceStatus]?

    package init(
        path: String, bytes: Int64, maxBytes: Int64, whenFull: String, paused: Bool, sources: [SourceStatus]? = []
    ) {
        self.path = path
        self.bytes = bytes
        self.maxBytes = maxBytes
        self.whenFull = whenFull
        self.paused = paused
        self.sources = sources
    }
}

/// What the events of a source take, the newest few thousand of all sources left out.
package struct SourceStatus: Sendable, Hashable, Codable {
    /// The sources rule that took them.
    package var source: String
    package var events: Int64
    /// About, as sources share blocks.
    package var bytes: Int64
    /// Where its rule has a `share`.
    package var maxBytes: Int64?
    /// Where its rule has a `keep`.
    package var keepSeconds: Double?

    package init(source: String, events: Int64, bytes: Int64, maxBytes: Int64? = nil, keepSeconds: Double? = nil) {
        self.source = source
        self.events = events
        self.bytes = bytes
        self.maxBytes = maxBytes
        self.keepSeconds = keepSeconds
    }
}

/// What the store holds, and what it ever held.
package struct EventCounts: Sendable, Hashable, Codable {
    /// How many there are now; the times and the id are theirs.
    package var stored: Int64
    package var oldestTime: WireTime?
    package var newestTime: WireTime?
    /// 0 when there never was an event.
    package var newestID: Int64
    /// By resolution, since the store was made; retention does not lower them.
    package var everSeen: [String: Int64]
    /// How many times a change of the definitions gave a stored event another resolution.
    package var reprocessed: Int64

    enum CodingKeys: String, CodingKey {
        case stored, oldestTime, newestTime, everSeen, reprocessed
        // The snake_case strategy would read `newest_id` as `newestId`.
        case newestID = "newestId"
    }

    package init(
        stored: Int64, oldestTime: WireTime?, newestTime: WireTime?, newestID: Int64, everSeen: [String: Int64],
        reprocessed: Int64 = 0
    ) {
        self.stored = stored
        self.oldestTime = oldestTime
        self.newestTime = newestTime
        self.newestID = newestID
        self.everSeen = everSeen
        self.reprocessed = reprocessed
    }
}

package struct GapCounts: Sendable, Hashable, Codable {
    package var count: Int64
    /// Events that Gloss removed before every sink had had them.
    package var droppedEvents: Int64

    package init(count: Int64, droppedEvents: Int64) {
        self.count = count
        self.droppedEvents = droppedEvents
    }
}
