import API
import Model
import Store

/// The ids between two others, in one order.
struct ArrivalRange: Sendable {
    /// The ids that it begins behind and ends before; `nil` for all.
    var after: Int64?
    var before: Int64?
    var order: EventOrder

    /// Returns the part behind `id`.
    func behind(_ id: Int64) -> ArrivalRange {
        var part = self
        if order == .oldest { part.after = id } else { part.before = id }
        return part
    }

    /// Returns where two parts end that are read at the same time.
    /// - Parameters:
    ///   - count: about how many ids a part should have.
    ///   - end: that of the part before.
    /// - Returns: `nil` if reading two is not worth it.
    func parts(of count: Int64, behind end: PageEnd) -> PartEnds? {
        guard let next = end.next, let stored = end.storedIDs else { return nil }
        let left = order == .oldest ? stored.upperBound - next : next - stored.lowerBound
        guard left > max(count / 4, 1) else { return nil }
        // If two parts are all that is left, both take as long.
        let isRest = left / 2 <= count
        let ids = isRest ? max(left / 2, 1) : count
        let first = part(of: ids, behind: next, left: left, end.blockIDs)
        guard !isRest else { return PartEnds(first: first) }
        let second = part(of: ids, behind: first, left: left - abs(first - next), end.blockIDs)
        return PartEnds(first: first, second: second)
    }

    /// Returns the last id of a part. It is that of a block, if those that follow are as large as the one before: a block that
    /// is in two parts is unpacked for both.
    private func part(of count: Int64, behind id: Int64, left: Int64, _ block: ClosedRange<Int64>?) -> Int64 {
        let step: Int64 = order == .oldest ? 1 : -1
        let usual = id + step * min(count, left)
        // A page has room for a few more.
        let most = min(count + count / 5, left)
        let end = id + step * most
        guard let block else { return usual }
        let passed = order == .oldest ? end - block.upperBound : block.lowerBound - end
        guard passed >= 0 else { return usual }
        let surplus = passed % (block.upperBound - block.lowerBound + 1)
        return most - surplus >= max(count / 2, 1) ? end - step * surplus : usual
    }
}

/// Where two parts end that are read at the same time.
struct PartEnds: Equatable {
    /// The last id of the first part; the second begins behind it.
    var first: Int64
    /// The last id of the second part; `nil` for the end of the range.
    var second: Int64?
}

/// Reads events page by page in the order of arrival. If all that match are wanted, two parts are read at a time, each on a
/// connection of its own.
struct ArrivalPages: Sendable {
    private typealias Part = (read: EventPart<EventLines>, shares: [Budget.Share])

    private var source: EventSource
    private let predicate: Predicate
    private var rest: ArrivalRange
    private var left: Int?
    private(set) var isDone = false
    /// About how many ids a part should have: as many as fill most of a page, or take most of the time; `nil` before the first,
    /// and if parts are read one after the other.
    private var partIDs: Int64?
    /// The end of the part before the rest.
    private var last = PageEnd()
    /// A part that was read before its turn, and the id that it begins behind. It may be older than the part before it.
    private var early: (id: Int64, part: Part)?
    /// The size of the next event's payload, if that is too large for a page.
    private var needed: Int?

    /// How long reading a part may take if two are read at a time. The first may be all there is. The others have more than
    /// they should take: a part that ends early keeps the next one waiting.
    private static let (firstTime, mostTime) = (Duration.milliseconds(1), Duration.milliseconds(8))
    private static let partTime = Duration.milliseconds(4)

    init(_ query: EventQuery, matching predicate: Predicate, from source: EventSource) {
        self.source = source
        self.predicate = predicate
        rest = ArrivalRange(
            after: query.after, before: query.before, order: query.order == .oldest ? .oldest : .newest)
        left = query.limit
        isDone = query.limit == 0
    }

