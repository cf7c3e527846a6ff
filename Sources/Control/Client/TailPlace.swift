import API
import Model

/// The position of a tail: where it continues after a restart of the daemon, and which of the lines that it then
/// receives were already shown.
struct TailPlace: Sendable {
    /// The newest event that was shown or existed before the tail began. A new request begins after it.
    private(set) var event: Int64
    /// The newest event up to there whose identity is known. In another store, a different event has the same id.
    private(set) var known: (id: Int64, uid: String)?
    /// The latest time at which a shown event was sent. Before the first event, the time since which the tail has all
    /// events; `nil` if it has all.
    private(set) var time: WireTime?
    /// The shown events that were sent at exactly that time; before the first one, the event at the position.
    private var uidsOfTime: Set<ExactString> = []
    /// Shown gap records. One after the position is received again with it.
    private var gaps: Set<Int64> = []
    /// Whether `time` is the time of an event.
    private var hasShown = false
    /// The `uidsOfTime` of the stores that were replaced. A new one is read from that time on, and has them again.
    private var uidsOfOldStores: Set<ExactString> = []

    /// - Parameters:
    ///   - event: the last one that the tail does not have.
    ///   - uid: its identity, if it is known.
    ///   - time: the time since which the tail has all events; `nil` if it has all.
    init(event: Int64, uid: String? = nil, since time: WireTime? = nil) {
        self.event = event
        self.time = time
        guard let uid else { return }
        known = (event, uid)
        uidsOfTime = [ExactString(uid)]
    }

    /// Selects the lines that were not shown yet and records them as shown.
    /// - Parameter isBacklog: whether the lines are the last events by time, whose ids are in no order. Those after the
    ///   position came in the meantime: they are left to the request that begins there and has the events between, too.
    mutating func fresh(_ lines: [[UInt8]], isBacklog: Bool = false) -> [[UInt8]] {
        lines.filter { line in
            switch LineHead(line) {
            case .event(let id, let uid, let time): !(isBacklog && id > event) && take(id, uid, time)
            case .gap(let id, let after): !(isBacklog && after > event) && gaps.insert(id).inserted
            case .other: true
            }
        }
    }

    /// Records an event that was left out, so that it is not requested again.
    mutating func pass(_ id: Int64) {
        event = max(event, id)
    }

    /// Begins again with the first event of a new store, which has other gap records and ids.
    mutating func moveToNewStore() {
        event = 0
        known = nil
        gaps = []
        uidsOfOldStores.formUnion(uidsOfTime)
    }

    private mutating func take(_ id: Int64, _ uid: String, _ time: WireTime) -> Bool {
        let isKnown = uidsOfOldStores.contains(uid)
        if !hasShown || self.time.map({ $0 < time }) ?? true {
            hasShown = true
            self.time = time
            uidsOfTime = []
        }
        if time == self.time { uidsOfTime.insert(ExactString(uid)) }
        // Those of the backlog are before the position.
        if id >= event {
            event = id
            known = (id, uid)
        }
        return !isKnown
    }
}

/// The parts of a line that a tail needs. They are read from its beginning, since lines may be long.
enum LineHead: Equatable {
    case event(id: Int64, uid: String, time: WireTime)
    case gap(id: Int64, after: Int64)
    case other

    init(_ line: [UInt8]) {
        var rest = line[...]
        if let id = rest.eventID(), rest.skip(#","uid":""#), let uid = rest.untilQuote(), rest.skip(#","time":""#),
            let time = rest.untilQuote().flatMap({ WireTime($0) })
        {
            self = .event(id: id, uid: uid, time: time)
        } else if rest.skip(#"{"type":"gap","id":"#), let id = rest.number(), rest.skip(#","after":"#),
            let after = rest.number()
        {
            self = .gap(id: id, after: after)
        } else {
            self = .other
        }
    }

    /// Reads the id of an event from the beginning of its line; `nil` if the line is another one.
    static func event(beginning: [UInt8]) -> Int64? {
        var rest = beginning[...]
        return rest.eventID()
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func skip(_ text: StaticString) -> Bool {
        guard text.withUTF8Buffer({ starts(with: $0) }) else { return false }
        removeFirst(text.utf8CodeUnitCount)
        return true
    }

    fileprivate mutating func eventID() -> Int64? { skip(#"{"type":"event","id":"#) ? number() : nil }

    fileprivate mutating func number() -> Int64? {
        let digits = prefix(while: \.isDigit)
        removeFirst(digits.count)
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Reads a value without escapes.
    fileprivate mutating func untilQuote() -> String? {
        let text = prefix(64).prefix { $0 != UInt8(ascii: "\"") }
        guard text.count < 64, text.count < count else { return nil }
        removeFirst(text.count + 1)
        return String(decoding: text, as: UTF8.self)
    }
}
