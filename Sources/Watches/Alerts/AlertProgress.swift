internal import Model
internal import Store

/// What an alert rule has seen and sent. Time is what its callers say, so that weeks pass in a test, and stored events
/// can be gone through.
///
/// Events count for a threshold only if they were looked at soon after they were sent: what is caught up, or arrives late,
/// is not reported. They do count for what was there before, and as a sign of life.
struct AlertProgress: Sendable, Codable {
    /// The values that the events of a cause have for the rule's keys.
    typealias Cause = [ExactString?]

    /// A change that a notice is sent for.
    struct Change: Sendable, Hashable {
        var state: AlertNotice.State
        var cause: Cause
        var since: Int64
        var count: Int
        var event: Int64?
        /// Whether it is noted, but not sent.
        var isSilenced = false
    }

    /// When it began to look, in microseconds since 1970.
    private(set) var startedAt: Int64
    /// The newest event that was stored already when it began. What was there before is no first occurrence.
    private var stored: Int64?
    /// The latest time that its callers said.
    private var time: Int64?
    private(set) var causes: [Cause: CauseProgress] = [:]
    /// The causes that were there already, of a rule about first occurrences.
    private var known: Set<Cause> = []
    /// Those that are new, and were not reported yet.
    private var new: [Cause: EventPlace] = [:]
    /// When an event was left out last, because there were more causes than are distinguished, or more was to be kept than may be.
    private var cutAt: Int64?
    /// The earliest time at which a cause can make room for another; `nil` if that is not known.
    private var roomAt: Int64?
    /// About what is saved of it, and held in memory.
    private(set) var bytes = 0

    /// The most causes that are distinguished, and the most that are remembered for first occurrences.
    static let (mostCauses, mostKnown) = (1000, 10_000)
    /// The most that is kept, in bytes.
    static let mostBytes = 8 << 20
    /// How long it takes at most until an event is looked at, usually, in microseconds: it is read after others, and somebody
    /// looks from time to time only.
    private static let leeway: Int64 = 5_000_000
    /// How long a cause that is absent is kept, in microseconds.
    private static let longestAbsence: Int64 = 7 * 86_400_000_000
    /// For how long it is said that events were left out, in microseconds.
    private static let cutTime: Int64 = 3_600_000_000
    /// Events that are looked at later than that are late, in microseconds.
    static let timely: Int64 = 60_000_000

    /// - Parameter stored: the newest event that is stored; `nil` if all events are new.
    init(startedAt: Int64, stored: Int64? = nil) { (self.startedAt, self.stored) = (startedAt, stored) }

    /// Whether its numbers can be what was saved.
    var isSound: Bool {
        SavedNumbers.areTimes([startedAt, time, cutAt, roomAt]) && SavedNumbers.areIDs([stored])
            && SavedNumbers.areTimes(new.values.map(\.time)) && SavedNumbers.areIDs(new.values.map(\.id))
            && SavedNumbers.areCounts([bytes]) && causes.values.allSatisfy(\.isSound)
    }

    // MARK: events

    /// - Parameters:
    ///   - now: the time at which they are looked at.
    ///   - mostBytes: the most that is kept. Events for which more would be are left out.
    mutating func add(
        _ events: [WatchedEvent], of rule: AlertRule, now: Int64, mostBytes: Int = AlertProgress.mostBytes
    ) {
        note(now)
        var room = AlertRoom(of: mostBytes, without: bytes)
        defer {
            bytes = mostBytes - room.bytes
            if room.isCut { cutAt = now }
        }
        // A wrong clock may have sent some from the future, and damaged entries have any time.
        var rest = events.map { event in
            let place = EventPlace(time: max(.min / 2, min(event.place.time, now)), id: event.place.id)
            return WatchedEvent(place: place, values: event.values)
        }[...]
        while let first = rest.first {
            // Many are alike.
            let alike = rest.prefix { $0.values == first.values }
            rest = rest.dropFirst(alike.count)
            let cause = Self.cause(of: first, rule)
            let earliest = alike.reduce(now) { min($0, $1.place.time) }
            switch rule.condition {
            case .first: addFirst(cause, alike, now, &room)
            case .count(_, let within), .growth(_, _, let within), .distinct(_, _, let within):
                let width = Self.width(within)
                change(cause, of: rule, now: now, &room) { progress, room in
                    for event in alike { progress.add(event, of: rule, now: now, width: width, &room) }
                    // Its condition may have been met since then.
                    progress.looked(atMostUntil: max(earliest - 1, now - Self.timely))
                }
            case .absent:
                change(cause, of: rule, now: now, &room) { progress, _ in
                    for event in alike { progress.last = max(progress.last ?? event.place, event.place) }
                    progress.looked(atMostUntil: max(earliest - 1, now - Self.leeway))
                }
            }
        }
    }

