import API
package import JSON
package import Model
import Store
import Synchronization

/// Lines of NDJSON, written while the events are read. No event is kept, except one that is larger than a page.
package struct EventLines: EventOutput {
    private var lines: StreamLineWriter
    private let memory: LineMemory?
    /// The most events.
    private let events: Int
    /// About the most bytes of lines; 0 for a single line of any length.
    private let bytes: Int
    /// The most bytes of a payload.
    private let payloadBytes: Int
    /// The id of each event, and the end of its line.
    private var places: [(id: Int64, end: Int)] = []

    /// At least this much room is left for the next line.
    private static let lineBytes = 1 << 10

    init(
        of members: LineMembers = .all, events: Int = .max, bytes: Int, payloadBytes: Int, in memory: LineMemory
    ) {
        lines = StreamLineWriter(of: members, in: memory.take())
        self.memory = memory
        self.events = events
        self.bytes = bytes
        self.payloadBytes = payloadBytes
    }

    init(of members: LineMembers = .all, oneOf payloadBytes: Int) {
        lines = StreamLineWriter(of: members, deferringFrom: JSONPieces.partBytes)
        memory = nil
        events = 1
        bytes = 0
        self.payloadBytes = payloadBytes
    }

    package var count: Int { places.count }
    var lastID: Int64? { places.last?.id }
    /// How much of a page they take.
    var usedRoom: Double { max(Double(count) / Double(events), Double(lines.pendingBytes) / Double(max(bytes, 1))) }

    package func hasRoom(forPayload payload: Int) -> Bool {
        payload <= payloadBytes && (places.isEmpty || lines.pendingBytes + payload + Self.lineBytes <= bytes)
    }

    package mutating func take(_ event: borrowing Event, isHighlighted: Bool) {
        lines.append(event, isHighlighted: isHighlighted)
        places.append((event.id, lines.pendingBytes))
    }

    // MARK: pages

    /// Returns the lines as a page, and has none then.
    /// - Parameters:
    ///   - gaps: the gaps whose lines belong between those of the events.
    ///   - isAscending: whether the ids of the events ascend.
    /// - Throws: `EncodingError`.
    package mutating func takePage(
        with gaps: [GapRecord], isAscending: Bool, shares: [Budget.Share] = []
    ) throws -> ReplyPage {
        let pieces = gaps.isEmpty ? [lines.take()] : try mixed(with: gaps.sorted(isAscending: isAscending), isAscending)
        (lines, places) = (StreamLineWriter(), [])
        return ReplyPage(lines: pieces, gaps: gaps, shares: shares, memory: memory)
    }

    private mutating func mixed(with gaps: [GapRecord], _ isAscending: Bool) throws -> [JSONPieces] {
        var (pieces, before, start, rest) = ([JSONPieces](), StreamLineWriter(), 0, gaps[...])
        let isOne = bytes == 0
        for (id, end) in places {
            while let gap = rest.first, gap.comes(before: id, isAscending) { try before.append(rest.removeFirst()) }
            if isOne {
                pieces += [before.take(), lines.take()]
            } else {
                before.append(lines: lines.bytes[start..<end])
            }
            start = end
        }
        for gap in rest { try before.append(gap) }
        return pieces + [before.take()]
    }
}

extension GapRecord {
    /// A gap follows the event that came before it.
    fileprivate func comes(before id: Int64, _ isAscending: Bool) -> Bool {
        isAscending ? afterEventID < id : afterEventID >= id
    }
}

/// A part of a reply that is written in one go: lines of NDJSON.
package struct ReplyPage: Sendable {
    package var lines: [JSONPieces] = []
    /// The gaps among the lines.
    package var gaps: [GapRecord] = []
    /// How many events were removed from its part of the store, if its source counts them.
    package var removed: Int64 = 0
    /// The reservations for their memory, if they are larger than an ordinary page.
    var shares: [Budget.Share] = []
    /// Takes the memory of the lines back.
    var memory: LineMemory?

    package init() {}

    init(
        lines: [JSONPieces] = [], gaps: [GapRecord] = [], shares: [Budget.Share] = [], memory: LineMemory? = nil
    ) {
        (self.lines, self.gaps, self.shares, self.memory) = (lines, gaps, shares, memory)
    }

    /// Adds what comes after it.
    mutating func append(_ next: ReplyPage) {
        lines += next.lines
        gaps += next.gaps
        removed += next.removed
        shares += next.shares
        memory = memory ?? next.memory
    }

    /// Call it when the lines are no longer needed.
    package mutating func release() {
        for place in lines.indices {
            if var text = lines[place].takeText() { memory?.give(&text) }
        }
        self = ReplyPage()
    }
}

extension Sequence<GapRecord> {
    /// Sorted by their places, and at the same place by id.
    func sorted(isAscending: Bool) -> [GapRecord] {
        let ascending = sorted { ($0.afterEventID, $0.id) < ($1.afterEventID, $1.id) }
        return isAscending ? ascending : ascending.reversed()
    }
}

/// Memory that the pages of one reply reuse, because the system would have to clear new memory for each.
package final class LineMemory: Sendable {
    /// Two pages are written while two others are read.
    private static let capacity = 4
    /// Smaller pages are not worth it.
    package static let leastBytes = 64 << 10

    private let spare = Mutex<[[UInt8]]>([])

    /// - Returns: empty memory.
    func take() -> [UInt8] { spare.withLock { $0.popLast() ?? [] } }

    /// - Parameter bytes: no longer needed, and empty afterwards. Nothing else may have them, or new memory is taken instead. If they
    ///   are few, the client keeps up, and less memory is held for it.
    func give(_ bytes: inout [UInt8]) {
        let isFew = bytes.count < Self.leastBytes
        bytes.removeAll(keepingCapacity: !isFew)
        var empty: [UInt8] = []
        swap(&empty, &bytes)
        spare.withLock { spare in
            if isFew { _ = spare.popLast() } else if spare.count < Self.capacity { spare.append(empty) }
        }
    }

    func removeAll() { spare.withLock { $0 = [] } }
}
