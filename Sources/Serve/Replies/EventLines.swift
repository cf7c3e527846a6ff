import API
import JSON
import Model
import Store

/// Lines of NDJSON, written as the events are read: none of them is kept, but one that is larger than a page.
struct EventLines: EventOutput {
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

    var count: Int { places.count }
    var lastID: Int64? { places.last?.id }

    func hasRoom(forPayload payload: Int) -> Bool {
        payload <= payloadBytes && (places.isEmpty || lines.pendingBytes + payload + Self.lineBytes <= bytes)
    }

    mutating func take(_ event: borrowing Event) {
        lines.append(event)
        places.append((event.id, lines.pendingBytes))
    }

    // MARK: on their way

    /// - Parameters:
    ///   - gaps: those whose lines belong between those of the events.
    ///   - isAscending: whether the events are.
    consuming func page(with gaps: [GapRecord], isAscending: Bool, share: StreamMemory.Share? = nil) -> ReplyPage {
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
