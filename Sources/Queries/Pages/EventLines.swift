import API
package import JSON
package import Model
import Store
import Synchronization

/// Lines of NDJSON, written as the events are read: none of them is kept, but one that is larger than a page.
package struct EventLines: EventOutput {
    private var lines: StreamLineWriter
    private let memory: LineMemory?
    /// About how many bytes of lines there may be; 0 for one line, whatever it has.
    private let bytes: Int
    /// How many bytes a payload may have.
    private let payloadBytes: Int
    /// Of each event, and where its line ends.
    private var places: [(id: Int64, end: Int)] = []

    /// Room is left for lines of this length at least.
    private static let lineBytes = 1 << 10

    init(bytes: Int, payloadBytes: Int, in memory: LineMemory) {
        lines = StreamLineWriter(in: memory.take())
        self.memory = memory
        self.bytes = bytes
        self.payloadBytes = payloadBytes
    }

    init(oneOf payloadBytes: Int) {
        lines = StreamLineWriter(keepingFrom: JSONPieces.partBytes)
        memory = nil
        bytes = 0
        self.payloadBytes = payloadBytes
    }

    package var count: Int { places.count }
    var lastID: Int64? { places.last?.id }

    package func hasRoom(forPayload payload: Int) -> Bool {
        payload <= payloadBytes && (places.isEmpty || lines.pendingBytes + payload + Self.lineBytes <= bytes)
    }

    package mutating func take(_ event: borrowing Event) {
        lines.append(event)
        places.append((event.id, lines.pendingBytes))
    }

    // MARK: on their way

    /// - Parameters:
    ///   - gaps: those whose lines belong between those of the events.
    ///   - isAscending: whether the events are.
    package consuming func page(with gaps: [GapRecord], isAscending: Bool, share: StreamMemory.Share? = nil)
        -> ReplyPage
    {
        let pieces = gaps.isEmpty ? [lines.take()] : mixed(with: gaps.sorted(isAscending: isAscending), isAscending)
        return ReplyPage(lines: pieces, gaps: gaps, share: share, memory: memory)
    }

    private mutating func mixed(with gaps: [GapRecord], _ isAscending: Bool) -> [JSONPieces] {
        var (pieces, before, start, rest) = ([JSONPieces](), StreamLineWriter(), 0, gaps[...])
        let isOne = bytes == 0
        for (id, end) in places {
            while let gap = rest.first, gap.comes(before: id, isAscending) { before.append(rest.removeFirst()) }
            if isOne {
                pieces += [before.take(), lines.take()]
            } else {
                before.append(lines: lines.bytes[start..<end])
            }
            start = end
        }
        for gap in rest { before.append(gap) }
        return pieces + [before.take()]
    }
}

extension GapRecord {
    /// A gap stands behind the event that came before it.
    fileprivate func comes(before id: Int64, _ isAscending: Bool) -> Bool {
        isAscending ? afterEventID < id : afterEventID >= id
    }
}

/// What is written of an answer at once: lines of NDJSON.
package struct ReplyPage: Sendable {
    package var lines: [JSONPieces] = []
    /// Those that are among the lines.
    package var gaps: [GapRecord] = []
    /// What they take in memory, where it is more than usual.
    var share: StreamMemory.Share?
    /// What gets the memory of the lines back.
    var memory: LineMemory?

    /// To be called when nobody needs the lines any more.
    package init() {}

    init(lines: [JSONPieces] = [], gaps: [GapRecord] = [], share: StreamMemory.Share?, memory: LineMemory? = nil) {
        (self.lines, self.gaps, self.share, self.memory) = (lines, gaps, share, memory)
    }

    package consuming func giveBack() {
        if lines.count == 1, let bytes = lines.popLast()?.text { memory?.give(bytes) }
    }
}

extension Sequence<GapRecord> {
    /// By their places, and those of one place as they were found.
    func sorted(isAscending: Bool) -> [GapRecord] {
        let ascending = sorted { ($0.afterEventID, $0.id) < ($1.afterEventID, $1.id) }
        return isAscending ? ascending : ascending.reversed()
    }
}

/// Memory for the pages of one answer, used again and again: the system would have to clear what it gives for each.
package final class LineMemory: Sendable {
    /// One that is written, and one that is read meanwhile.
    private static let capacity = 2
    /// For less it is not worth it.
    package static let leastBytes = 64 << 10

    private let spare = Mutex<[[UInt8]]>([])

    /// - Returns: empty memory.
    func take() -> [UInt8] { spare.withLock { $0.popLast() ?? [] } }

    /// - Parameter bytes: nobody needs them any more. Where they are few, the client keeps up, and nothing is held for it.
    func give(_ bytes: consuming [UInt8]) {
        let isFew = bytes.count < Self.leastBytes
        bytes.removeAll(keepingCapacity: !isFew)
        let empty = bytes
        spare.withLock { spare in
            if isFew { spare = [] } else if spare.count < Self.capacity { spare.append(empty) }
        }
    }
}
