internal import Model
internal import Store

/// What an alert rule has seen of one cause, and sent.
struct CauseProgress: Sendable, Hashable, Codable {
    /// In the order of time.
    var parts: [TimePart] = []
    /// The latest event that is kept.
    var last: EventPlace?
    /// Since when the condition holds.
    var heldSince: Int64?
    /// When a notice was sent first, and last.
    var firedAt: Int64?
    var sentAt: Int64?
    /// Whether it fires, and nobody was told, since its rule was silenced when it began to.
    var beganSilenced = false
    /// Until when its condition was looked at.
    var lookedUntil: Int64?
    /// Until when its condition was looked at when it was reported as over. What was met before is not reported again.
    var overUntil: Int64?

    /// Whether its numbers can be what was saved.
    var isSound: Bool {
        SavedNumbers.areTimes([last?.time, heldSince, firedAt, sentAt, lookedUntil, overUntil])
            && SavedNumbers.areIDs([last?.id])
            && SavedNumbers.areTimes(parts.flatMap { [$0.start, $0.countsFrom] })
            && SavedNumbers.areCounts(parts.flatMap { [$0.count, $0.all, $0.bytes] })
    }

    /// - Parameter width: the length of a part.
    mutating func add(
        _ event: WatchedEvent, of rule: AlertRule, now: Int64, width: Int64, _ room: inout AlertRoom
    ) {
        let reach = Int64(clamping: (rule.condition.reach ?? .zero).wholeMicroseconds)
        guard event.place.time > now - AlertProgress.timely - reach else { return }
        let start = event.place.time / width * width
        guard let index = part(at: start, from: event.place.time, &room) else { return }
        last = max(last ?? event.place, event.place)
        parts[index].all += 1
        // What comes late may matter for the parts after it.
        for later in parts.indices.dropFirst(index + 1) { parts[later].missing = nil }
        // What fires goes on also with what was read late.
        guard firedAt != nil || now - event.place.time <= AlertProgress.timely else { return }
        guard case .distinct(_, let least, _) = rule.condition else {
            delay(index, to: event.place.time, rule)
            parts[index].count += 1
            return
        }
        parts[index].count += 1
        // More than that cannot change whether it is met.
        guard let value = event.values.last ?? nil, parts[index].values.count < least,
            !parts[index].values.contains(value)
        else { return }
        // What is known from before does not, either.
        let begin = max(parts[index].countsFrom, event.place.time) - reach
        if parts[index].missing != 0,
            !parts[..<index].contains(where: { $0.start > begin && $0.values.contains(value) })
        {
            delay(index, to: event.place.time, rule)
        }
        if room.take(TimePart.bytes(of: value)) {
            parts[index].insert(value)
        } else if firedAt != nil {
            gather(at: start, &room)
        }
    }

    /// Lets a part count from another event on, if there were not enough before it: what a condition has held is counted from
    /// the event with which it was met.
    private mutating func delay(_ index: Int, to time: Int64, _ rule: AlertRule) {
        let before = parts[index].countsFrom
        guard time > before || parts[index].missing != nil else { return }
        let missing = parts[index].missing ?? missing(of: rule, at: before)
        parts[index].missing = missing > 1 ? missing - 1 : missing == 1 ? nil : 0
        if missing > 0 { parts[index].countsFrom = max(before, time) }
    }

    /// How many more events, or different values, it takes at least until there are enough.
    private func missing(of rule: AlertRule, at time: Int64) -> Int {
        let count = count(of: rule, at: time)
        return isEnough(count, of: rule, at: time) ? 0 : max(1, (rule.condition.least ?? 0) - count)
    }

    /// The parts that begin after a time.
    private func parts(after begin: Int64) -> some Collection<TimePart> {
        parts.lazy.reversed().prefix { $0.start > begin }
    }

    /// How many events, or different values, there are at a time.
    func count(of rule: AlertRule, at time: Int64) -> Int {
        guard let within = rule.condition.within else { return 0 }
        let parts = parts(after: time - within).lazy.filter { $0.countsFrom <= time }
        guard case .distinct(_, let least, _) = rule.condition else { return parts.reduce(0) { $0 + $1.count } }
        // Fewer do not matter.
        let most = parts.reduce(0) { $0 + $1.values.count }
        guard most >= least else { return most }
        return parts.reduce(into: Set<ExactString>()) { $0.formUnion($1.values) }.count
    }

