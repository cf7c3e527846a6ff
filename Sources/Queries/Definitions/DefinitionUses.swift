import API
import Model
package import Store

/// Counts of the events of one dictionary, by definition.
package struct DefinitionUses: Sendable {
    struct Use: Sendable {
        /// By resolution.
        var counts: [String: Int64] = [:]
        var firstMicroseconds = UInt64.max
        var lastMicroseconds: UInt64 = 0

        var firstSeen: WireTime { WireTime(microseconds: firstMicroseconds) }
        var lastSeen: WireTime { WireTime(microseconds: lastMicroseconds) }
    }

    private var uses: [EventKey: Use] = [:]

    /// - Parameter uses: counts of any dictionaries; others are ignored.
    package init(_ uses: [EventCount], of dictionary: String) {
        for use in uses where use.dictionary == dictionary && use.count > 0 {
            if let key = use.key { self.uses[key, default: Use()].add(use) }
        }
    }

    /// `nil` when there was no event.
    subscript(key: EventKey) -> Use? { uses[key] }
}

extension DefinitionUses.Use {
    fileprivate mutating func add(_ use: EventCount) {
        counts[use.resolution.rawValue, default: 0] += use.count
        firstMicroseconds = min(firstMicroseconds, use.firstMicroseconds)
        lastMicroseconds = max(lastMicroseconds, use.lastMicroseconds)
    }
}

extension DefinitionState {
    init(isObsolete: Bool, _ use: DefinitionUses.Use?) {
        self = isObsolete ? .obsolete : use == nil ? .unseen : .seen
    }
}