    /// Returns the cause that an event belongs to.
    static func cause(of event: WatchedEvent, _ rule: AlertRule) -> Cause { Array(event.values.prefix(rule.by.count)) }

    private mutating func addFirst(
        _ cause: Cause, _ events: ArraySlice<WatchedEvent>, _ now: Int64, _ room: inout AlertRoom
    ) {
        guard !known.contains(cause) else { return }
        guard known.count < Self.mostKnown, room.take(Self.bytes(of: cause)) else { return room.isCut = true }
        known.insert(cause)
        guard events.allSatisfy({ $0.place.id > stored ?? .min }) else { return }
        new[cause] = events.lazy.map(\.place).filter { now - $0.time <= Self.timely }.min()
    }

    private mutating func change(
        _ cause: Cause, of rule: AlertRule, now: Int64, _ room: inout AlertRoom,
        _ body: (inout CauseProgress, inout AlertRoom) -> Void
    ) {
        let isNew = causes[cause] == nil
        if isNew && causes.count >= Self.mostCauses || room.bytes < Self.scarceBytes + (isNew ? room.reserve : 0) {
            makeRoom(rule, now, &room)
        }
        // One that was idle itself is new again.
        if causes[cause] == nil {
            guard causes.count < Self.mostCauses,
                room.take(Self.bytes(of: cause) + Self.causeBytes, leaving: room.reserve)
            else { return room.isCut = true }
        }
        // Taken out, so that it is not copied.
        var progress = causes.removeValue(forKey: cause) ?? CauseProgress()
        body(&progress, &room)
        causes[cause] = progress
    }

    /// Less room than that is not enough for what a cause may have in its time.
    static let scarceBytes = 64 << 10
    /// About what is saved of a cause, without its values and its events.
    private static let causeBytes = 320

    private static func bytes(of cause: Cause) -> Int {
        cause.reduce(2) { $0 + ($1.map { TimePart.bytes(of: $0) } ?? 5) }
    }

    private static func bytes(of cause: Cause, _ progress: CauseProgress) -> Int {
        progress.parts.reduce(bytes(of: cause) + causeBytes) { $0 + $1.bytes }
    }

    /// Finds out again what is kept.
    private mutating func weigh() {
        bytes =
            causes.reduce(0) { $0 + Self.bytes(of: $1.key, $1.value) } + known.reduce(0) { $0 + Self.bytes(of: $1) }
    }

    /// Forgets the oldest causes of which nothing is to be expected: they do not fire, and whatever comes for them now finds
    /// nothing in its time. Some are forgotten together, since all have to be looked at for that.
    private mutating func makeRoom(_ rule: AlertRule, _ now: Int64, _ room: inout AlertRoom) {
        // What is absent is what nothing comes of.
        guard rule.condition.within != nil, let reach = rule.condition.reach, now >= roomAt ?? .min else { return }
        let span = Int64(clamping: reach.wholeMicroseconds)
        let idle = causes.filter { $1.firedAt == nil && $1.heldSince == nil }
        let ends = idle.map { (cause: $0, time: $1.last.map { $0.time + span } ?? now) }.sorted { $0.time < $1.time }
        let gone = ends.prefix(Self.mostCauses / 10).prefix { $0.time <= now }
        for (cause, _) in gone {
            if let progress = causes.removeValue(forKey: cause) { room.bytes += Self.bytes(of: cause, progress) }
        }
        // What comes from now on is not over before either.
        roomAt = ends.dropFirst(gone.count).first?.time ?? now + span
    }

