import API
import JSON
import Model
import Store

/// Reads the events that were sent last, page by page in the order of time. Only a window of their places is in memory.
///
/// An ascending reply returns first what is found last. So the search first runs to its end and keeps only the beginning of
/// each window; each window is searched again when it is its turn.
struct NewestPages: Sendable {
    private var source: EventSource
    private let predicate: Predicate
    private let isAscending: Bool
    /// Only events up to this id.
    private let last: Int64
    private let windowEvents: Int
    /// The right to a large window.
    private let share: Budget.Share?

    /// The number of events that are still to be found.
    private var left: Int
    /// They are before this place; `nil` before anything is found.
    private var before: EventPlace?
    private var hasMore = true
    /// For ascending replies: the windows that were found and not returned yet, newest first.
    private var windows: [Window]?
    /// The error that ended the search for them. It is thrown after their events.
    private var failure: StoreError?

    /// Events of the window that were read already.
    private var read: [Int64: Event] = [:]
    /// The ids of the marked ones among these, and among the events of the last page.
    private var highlighted: Set<Int64> = []
    /// The places that are returned next.
    private var window: ArraySlice<EventPlace> = []
    /// The ids of all events of the window, ascending.
    private var ids: [Int64] = []
    /// The gaps that were returned.
    private var givenGaps: Set<Int64> = []
    private(set) var isDone: Bool

    private struct Window {
        var before: EventPlace?
        var oldest: EventPlace
        var count: Int
        /// Its lowest id.
        var firstID: Int64
    }

    init(_ query: EventQuery, matching predicate: Predicate, upTo last: Int64, from source: EventSource) {
        self.source = source
        self.predicate = predicate
        isAscending = query.order == .oldest
        self.last = last
        left = query.limit ?? 0
        (windowEvents, share) = source.window(of: left)
        isDone = left == 0
    }

