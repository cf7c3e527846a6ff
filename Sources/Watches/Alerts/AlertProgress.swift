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

    /// Of one cause.
    struct Progress: Sendable, Hashable, Codable {
        fileprivate var parts: [TimePart] = []

        /// - Parameter width: the length of a part.
        fileprivate mutating func add(
            _ event: WatchedEvent, of rule: AlertRule, now: Int64, width: Int64, _ room: inout Room
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
            // They are in order.
            parts.lazy.reversed().prefix { $0.start > begin }
        }

        /// How many events, or different values, there are at a time.
        fileprivate func count(of rule: AlertRule, at time: Int64) -> Int {
            guard let within = rule.condition.within else { return 0 }
            let parts = parts(after: time - within).lazy.filter { $0.countsFrom <= time }
            guard case .distinct(_, let least, _) = rule.condition else { return parts.reduce(0) { $0 + $1.count } }
            // Fewer do not matter.
            let most = parts.reduce(0) { $0 + $1.values.count }
            guard most >= least else { return most }
            return parts.reduce(into: Set<ExactString>()) { $0.formUnion($1.values) }.count
        }

        /// Whether a rule that counts fires with so many at a time, once it has looked for long enough.
        fileprivate func isEnough(_ count: Int, of rule: AlertRule, at time: Int64) -> Bool {
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
        private mutating func part(at start: Int64, from time: Int64, _ room: inout Room) -> Int? {
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
        private mutating func gather(at start: Int64, _ room: inout Room) {
            guard var whole = parts.popLast() else { return }
            defer { parts = [whole] }
            whole.start = max(whole.start, start)
            guard !parts.isEmpty else { return }
            room.bytes += parts.reduce(whole.bytes) { $0 + $1.bytes }
            for part in parts { whole.add(part) }
            room.bytes -= whole.bytes
        }

        /// Returns the same with other values that are counted.
        fileprivate func mappingValues(_ body: (ExactString) -> ExactString) -> Progress {
            var progress = self
            for place in parts.indices { progress.parts[place].map(body) }
            return progress
        }

        /// Returns what two causes have come to together.
        fileprivate func merged(with other: Progress) -> Progress {
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

        /// The latest event that is kept.
        fileprivate(set) var last: EventPlace?
        /// Since when the condition holds.
        fileprivate(set) var heldSince: Int64?
        /// When a notice was sent first, and last.
        fileprivate(set) var firedAt: Int64?
        fileprivate var sentAt: Int64?
        /// Whether it fires, and nobody was told, since its rule was silenced when it began to.
        fileprivate var beganSilenced = false
        /// Until when its condition was looked at.
        fileprivate var lookedUntil: Int64?

        /// Until when its condition was looked at when it was reported as over. What was met before is not reported again.
        fileprivate var overUntil: Int64?

        fileprivate mutating func looked(atMostUntil time: Int64) {
            lookedUntil = min(lookedUntil ?? time, max(time, overUntil ?? .min))
        }

        /// Returns the same at times that are earlier, by microseconds.
        fileprivate func moved(back: Int64) -> Progress {
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

    /// The events of a short time.
    struct TimePart: Sendable, Hashable, Codable {
        var start: Int64
        /// When the event was sent with which there were enough, or else the latest one. All of them count from then on.
        var countsFrom: Int64
        /// Those that were looked at in time.
        var count = 0
        /// All of them.
        var all = 0
        /// Those that are different.
        private(set) var values: Set<ExactString> = []
        /// How many more it takes at least until there are enough at `countsFrom`: none, if there were; `nil` if that has to be
        /// counted, since that takes long. It is not saved.
        fileprivate var missing: Int?
        /// About what it takes when it is saved.
        fileprivate private(set) var bytes = Self.bytes

        private enum CodingKeys: CodingKey { case start, countsFrom, count, all, values, bytes }

        fileprivate init(start: Int64, countsFrom: Int64) { (self.start, self.countsFrom) = (start, countsFrom) }

        fileprivate mutating func insert(_ value: ExactString) {
            if values.insert(value).inserted { bytes += Self.bytes(of: value) }
        }

        fileprivate mutating func map(_ body: (ExactString) -> ExactString) {
            let before = values
            (values, bytes) = ([], Self.bytes)
            for value in before { insert(body(value)) }
            if values.count < before.count { missing = nil }
        }

        fileprivate mutating func add(_ other: TimePart) {
            (countsFrom, missing) = (min(countsFrom, other.countsFrom), nil)
            count += other.count
            all += other.all
            var fewer = other
            if values.count < fewer.values.count {
                swap(&values, &fewer.values)
                swap(&bytes, &fewer.bytes)
            }
            for value in fewer.values { insert(value) }
        }

        /// About what it takes when it is saved, without values.
        fileprivate static let bytes = 96
        fileprivate static func bytes(of value: ExactString) -> Int {
            value.text.utf8.reduce(3) { bytes, byte in
                switch byte {
                case ..<0x20: bytes + 6
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes + 2
                default: bytes + 1
                }
            }
        }
    }

    /// What more may be kept.
    fileprivate struct Room {
        /// Less than none, if it has become smaller.
        var bytes: Int
        /// What new causes leave for the events of those that are there, or no condition might be met for want of room.
        let reserve: Int
        /// Whether something was left out.
        var isCut = false

        init(of most: Int, without kept: Int) { (bytes, reserve) = (most - kept, most / 10) }

        /// - Returns: whether there was room.
        mutating func take(_ count: Int, leaving rest: Int = 0) -> Bool {
            guard count <= bytes - rest else {
                isCut = true
                return false
            }
            bytes -= count
            return true
        }
    }

    /// When it began to look, in microseconds since 1970.
    private(set) var startedAt: Int64
    /// The newest event that was stored already when it began. What was there before is no first occurrence.
    private var stored: Int64?
    /// The latest time that its callers said.
    private var time: Int64?
    private(set) var causes: [Cause: Progress] = [:]
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

    // MARK: events

    /// - Parameters:
    ///   - now: the time at which they are looked at.
    ///   - mostBytes: the most that is kept. Events for which more would be are left out.
    mutating func add(
        _ events: [WatchedEvent], of rule: AlertRule, now: Int64, mostBytes: Int = AlertProgress.mostBytes
    ) {
        note(now)
        var room = Room(of: mostBytes, without: bytes)
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
        _ cause: Cause, _ events: ArraySlice<WatchedEvent>, _ now: Int64, _ room: inout Room
    ) {
        guard !known.contains(cause) else { return }
        guard known.count < Self.mostKnown, room.take(Self.bytes(of: cause)) else { return room.isCut = true }
        known.insert(cause)
        guard events.allSatisfy({ $0.place.id > stored ?? .min }) else { return }
        new[cause] = events.lazy.map(\.place).filter { now - $0.time <= Self.timely }.min()
    }

    private mutating func change(
        _ cause: Cause, of rule: AlertRule, now: Int64, _ room: inout Room,
        _ body: (inout Progress, inout Room) -> Void
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
        var progress = causes.removeValue(forKey: cause) ?? Progress()
        body(&progress, &room)
        causes[cause] = progress
    }

    /// Less room than that is not enough for what a cause may have in its time.
    fileprivate static let scarceBytes = 64 << 10
    /// About what is saved of a cause, without its values and its events.
    private static let causeBytes = 320

    private static func bytes(of cause: Cause) -> Int {
        cause.reduce(2) { $0 + ($1.map { TimePart.bytes(of: $0) } ?? 5) }
    }

    private static func bytes(of cause: Cause, _ progress: Progress) -> Int {
        progress.parts.reduce(bytes(of: cause) + causeBytes) { $0 + $1.bytes }
    }

    /// Finds out again what is kept.
    private mutating func weigh() {
        bytes =
            causes.reduce(0) { $0 + Self.bytes(of: $1.key, $1.value) } + known.reduce(0) { $0 + Self.bytes(of: $1) }
    }

    /// Forgets the oldest causes of which nothing is to be expected: they do not fire, and whatever comes for them now finds
    /// nothing in its time. Some are forgotten together, since all have to be looked at for that.
    private mutating func makeRoom(_ rule: AlertRule, _ now: Int64, _ room: inout Room) {
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
        if case .absent = rule.condition, rule.by.isEmpty, causes.isEmpty { causes[[]] = Progress() }
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

    private func state(isOver progress: Progress) -> Bool { progress.firedAt != nil && progress.heldSince == nil }

    private func isMet(
        _ count: Int, _ progress: Progress, _ rule: AlertRule, _ now: Int64, _ completeUntil: Int64
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
        _ progress: inout Progress, _ rule: AlertRule, _ now: Int64, _ completeUntil: Int64, _ isSilenced: Bool
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
    private func moments(_ progress: Progress, _ rule: AlertRule, _ known: Int64, _ now: Int64) -> [Int64] {
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

extension AlertRule.Condition {
    /// How far back events matter; `nil` for ever.
    var reach: Duration? {
        switch self {
        case .count(_, let within), .distinct(_, _, let within): within
        case .growth(_, _, let within): within * 2
        case .absent(let time): time
        case .first: nil
        }
    }

    /// How many there have to be at least; `nil` if they are not counted.
    fileprivate var least: Int? {
        switch self {
        case .count(let least, _), .distinct(_, let least, _), .growth(_, let least, _): least
        case .absent, .first: nil
        }
    }

    /// The length of the time in which events are counted, in microseconds; `nil` if they are not.
    fileprivate var within: Int64? {
        switch self {
        case .count(_, let within), .distinct(_, _, let within), .growth(_, _, let within):
            Int64(clamping: within.wholeMicroseconds)
        case .absent, .first: nil
        }
    }
}