    /// Returns the next events with the gaps between them, in order; empty when the part that was searched had none.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func next() async throws -> ReplyPage {
        guard !isDone else { return ReplyPage() }
        if let needed {
            self.needed = nil
            return try page(of: [try await large(needed)])
        }
        let ends = early == nil ? partIDs.flatMap { rest.parts(of: $0, behind: last) } : nil
        let middle = early?.id ?? ends?.first
        let now = self
        async let ahead = now.readAhead(ends)
        let part = try await read(through: middle)
        let read = await ahead
        let later = early?.part ?? read
        if early == nil, left == nil, part.read.end.needed == nil { partIDs = ids(after: part.read, through: middle) }
        early = nil
        if let needed = part.read.end.needed {
            // Reading the event waits for memory. The next call does that, when nothing of this one holds any.
            self.needed = needed
            return ReplyPage()
        }
        guard let middle, let later, let next = part.read.end.next else { return try page(of: [part]) }
        if next == middle { return try page(of: [part, later]) }
        // Otherwise it is read again.
        if abs(middle - next) <= part.read.end.examinedIDs { early = (middle, later) }
        return try page(of: [part])
    }

    // MARK: parts

    private mutating func read(through middle: Int64?) async throws -> Part {
        let time: Duration? = left != nil ? nil : partIDs == nil ? Self.firstTime : Self.mostTime
        let read = try await source.part(of: rest, through: middle, matching: predicate, limit: left, time: time)
        return (read, source.handOverShare())
    }

    /// - Returns: `nil` if nothing was read. If that is due to an error, reading it in its turn has it, too.
    private func readAhead(_ ends: PartEnds?) async -> Part? {
        guard let ends else { return nil }
        var source = source
        let read = try? await source.partAhead(
            of: rest.behind(ends.first), through: ends.second, matching: predicate, time: Self.mostTime)
        guard let read, read.end.needed == nil else { return nil }
        return (read, source.handOverShare())
    }

    private mutating func large(_ payloadBytes: Int) async throws -> Part {
        let read = try await source.line(of: rest, matching: predicate, payloadBytes: payloadBytes)
        return (read, source.handOverShare())
    }

    /// Returns how many ids the next part should have, judged by this one.
    private func ids(after part: EventPart<EventLines>, through middle: Int64?) -> Int64 {
        // The first has less room and time than those that follow.
        let time = (partIDs == nil ? Self.firstTime : Self.mostTime) / Self.partTime
        let (usedRoom, usedTime) = (part.events.usedRoom / source.growth, part.end.usedTime * time)
        let isComplete = part.end.next == middle
        // Unpacking a block takes the same time for few of its events as for many. A slow condition does not.
        let usedForEvents = part.end.blocks > 1 || !isComplete ? usedTime : usedTime < 1 ? 0.2 : 0.6
        let used = max(usedRoom, usedForEvents, 0.05)
        let count = max(1, Int64(min(0.8 / used * Double(part.end.examinedIDs), 1e15).rounded(.up)))
        return isComplete ? max(count, partIDs ?? 1) : count
    }

    // MARK: pages

    private mutating func page(of parts: [Part]) throws -> ReplyPage {
        var page = ReplyPage()
        for (var read, shares) in parts {
            left? -= read.events.count
            isDone = left == 0 || read.end.next == nil
            last = read.end
            page.removed += removed(in: read.end)
            if let next = read.end.next { rest = rest.behind(next) }
            var gaps = read.gaps.filter { predicate.concerns($0.gap) }
            // The gaps behind the last event that was requested belong to the next request: paging with `after` or `before` shows
            // each gap once.
            if left == 0, let last = read.events.lastID {
                gaps.removeAll { rest.order == .oldest ? $0.afterEventID >= last : $0.afterEventID < last }
            }
            page.append(try read.events.takePage(with: gaps, isAscending: rest.order == .oldest, shares: shares))
        }
        return page
    }

    /// Returns how many events were removed from the next part, if it has an end and they are counted.
    private func removed(in part: PageEnd) -> Int64 {
        guard source.countsRemoved, rest.order == .oldest else { return 0 }
        guard let last = part.next ?? rest.before.map({ $0 - 1 }) else { return 0 }
        return last - (rest.after ?? 0) - part.storedEvents
    }
}
