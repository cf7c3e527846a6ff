import API
import JSON

/// Examines the beginnings of lines while a stream passes through. Of lines, it keeps only the one that says that the stream
/// failed, and what came behind the last event: a stream that breaks off can be continued behind an event.
struct PassingLines: Sendable {
    /// The beginning of every line.
    static let beginning = Array(#"{"type":""#.utf8)
    /// The beginning of the line that ends a failed stream.
    static let failure = Array(#"{"type":"error""#.utf8)
    /// The beginning of the line of an event, which has the same length.
    static let event = Array(#"{"type":"event""#.utf8)
    /// The most bytes of the beginning of an event's line that are needed: they have its id.
    private static let longestHead = event.count + 26
    private static let longestFailure = 1 << 20
    /// More than this is passed on although it has no end.
    private static let mostHeld = 1 << 20

    /// Whether the stream has an end, and could be continued.
    private let isRange: Bool
    /// The beginning of the current line, as far as it is needed.
    private var head: [UInt8] = []
    /// That of the last event.
    private var lastHead: [UInt8] = []
    private var failed: [UInt8] = []
    /// What came behind the last event; of a stream without end, behind the last line.
    private var held: [UInt8] = []
    /// Whether what was passed on ends in the middle of a line.
    private var isWithinLine = false
    /// The number of events.
    private(set) var events = 0
    /// The number of lines.
    private(set) var count = 0

    init(ofRange isRange: Bool) { self.isRange = isRange }

    /// - Returns: what can be passed on.
    /// - Throws: if a line does not begin like those of the daemon.
    mutating func feed(_ piece: ArraySlice<UInt8>) throws(ControlError) -> [UInt8] {
        var (rest, end) = (piece, ArraySlice<UInt8>.Index?.none)
        while !rest.isEmpty {
            let length = rest.withUnsafeBufferPointer { $0[...].lengthOfLine }
            let part = rest.prefix(length ?? rest.count)
            try pass(part)
            rest = rest.dropFirst(part.count)
            guard length != nil else { continue }
            rest = rest.dropFirst()
            if try endLine() { end = rest.startIndex }
        }
        return take(piece, through: end)
    }

    /// Returns what has not been passed on, at the end of a whole stream.
    mutating func finish() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// The id of the last event, if what was passed on ends with it.
    var lastEvent: Int64? { isWithinLine ? nil : LineHead.event(beginning: lastHead) }

    /// The problem that ended the stream, if it failed.
    var problem: Problem? { failed.isEmpty ? nil : StreamLine.problem(in: failed) }

    private static let notOurs = ControlError.badReply("a line of it does not begin with its type")

    /// - Throws: if a line, as far as it is there, does not begin like those of the daemon. Before an error, one may have been
    ///   cut off.
    static func check(_ line: [UInt8]) throws(ControlError) {
        guard line.begins(with: beginning) || beginning.begins(with: line) else { throw notOurs }
    }

    private mutating func pass(_ part: ArraySlice<UInt8>) throws(ControlError) {
        let known = head.count
        if known < Self.longestHead {
            head += part.prefix(Self.longestHead - known)
            try Self.check(head)
        }
        guard head.begins(with: Self.failure), failed.count + part.count < Self.longestFailure else { return }
        failed += failed.isEmpty ? head + part.dropFirst(head.count - known) : part[...]
    }

    /// - Returns: whether it can be passed on.
    private mutating func endLine() throws(ControlError) -> Bool {
        guard head.count >= Self.beginning.count else { throw Self.notOurs }
        count += 1
        let isEvent = head.begins(with: Self.event)
        if isEvent {
            events += 1
            swap(&head, &lastHead)
        }
        head.removeAll(keepingCapacity: true)
        return isEvent || !isRange
    }

    /// - Parameter end: of the last line in the piece that can be passed on.
    private mutating func take(_ piece: ArraySlice<UInt8>, through end: Int?) -> [UInt8] {
        guard let end else {
            held += piece
            guard held.count > Self.mostHeld || isWithinLine else { return [] }
            isWithinLine = true
            return finish()
        }
        defer { held = Array(piece[end...]) }
        isWithinLine = false
        return held.isEmpty ? Array(piece[..<end]) : held + piece[..<end]
    }
}

extension [UInt8] {
    /// Unlike `starts(with:)`, takes no longer than copying so many bytes: it is asked three times for each line.
    func begins(with other: [UInt8]) -> Bool { other.hasSameBytes(as: prefix(other.count)) }
}

extension StreamLine {
    /// Returns the problem that ended a stream, if the line has one. Other lines are not parsed.
    static func problem(in line: [UInt8]) -> Problem? {
        guard line.begins(with: PassingLines.failure), case .error(let problem)? = try? parse(line) else { return nil }
        return problem
    }

    /// Returns the problem that ended a stream, if the last of the lines has it.
    static func problem(in lines: [[UInt8]]) -> Problem? { lines.last.flatMap { problem(in: $0) } }
}
