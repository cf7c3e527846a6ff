package import API
import Model

/// How far a tail has got: where it goes on when the daemon was restarted, and what of the lines that come then was shown before.
package struct TailPlace: Sendable {
    /// The newest event that was shown or was there before the tail began; what comes next is asked for behind it.
    package private(set) var event: Int64
    /// The identity of that event, where it was shown: in another store, the same id is another event's.
    package private(set) var uid: String?
    /// When the newest event by time was sent that was shown; before there is one, since when the tail has all; `nil` where
    /// that is its beginning.
    package private(set) var time: WireTime?
    /// The events of that very time.
    private var uidsOfTime: Set<ExactString> = []
    /// Events behind the place that were shown with those before it.
    private var ahead: Set<Int64> = []
    /// Gap records that were shown. One that lies behind the place comes again with it.
    private var gaps: Set<Int64> = []
    /// Whether `time` is that of an event.
    private var hasShown = false
    /// Whether the ids are of another store than those that were shown.
    private var isOfNewStore = false

    package init(event: Int64, began: WireTime? = nil) {
        self.event = event
        time = began
    }

    /// - Returns: the lines that were not shown yet, in order. They count as shown from then on.
    /// - Parameter isBacklog: whether they are the last events by time, whose ids are in no order.
    package mutating func fresh(_ lines: [[UInt8]], isBacklog: Bool = false) -> [[UInt8]] {
        lines.filter { line in
            switch LineHead(line) {
            case .event(let id, let uid, let time): take(id, uid, time, isBacklog: isBacklog)
            case .gap(let id): gaps.insert(id).inserted
            case .other: true
            }
        }
    }

    /// An event that was left out, and is not to be asked for again.
    package mutating func pass(_ id: Int64) {
        guard id > event else { return }
        event = id
        uid = nil
    }

    /// Begins with the first event of a store that was made meanwhile. Gap records and ids are others then.
    package mutating func moveToNewStore() {
        event = 0
        uid = nil
        ahead = []
        gaps = []
        isOfNewStore = true
    }

    private mutating func take(_ id: Int64, _ uid: String, _ time: WireTime, isBacklog: Bool) -> Bool {
        let isKnown = ahead.contains(id) || isOfNewStore && uidsOfTime.contains(uid)
        if !hasShown || self.time.map({ $0 < time }) ?? true {
            hasShown = true
            self.time = time
            uidsOfTime = []
        }
        if time == self.time { uidsOfTime.insert(ExactString(uid)) }
        if isBacklog {
            if id > event { ahead.insert(id) }
        } else if id >= event {
            event = id
            self.uid = uid
            // Behind the place ids only grow.
            if !ahead.isEmpty { ahead = ahead.filter { $0 > id } }
        }
        return !isKnown
    }
}

/// What a tail needs to know of a line, read from its beginning: lines may be long.
enum LineHead: Equatable {
    case event(id: Int64, uid: String, time: WireTime)
    case gap(id: Int64)
    case other

    init(_ line: [UInt8]) {
        var rest = line[...]
        if rest.skip(#"{"type":"event","id":"#), let id = rest.number(), rest.skip(#","uid":""#),
            let uid = rest.untilQuote(), rest.skip(#","time":""#),
            let time = rest.untilQuote().flatMap({ WireTime($0) })
        {
            self = .event(id: id, uid: uid, time: time)
        } else if rest.skip(#"{"type":"gap","id":"#), let id = rest.number() {
            self = .gap(id: id)
        } else {
            self = .other
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func skip(_ text: StaticString) -> Bool {
        guard text.withUTF8Buffer({ starts(with: $0) }) else { return false }
        removeFirst(text.utf8CodeUnitCount)
        return true
    }

    fileprivate mutating func number() -> Int64? {
        let digits = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        removeFirst(digits.count)
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Of values without escapes.
    fileprivate mutating func untilQuote() -> String? {
        let text = prefix(64).prefix { $0 != UInt8(ascii: "\"") }
        guard text.count < 64, text.count < count else { return nil }
        removeFirst(text.count + 1)
        return String(decoding: text, as: UTF8.self)
    }
}