    // MARK: privacy

    /// Replaces values that must not be kept any more. Causes that then are the same become one.
    /// - Returns: whether there were any.
    mutating func protect(_ protection: ValueProtection, of rule: AlertRule) -> Bool {
        guard !protection.isEmpty else { return false }
        let before = self
        func cause(_ cause: Cause) -> Cause { protection.values(cause, of: rule.by) }
        causes = Dictionary(
            causes.map { (cause($0), $1.mappingValues { Self.counted($0, protection, rule) }) },
            uniquingKeysWith: { $0.merged(with: $1) })
        known = Set(known.map(cause))
        new = Dictionary(new.map { (cause($0), $1) }, uniquingKeysWith: min)
        weigh()
        return (causes, known, new) != (before.causes, before.known, before.new)
    }

    private static func counted(
        _ value: ExactString, _ protection: ValueProtection, _ rule: AlertRule
    ) -> ExactString {
        guard case .distinct(let key, _, _) = rule.condition else { return value }
        return protection.value(value, of: key) ?? value
    }

    // MARK: time

    /// Notes what time it is. After the clock was set back, everything is as long ago as it was before.
    private mutating func note(_ now: Int64) {
        defer { time = now }
        guard let time, time > now else { return }
        startedAt = max(.min / 2, startedAt - (time - now))
        causes = causes.mapValues { $0.moved(back: time - now) }
        cutAt = cutAt.map { max(.min / 2, $0 - (time - now)) }
        roomAt = nil
    }

    /// The length of the parts that a time is counted in.
    static func width(_ within: Duration) -> Int64 {
        max(100_000, Int64(clamping: within.wholeMicroseconds) / 60)
    }

    /// How often it has to be asked for changes, in microseconds.
    static func step(_ rule: AlertRule) -> Int64 {
        switch rule.condition {
        case .count(_, let within), .growth(_, _, let within), .distinct(_, _, let within):
            max(1_000_000, min(width(within), 60_000_000))
        case .absent(let time): max(1_000_000, min(width(time), 60_000_000))
        case .first: 1_000_000
        }
    }

    /// Since when the condition holds, of each cause for which it does.
    var holds: [Cause: Int64] { causes.compactMapValues(\.heldSince) }

    /// Whether events were left out lately (of first occurrences, ever), because there were more causes than are distinguished,
    /// or more was to be kept than may be.
    var isCut: Bool { cutAt != nil }

    /// Whether nothing can change without events.
    var isQuiet: Bool { causes.isEmpty && new.isEmpty }

    /// The earliest time at which a cause of a rule about absent events can change without events; `.max` if none can.
    func nextChange(of rule: AlertRule) -> Int64 {
        // The one cause without keys is there from the first look on.
        guard case .absent(let time) = rule.condition, !rule.by.isEmpty || !causes.isEmpty else { return startedAt }
        let absence = Int64(clamping: time.wholeMicroseconds)
        let hold = Int64(clamping: rule.holdTime.wholeMicroseconds)
        let every = rule.every.map { Int64(clamping: $0.wholeMicroseconds) }
        return causes.values.reduce(.max) { earliest, progress in
            let repeated = every.flatMap { every in progress.sentAt.map { $0 + every } }
            // It is forgotten after the longest absence, if there may be others.
            let forgotten = rule.by.isEmpty ? nil : progress.firedAt.map { $0 + Self.longestAbsence + 1 }
            if progress.firedAt != nil { return min(earliest, repeated ?? .max, forgotten ?? .max) }
            let last = max(progress.last?.time ?? startedAt, startedAt)
            return min(earliest, progress.heldSince.map { $0 + hold } ?? last + absence)
        }
    }

