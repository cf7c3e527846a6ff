/// Whether a definition's events come.
package enum DefinitionState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Marked obsolete, whether such events still come or not.
    case obsolete
    /// No such event was ever stored.
    case unseen
    case seen
}

/// How often one definition's events came.
package struct DefinitionUse: Sendable, Hashable, Codable {
    /// By resolution, since the store was made: those that retention has removed are counted too. Resolutions that no
    /// event had are left out here and in the other counts.
    package var total: [String: Int64]
    /// Of the stored events of the last 24 hours.
    package var day: [String: Int64]
    /// Of the stored events of the last seven days.
    package var week: [String: Int64]
    package var firstSeen: WireTime?
    package var lastSeen: WireTime?
    /// When the definition was first loaded.
    package var watchedSince: WireTime?

    package init(
        total: [String: Int64] = [:], day: [String: Int64] = [:], week: [String: Int64] = [:],
        firstSeen: WireTime? = nil, lastSeen: WireTime? = nil, watchedSince: WireTime? = nil
    ) {
        self.total = total
        self.day = day
        self.week = week
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.watchedSince = watchedSince
    }
}

/// How often one rule was broken by one definition's events.
package struct ViolationUse: Sendable, Hashable, Codable {
    package var parameter: String?
    /// One of `Violation.Rule`.
    package var rule: String
    package var count: Int64
    package var lastSeen: WireTime

    package init(parameter: String?, rule: String, count: Int64, lastSeen: WireTime) {
        self.parameter = parameter
        self.rule = rule
        self.count = count
        self.lastSeen = lastSeen
    }
}

/// Where else something about a definition or an event is found.
package struct LinkReply: Sendable, Hashable, Codable {
    /// What the settings call it.
    package var name: String
    package var url: String

    package init(name: String, url: String) {
        self.name = name
        self.url = url
    }
}