    /// Returns the next events with the gaps between them.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func next() async throws -> ReplyPage {
        guard !isDone else { return ReplyPage() }
        if let failure, window.isEmpty, !hasWindows {
            isDone = true
            throw failure
        }
        let isFirst = windows == nil && before == nil
        if window.isEmpty { try await fill() }
        let (events, places) = try await nextEvents()
        window = window.dropFirst(places.count)
        isDone = window.isEmpty && !hasWindows && failure == nil
        return try await placed(events, of: places, hasOldest: isAscending ? isFirst && failure == nil : isDone)
    }

    /// Returns events that were read when they were found, or else reads a page.
    private mutating func nextEvents() async throws -> ([Event], of: ArraySlice<EventPlace>) {
        let known = window.prefix { read[$0.id] != nil }
        if !known.isEmpty {
            defer { read = [:] }
            return (known.compactMap { read[$0.id] }, known)
        }
        let (page, handled) = try await source.page(ids: window.map(\.id))
        highlighted = highlighted.filter { read[$0] != nil }.union(page.highlighted)
        return (page.events, window.prefix(handled))
    }

    // MARK: windows

    private var hasWindows: Bool { isAscending ? !(windows ?? []).isEmpty : left > 0 && hasMore }

    private mutating func fill() async throws {
        var places: [EventPlace] = []
        if !isAscending {
            places = try await find()
        } else if let window = windows?.popLast() {
            // If events of it were removed meanwhile, the search finds events of the windows before it, too.
            places = try await newest(window.count, before: window.before).places.reversed().filter {
                $0 >= window.oldest
            }
        } else {
            places = try await findAll().reversed()
        }
        window = places[...]
        ids = places.map(\.id).sorted()
    }

    /// Finds the next places, from the newest on.
    private mutating func find() async throws -> [EventPlace] {
        let found = try await newest(min(left, windowEvents), before: before)
        left -= found.places.count
        (read, highlighted) = (found.read, found.highlighted)
        hasMore = found.hasMore
        before = found.places.last ?? before
        return found.places
    }

    /// - Returns: the oldest window.
    private mutating func findAll() async throws -> [EventPlace] {
        var (found, places) = ([Window](), [EventPlace]())
        do {
            while left > 0, hasMore {
                let start = before
                let next = try await find()
                guard let firstID = next.map(\.id).min(), let oldest = next.last else { break }
                found.append(Window(before: start, oldest: oldest, count: next.count, firstID: firstID))
                places = next
            }
        } catch let error as StoreError where error.kind == .corrupt && !found.isEmpty {
            failure = error
        }
        windows = Array(found.dropLast())
        return places
    }

    private func newest(
        _ count: Int, before place: EventPlace?
    ) async throws -> NewestEvents {
        try await source.store.newest(
            count, matching: predicate, upTo: last, before: place, bytes: source.pageBytes,
            highlighting: source.highlight)
    }

    // MARK: gaps

    /// Adds the gaps. A gap follows the event that came before it, or the last one before that in the window.
    /// - Parameter hasOldest: whether the page has the oldest events of the reply. Gaps before them belong to the reply, too.
    private mutating func placed(
        _ events: [Event], of places: ArraySlice<EventPlace>, hasOldest: Bool
    ) async throws -> ReplyPage {
        let memory = source.lineMemory
        var page = ReplyPage(shares: source.handOverShare(), memory: memory)
        var lines = StreamLineWriter(
            of: source.members, in: memory.take(), deferringFrom: JSONPieces.partBytes)
        let behind = try await gapsBehind(places, hasOldest: hasOldest)
        func append(_ gaps: [GapRecord]?) throws {
            for gap in (gaps ?? []).sorted(isAscending: isAscending) {
                page.gaps.append(gap)
                try lines.append(gap)
            }
        }
        var rest = events[...]
        if isAscending { try append(behind[nil]) }
        for place in places {
            if !isAscending { try append(behind[place.id]) }
            if rest.first?.id == place.id {
                lines.append(rest.removeFirst(), isHighlighted: highlighted.contains(place.id))
            }
            if isAscending { try append(behind[place.id]) }
        }
        if !isAscending { try append(behind[nil]) }
        page.lines = [lines.take()]
        return page
    }

    /// Returns the gaps by the event that each follows; `nil` for those before the first event.
    private mutating func gapsBehind(
        _ places: ArraySlice<EventPlace>, hasOldest: Bool
    ) async throws -> [Int64?: [GapRecord]] {
        let owners = Set(places.map(\.id))
        var first = owners.min() ?? 0
        if hasOldest { first = left > 0 ? 0 : min(first, (ids.first ?? 1) - 1) }
        let end = owners.map { ids.first(after: $0).map { $0 - 1 } ?? lastOfWindow }.max() ?? last
        guard first <= end else { return [:] }
        let records = try await source.store.gaps(behind: first...end).filter { predicate.concerns($0.gap) }
        var behind: [Int64?: [GapRecord]] = [:]
        for record in records {
            let owner = ids.last(upTo: record.afterEventID)
            guard owner.map(owners.contains) ?? hasOldest, givenGaps.insert(record.id).inserted else { continue }
            behind[owner, default: []].append(record)
        }
        return behind
    }

    /// Gaps after this id belong to a window that is returned later.
    private var lastOfWindow: Int64 {
        let later = (windows ?? []).map(\.firstID).filter { $0 > ids.last ?? 0 }
        return later.min().map { $0 - 1 } ?? last
    }
}

extension [Int64] {
    /// In an ascending list, the first id that is greater.
    fileprivate func first(after id: Int64) -> Int64? {
        let place = place(after: id)
        return place < count ? self[place] : nil
    }

    /// In an ascending list, the last id that is not greater.
    fileprivate func last(upTo id: Int64) -> Int64? {
        let place = place(after: id)
        return place > 0 ? self[place - 1] : nil
    }

    private func place(after id: Int64) -> Int { endOfThose { $0 <= id } }
}