    /// Finds the changes that notices have to be sent for, the earliest first.
    /// - Parameters:
    ///   - now: in microseconds since 1970.
    ///   - completeUntil: all events until then were looked at; only for that time is it known that there are none.
    ///   - isSilenced: whether nothing may be sent now. What still fires when that is over is reported then, as if it had just
    ///     begun; of what is over by then, no end is sent.
    ///   - only: a cause, if nothing has happened to the others; `nil` for all.
    mutating func changes(
        of rule: AlertRule, now: Int64, completeUntil: Int64, isSilenced: Bool = false, only: Cause? = nil
    ) -> [Change] {
        note(now)
        var changes = new.sorted { $0.value < $1.value }.map {
            Change(
                state: .firing, cause: $0.key, since: $0.value.time, count: 1, event: $0.value.id,
                isSilenced: isSilenced)
        }
        new = [:]
        // What was seen first is not forgotten, causes are.
        if rule.condition != .first, let cut = cutAt, now - cut > Self.cutTime { cutAt = nil }
        if case .absent = rule.condition, rule.by.isEmpty, causes.isEmpty { causes[[]] = CauseProgress() }
        // What does not fire any more can make room.
        if only == nil { roomAt = nil }
        let looked = only.map { cause in causes[cause].map { [cause: $0] } ?? [:] } ?? causes
        for (cause, progress) in looked {
            // The end of what has held says since when it has.
            let held = progress.heldSince
            var progress = progress
            if let (state, count) = move(&progress, rule, now, completeUntil, isSilenced) {
                changes.append(
                    Change(
                        state: state, cause: cause, since: progress.heldSince ?? held ?? progress.firedAt ?? now,
                        count: count, event: progress.last?.id, isSilenced: isSilenced || progress.beganSilenced))
            }
            if state(isOver: progress) { (progress.firedAt, progress.beganSilenced) = (nil, false) }
            let isIdle = progress.parts.isEmpty && progress.firedAt == nil && progress.heldSince == nil
            if case .absent = rule.condition {
                // What is gone for so long does not come back.
                let isGone = progress.firedAt.map { !rule.by.isEmpty && now - $0 > Self.longestAbsence } ?? false
                causes[cause] = isGone ? nil : progress
            } else {
                causes[cause] = isIdle ? nil : progress
            }
        }
        if only == nil, rule.condition != .first { weigh() }
        return changes.sorted { ($0.since, $0.event ?? 0) < ($1.since, $1.event ?? 0) }
    }

    private func state(isOver progress: CauseProgress) -> Bool { progress.firedAt != nil && progress.heldSince == nil }

    private func isMet(
        _ count: Int, _ progress: CauseProgress, _ rule: AlertRule, _ now: Int64, _ completeUntil: Int64
    ) -> Bool {
        switch rule.condition {
        case .count, .distinct: return progress.isEnough(count, of: rule, at: now)
        case .growth(_, _, let within):
            // Before it has looked for so long, it does not know how many there were.
            let isKnown = now - startedAt >= 2 * Int64(clamping: within.wholeMicroseconds)
            return isKnown && progress.isEnough(count, of: rule, at: now)
        case .absent(let time):
            let since = max(progress.last?.time ?? startedAt, startedAt)
            // While it fires, only an event ends it.
            if progress.firedAt != nil, completeUntil < since + Int64(clamping: time.wholeMicroseconds) {
                return progress.last.map { $0.time <= progress.heldSince ?? progress.firedAt ?? 0 } ?? true
            }
            return completeUntil - since >= Int64(clamping: time.wholeMicroseconds)
        case .first: return false
        }
    }

