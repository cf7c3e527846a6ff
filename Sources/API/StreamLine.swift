import FoundationEssentials
import JSON
import Model

/// A line of the NDJSON of reads, tails and sinks, as clients read it.
package enum StreamLine: Sendable, Hashable {
    case event(EventLine)
    /// A place where entries are missing, in reads and tails.
    case gap(GapLine)
    /// The client was too far behind: this many events of the store, matching the filter or not, were skipped here, or
    /// removed before they could be sent.
    case missed(count: Int64)
    /// This many events were left out here because they were sent before the tail began, in a journal file that was
    /// read late.
    case late(count: Int64)
    /// Something failed. The stream ends with this line.
    case error(Problem)
    /// A line of a newer daemon, to be ignored.
    case other
}

extension StreamLine {
    package static let stream = StreamDescription(
        name: "StreamLine", summary: "One line of a stream of events",
        lines: [
            LineMembers.line,
            ObjectDescription("GapLine", GapLine.object.summary, [.type("gap")] + GapLine.object.members),
            ObjectDescription(
                "MissedLine", "Events that a tail skipped",
                [
                    .type("missed"),
                    .count(
                        """
                        The number of events of the store, matching the filter or not, that were skipped because the \
                        client reads too slowly, or were removed before they could be sent
                        """),
                ]),
            ObjectDescription(
                "LateLine", "Events that a tail left out",
                [
                    .type("late"),
                    .count(
                        """
                        The number of events that were left out because they were sent before the tail began, and were \
                        read from the journal later; late=true includes them
                        """),
                ]),
            Problem.line,
        ])
}

extension MemberDescription {
    fileprivate static func count(_ text: String) -> Self {
        Self(name: "count", type: .integer, text: text, example: 12)
    }
}

/// Why a line could not be read.
package struct StreamLineError: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String
}

extension StreamLine {
    /// Reads one line, with or without its line break.
    /// - Throws: `StreamLineError` if it is not such a line. Unknown keys are ignored.
    package static func parse(_ line: [UInt8]) throws(StreamLineError) -> StreamLine {
        var reader = StreamLineReader()
        return try reader.read(line)
    }
}

/// Reads lines of a stream. What an event has in common with one of the last ones is read once, if the members are in the order in
/// which they are written.
package struct StreamLineReader: Sendable {
    private let members: LineMembers
    private var origins = LastSections<EventLine.Origin>()
    private var kinds = LastSections<EventKind>()

    /// - Parameter members: those that were asked for, with `LineMembers(toRead:)`. Texts of others are empty, and a content is an
    ///   empty message.
    package init(_ members: LineMembers = .all) {
        self.members = members
    }

    /// Reads one line, with or without its line break.
    /// - Throws: `StreamLineError` if it is not such a line. Unknown keys are ignored.
    package mutating func read(_ line: [UInt8]) throws(StreamLineError) -> StreamLine {
        let object = try WireObject(line, in: EventLine.order)
        switch try object.string(.type) {
        case "event": return .event(try EventLine(object, members, &origins, &kinds))
        case "gap": return .gap(try object.decode(GapLine.self))
        case "missed": return .missed(count: try object.integer("count"))
        case "late": return .late(count: try object.integer("count"))
        case "error": return .error(try object.object("problem").decode(Problem.self))
        default: return .other
        }
    }
}

/// What some sections of lines were read as.
private struct LastSections<Value: Sendable>: Sendable {
    private var last: [(section: [UInt8], value: Value)] = []
    /// The place that is taken next.
    private var oldest = 0

    private static var capacity: Int { 32 }

    /// - Parameter section: if it is `nil`, the value is always made.
    mutating func value(
        _ section: ArraySlice<UInt8>?, _ make: () throws(StreamLineError) -> Value
    ) throws(StreamLineError) -> Value {
        guard let section else { return try make() }
        if let known = last.first(where: { $0.section.hasSameBytes(as: section) }) { return known.value }
        let value = try make()
        if last.count < Self.capacity {
            last.append((Array(section), value))
        } else {
            last[oldest] = (Array(section), value)
            oldest = (oldest + 1) % Self.capacity
        }
        return value
    }
}

extension EventLine {
    init(_ object: WireObject) throws(StreamLineError) {
        var (origins, kinds) = (LastSections<Origin>(), LastSections<EventKind>())
        try self.init(object, .all, &origins, &kinds)
    }

    /// - Parameters:
    ///   - members: those that it should have.
    ///   - origins, kinds: what lines before it were read as.
    fileprivate init(
        _ object: WireObject, _ members: LineMembers, _ origins: inout LastSections<Origin>,
        _ kinds: inout LastSections<EventKind>
    ) throws(StreamLineError) {
        func string(_ key: WireKey) throws(StreamLineError) -> String {
            members.contains(key) ? try object.string(key) : ""
        }
        id = try object.integer(.id)
        uid = try string(.uid)
        time = try object.time(.time)
        cursor = try string(.cursor)
        origin = try origins.value(object.section(from: .bootID, upTo: .event)) { () throws(StreamLineError) in
            Origin(bootID: try string(.bootID), sender: try SenderValues(object, members))
        }
        level = try object.value(.level) { Level($0) }
        programLevel = try object.optionalString(.programLevel).flatMap { Level($0) }
        programTime = try object.optionalString(.programTime) == nil ? nil : try object.time(.programTime)
        pid = try object.optionalInteger(.pid)
        isHighlighted = object.text(.highlighted)?.elementsEqual("true".utf8) ?? false
        kind = try kinds.value(object.section(from: .event, upTo: .resolution)) { () throws(StreamLineError) in
            EventKind(
                dictionary: try object.optionalString(.dictionary),
                definitionsVersion: try object.optionalString(.definitionsVersion),
                key: try object.optionalObject(.event).map { key throws(StreamLineError) in
                    EventKey(category: try key.string("category"), name: try key.string("name"))
                })
        }
        resolution = try object.value(.resolution, Resolution.init(rawValue:))
        violations = try object.objects(.violations).map { violation throws(StreamLineError) in
            ViolationLine(
                parameter: try violation.string("parameter"),
                rule: try violation.value("rule", Violation.Rule.init(rawValue:)),
                expected: try violation.string("expected"), found: try violation.string("found"))
        }
        warnings = try object.objects(.warnings).map { warning throws(StreamLineError) in
            let rule = try warning.value("rule", Warning.Rule.init(rawValue:))
            guard let known = Warning(rule, parameter: try warning.optionalString("parameter")) else {
                throw StreamLineError(description: "warnings: \(rule.rawValue) needs a parameter")
            }
            return known
        }
        reason = try object.optionalString(.reason)
        if let payload = object.text(.payload) {
            content = .payload(payload)
            text = try object.optionalString(.message)
        } else {
            let raw = try object.optionalString(.raw).map { Array(Data(base64Encoded: $0) ?? Data()) }
            content = .message(try string(.message), raw: raw)
        }
    }
}

extension SenderValues {
    fileprivate init(_ object: WireObject, _ members: LineMembers) throws(StreamLineError) {
        let texts = try WireKey.senderFields.map { field, key throws(StreamLineError) in
            switch field.type {
            case .text where field.isOptional || !members.contains(key): try object.optionalString(key)
            case .text: try object.string(key)
            case .number: try object.optionalInteger(key).map { (number: UInt32) in "\(number)" }
            }
        }
        self.init { texts[$0.place] }
    }
}
