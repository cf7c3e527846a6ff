internal import FoundationEssentials
internal import Model
internal import Store

/// That events were looked at, and when. It is small, and saved more often than what rules have seen: after a crash, they see
/// the events since then again, as of the time at which they saw them first.
struct AlertLook: Hashable, Codable {
    /// The id of the last event that was looked at.
    var position: Int64
    /// Microseconds since 1970.
    var time: Int64
}

extension [AlertLook] {
    /// What looks are saved as. No rule can have that name.
    static let savedName = "/looks"

    /// The most that are kept: what rules have seen is saved long before.
    private static let mostKept = 60
    /// How long after another a look is noted.
    private static let interval: Int64 = 1_500_000

    /// Those that were saved; none if they cannot be read.
    init(savedIn watches: [SavedWatch]) {
        let saved = watches.first { $0.name == Self.savedName }
        let looks = saved.flatMap { try? JSONDecoder().decode(Self.self, from: Data($0.state.utf8)) } ?? []
        self = SavedNumbers.areTimes(looks.map(\.time)) ? looks : []
    }

    var saved: SavedWatch {
        let state = (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
        return SavedWatch(name: Self.savedName, position: last?.position ?? 0, state: state ?? "[]")
    }

    /// Notes a look.
    /// - Returns: whether it has to be saved.
    mutating func note(_ look: AlertLook) -> Bool {
        if let last {
            guard look.position > last.position else { return false }
            // After the clock was set back, it may be any time.
            guard !(0..<Self.interval).contains(look.time - last.time) else { return false }
        }
        append(look)
        removeFirst(Swift.max(0, count - Self.mostKept))
        return true
    }

    /// Divides events by the looks at which they were seen first.
    /// - Parameters:
    ///   - events: in the order of their ids.
    ///   - now: when those are seen that no look is known of.
    func parts(of events: [WatchedEvent], now: Int64) -> [(time: Int64, events: [WatchedEvent])] {
        var rest = events[...]
        var parts: [(time: Int64, events: [WatchedEvent])] = []
        for look in self + [AlertLook(position: .max, time: now)] {
            let seen = rest.prefix { $0.place.id <= look.position }
            rest = rest.dropFirst(seen.count)
            if !seen.isEmpty { parts.append((time: look.time, events: [WatchedEvent](seen))) }
        }
        return parts
    }
}