    /// Goes through the time since a cause was looked at: what is met for a short time only counts for as long as it is.
    /// - Returns: the state of the notice that has to be sent, and how many events there were, if there is one.
    private func move(
        _ progress: inout CauseProgress, _ rule: AlertRule, _ now: Int64, _ completeUntil: Int64, _ isSilenced: Bool
    ) -> (state: AlertNotice.State, count: Int)? {
        let holdTime = Int64(clamping: rule.holdTime.wholeMicroseconds)
        let hasFired = progress.firedAt != nil
        // Reading may pause, or be behind. Then nobody knows whether what has fired is over.
        let waits = hasFired && rule.condition.within != nil
        let isRead = !waits || completeUntil >= now - Self.timely
        // Until then, no more events are expected.
        let expected = waits ? (isRead ? completeUntil : .min) : max(completeUntil, now - Self.leeway)
        let known = min(now, max(progress.lookedUntil ?? now - Self.leeway, expected))
        var (isMet, isMetNow, count, isDue) = (false, false, 0, false)
        let moments = moments(progress, rule, known, now)
        // Once it has fired, only the last one matters.
        for time in hasFired ? moments.reversed() : moments {
            let counted = progress.count(of: rule, at: time)
            let isMetThen = self.isMet(counted, progress, rule, time, min(completeUntil, time))
            guard isMetThen || time <= known else { continue }
            (isMet, isMetNow) = (isMetThen, isMetThen && time == now)
            if isMet { count = counted }
            if hasFired { break }
            if isDue { continue }
            let since = progress.heldSince ?? time
            // What ends has held until then.
            let isLong = isMet ? time - since >= holdTime : time - since > holdTime
            // What is old is not reported.
            isDue = isLong && now - time <= Self.timely
            if isDue, !isMet, count == 0 { count = progress.count(of: rule, at: time - 1) }
            progress.heldSince = isMet || isDue ? since : nil
        }
        progress.lookedUntil = known
        if let reach = rule.condition.reach {
            let old = max(known, now - Self.leeway) - Self.timely - Int64(clamping: reach.wholeMicroseconds)
            progress.parts.removeAll { $0.start <= old }
        }
        guard hasFired else {
            guard isDue else { return nil }
            (progress.firedAt, progress.sentAt, progress.beganSilenced) = (now, now, isSilenced)
            if rule.condition.within != nil, let since = progress.heldSince {
                progress.lookedUntil = min(known, max(since, completeUntil))
            }
            return (.firing, count)
        }
        guard isMet else {
            guard isRead else { return nil }
            (progress.heldSince, progress.overUntil) = (nil, known)
            return (.resolved, count)
        }
        // What may be over is not reported again.
        guard isMetNow || completeUntil >= now - Self.leeway else { return nil }
        if progress.beganSilenced, !isSilenced {
            (progress.sentAt, progress.beganSilenced) = (now, false)
            return (.firing, count)
        }
        guard let every = rule.every, let sent = progress.sentAt,
            now - sent >= Int64(clamping: every.wholeMicroseconds)
        else { return nil }
        progress.sentAt = now
        return (.repeated, count)
    }

    /// Returns when the condition may have changed since a cause was looked at, and the ends of the time, ascending.
    private func moments(_ progress: CauseProgress, _ rule: AlertRule, _ known: Int64, _ now: Int64) -> [Int64] {
        let from = max(0, progress.lookedUntil ?? 0)
        var moments: Set<Int64> = [min(now, from + 1), known, now]
        func add(_ begin: Int64, _ length: Int64) {
            if begin > from - length, begin <= now - length { moments.insert(begin + length) }
        }
        switch rule.condition {
        case .count, .growth, .distinct:
            guard let within = rule.condition.within else { break }
            for part in progress.parts {
                add(part.countsFrom, 0)
                add(part.start, within)
                if case .growth = rule.condition { add(part.start, 2 * within) }
            }
        case .absent(let time):
            let last = max(progress.last?.time ?? startedAt, startedAt)
            add(last, 0)
            add(last, Int64(clamping: time.wholeMicroseconds))
        case .first: break
        }
        return moments.sorted()
    }
}