    /// Whether a rule that counts fires with so many at a time, once it has looked for long enough.
    func isEnough(_ count: Int, of rule: AlertRule, at time: Int64) -> Bool {
        switch rule.condition {
        case .count(let least, _), .distinct(_, let least, _): return count >= least
        case .growth(let factor, let least, let within):
            guard count >= least else { return false }
            let span = Int64(clamping: within.wholeMicroseconds)
            let before = parts(after: time - 2 * span).reduce(0) { $1.start <= time - span ? $0 + $1.all : $0 }
            return Double(count) >= factor * Double(before)
        case .absent, .first: return false
        }
    }

    /// Returns the place of the part that an event counts in; `nil` if there is no room for one.
    private mutating func part(at start: Int64, from time: Int64, _ room: inout AlertRoom) -> Int? {
        let before = parts.lastIndex { $0.start <= start }
        if let before, parts[before].start == start { return before }
        // Without room, all that goes on is in one part, which may be later than what was read late.
        if firedAt != nil, parts.count == 1, parts[0].start > start, room.bytes < AlertProgress.scarceBytes {
            return 0
        }
        if room.take(TimePart.bytes) {
            let place = before.map { $0 + 1 } ?? 0
            parts.insert(TimePart(start: start, countsFrom: time), at: place)
            return place
        }
        guard firedAt != nil, !parts.isEmpty else { return nil }
        gather(at: start, &room)
        return parts.indices.last
    }

    /// Makes one part of all, as late as the latest event: what fires must not be over because there is no room for the
    /// events that go on.
    private mutating func gather(at start: Int64, _ room: inout AlertRoom) {
        guard var whole = parts.popLast() else { return }
        defer { parts = [whole] }
        whole.start = max(whole.start, start)
        guard !parts.isEmpty else { return }
        room.bytes += parts.reduce(whole.bytes) { $0 + $1.bytes }
        for part in parts { whole.add(part) }
        room.bytes -= whole.bytes
    }

    /// Returns the same with other values that are counted.
    func mappingValues(_ body: (ExactString) -> ExactString) -> CauseProgress {
        var progress = self
        for place in parts.indices { progress.parts[place].map(body) }
        return progress
    }

    /// Returns what two causes have come to together.
    func merged(with other: CauseProgress) -> CauseProgress {
        var progress = self
        for part in other.parts { progress.add(part) }
        progress.last = [last, other.last].compactMap(\.self).max()
        progress.heldSince = [heldSince, other.heldSince].compactMap(\.self).min()
        progress.firedAt = [firedAt, other.firedAt].compactMap(\.self).min()
        progress.beganSilenced = [self, other].filter { $0.firedAt != nil }.allSatisfy(\.beganSilenced)
        progress.sentAt = [sentAt, other.sentAt].compactMap(\.self).max()
        progress.lookedUntil = [lookedUntil, other.lookedUntil].compactMap(\.self).min()
        progress.overUntil = [overUntil, other.overUntil].compactMap(\.self).max()
        return progress
    }

    private mutating func add(_ part: TimePart) {
        guard let place = parts.firstIndex(where: { $0.start >= part.start }) else { return parts.append(part) }
        guard parts[place].start == part.start else { return parts.insert(part, at: place) }
        parts[place].add(part)
    }

    /// Lets its condition be looked at again from a time on, but not what was reported as over.
    mutating func looked(atMostUntil time: Int64) {
        lookedUntil = min(lookedUntil ?? time, max(time, overUntil ?? .min))
    }

    /// Returns the same at times that are earlier, by microseconds.
    func moved(back: Int64) -> CauseProgress {
        func moved(_ time: Int64) -> Int64 { max(.min / 2, time - back) }
        var progress = self
        for place in parts.indices {
            progress.parts[place].start = moved(parts[place].start)
            progress.parts[place].countsFrom = moved(parts[place].countsFrom)
        }
        progress.last = last.map { EventPlace(time: moved($0.time), id: $0.id) }
        progress.heldSince = heldSince.map(moved)
        progress.firedAt = firedAt.map(moved)
        progress.sentAt = sentAt.map(moved)
        progress.lookedUntil = lookedUntil.map(moved)
        progress.overUntil = overUntil.map(moved)
        return progress
    }
}
