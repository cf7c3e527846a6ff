import Model

/// The store's file, its limit, and what each source takes of it.
package struct StoreStatus: Sendable, Hashable, Codable, DescribedObject {
    package var path: String
    package var bytes: Int64
    package var maxBytes: Int64
    package var whenFull: String
    package var paused: Bool
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

    package static let object = ObjectDescription(
        "Store", "The store's file, its limit, and what each source takes of it",
        [
            member("path", \.path, "The database file", "/var/lib/gloss/events.sqlite"),
            member("bytes", \.bytes, "The size of the file and of its write-ahead log", 151_000_000),
            member("max_bytes", \.maxBytes, "The maximum size of both", 1 << 30),
            member(
                "when_full", \.whenFull, "What happens when max_bytes is reached", "pause",
                as: .choice(of: StoreOptions.WhenFull.self)),
            member("paused", \.paused, "Whether reading waits until the store takes events again", false),
            member(
                "sources", \.sources,
                "What the events of each source take, the largest first; absent when that cannot be read"),
        ])
}

/// What the events of one source take.
package struct SourceStatus: Sendable, Hashable, Codable, DescribedObject {
    package var source: String
    package var events: Int64
    package var bytes: Int64
    package var maxBytes: Int64?
    package var keepSeconds: Double?

    package init(source: String, events: Int64, bytes: Int64, maxBytes: Int64? = nil, keepSeconds: Double? = nil) {
        self.source = source
        self.events = events
        self.bytes = bytes
        self.maxBytes = maxBytes
        self.keepSeconds = keepSeconds
    }

    package static let object = ObjectDescription(
        "Source", "What the events of one source take",
        [
            member(
                "source", \.source, "The rule in the settings' sources that took the events",
                "subsystem: com.example.*"),
            member(
                "events", \.events, "The number of events, without the newest few thousand of all sources", 512_000),
            member("bytes", \.bytes, "Their size in bytes; an estimate where sources share blocks", 12_900_000),
            member("max_bytes", \.maxBytes, "How much they may take, where the rule has a share", 214_748_364),
            member("keep_seconds", \.keepSeconds, "How long they are kept, where the rule has a keep", 604_800),
        ])
}

/// The events in the store now, and all that were ever stored.
package struct EventCounts: Sendable, Hashable, Codable, DescribedObject {
    package var stored: Int64
    package var oldestTime: WireTime?
    package var newestTime: WireTime?
    package var newestID: Int64
    package var everSeen: [String: Int64]
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

    package static let object = ObjectDescription(
        "EventCounts", "The events in the store now, and all that were ever stored",
        [
            member("stored", \.stored, "The number of events in the store", 512_000),
            member("oldest_time", \.oldestTime, "When the oldest of them was sent", .earlierExample),
            member("newest_time", \.newestTime, "When the newest of them was sent", .example),
            member("newest_id", \.newestID, "The id of the newest event; 0 if there never was one", 512_345),
            member(
                "ever_seen", \.everSeen, "By resolution, since the store was created; retention does not lower them"),
            member(
                "reprocessed", \.reprocessed,
                "How often stored events were resolved again with changed definitions", 0),
        ])
}

/// What is missing.
package struct GapCounts: Sendable, Hashable, Codable, DescribedObject {
    package var count: Int64
    package var droppedEvents: Int64

    package init(count: Int64, droppedEvents: Int64) {
        self.count = count
        self.droppedEvents = droppedEvents
    }

    package static let object = ObjectDescription(
        "GapCounts", "What is missing",
        [
            member("count", \.count, "The number of gap records", 0),
            member(
                "dropped_events", \.droppedEvents,
                "The number of events that Gloss removed before every sink had them", 0),
        ])
}

/// What `StatusReply` says of the stored events, for who needs nothing else of it: decoding all takes longer than asking for it.
package struct StoredEvents: Sendable, Hashable {
    package var count: Int64
    package var oldestTime: WireTime?
    package var newestTime: WireTime?

    /// - Parameter status: the document of `StatusReply`.
    /// - Returns: `nil` if it does not say.
    package init?(status: [UInt8]) {
        guard let events = try? WireObject(status).optionalObject("events"),
            let count: Int64 = try? events.integer("stored")
        else { return nil }
        self.count = count
        oldestTime = try? events.time("oldest_time")
        newestTime = try? events.time("newest_time")
    }
}
