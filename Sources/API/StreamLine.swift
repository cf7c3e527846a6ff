import FoundationEssentials
import JSON
import Model

/// A line of the NDJSON of reads, tails and sinks, as clients read it.
package enum StreamLine: Sendable, Hashable {
    case event(EventLine)
    /// A place where entries are missing, in reads and tails.
    case gap(GapLine)
    /// The client was too slow: this many events of the store, matching the filter or not, were skipped here.
    case missed(count: Int64)
    /// This many events were left out here because they were sent before the tail began, in a journal file that was
    /// read late.
    case late(count: Int64)
    /// Something failed. The stream ends with this line.
    case error(Problem)
    /// A line of a newer daemon, to be ignored.
    case other(type: String)
}

extension StreamLine {
    package static let stream = StreamDescription(
        name: "StreamLine", summary: "One line of a stream of events",
        lines: [
            EventLine.object,
            ObjectDescription("GapLine", GapLine.object.summary, [.type("gap")] + GapLine.object.members),
            ObjectDescription(
                "MissedLine", "Events that a tail skipped",
                [
                    .type("missed"),
                    .count(
                        """
                        The number of events of the store, matching the filter or not, that were skipped because the \
                        client reads too slowly
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

/// Reads lines of a stream. What an event has in common with the one before it is read once.
package struct StreamLineReader: Sendable {
    private var previous: (object: WireObject, event: EventLine)?

    package init() {}

    /// Reads one line, with or without its line break.
    /// - Throws: `StreamLineError` if it is not such a line. Unknown keys are ignored.
    package mutating func read(_ line: [UInt8]) throws(StreamLineError) -> StreamLine {
        let object = try WireObject(line)
        switch try object.string("type") {
        case "event":
            let event = try EventLine(object, after: previous)
            previous = (object, event)
            return .event(event)
        case "gap": return .gap(try object.decode(GapLine.self))
        case "missed": return .missed(count: try object.integer("count"))
        case "late": return .late(count: try object.integer("count"))
        case "error": return .error(try object.object("problem").decode(Problem.self))
        case let type: return .other(type: type)
        }
    }
}

extension EventLine {
    /// Reads an event line.
    package static func parse(_ line: [UInt8]) throws(StreamLineError) -> EventLine {
        try EventLine(WireObject(line))
    }

    /// - Parameter previous: another line, and what was read from it.
    init(
        _ object: WireObject, after previous: (object: WireObject, event: EventLine)? = nil
    ) throws(StreamLineError) {
        id = try object.integer("id")
        uid = try object.string("uid")
        time = try object.time("time")
        cursor = try object.string("cursor")
        if let previous, object.hasSame(Origin.names, as: previous.object) {
            origin = previous.event.origin
        } else {
            origin = Origin(bootID: try object.string("boot_id"), sender: try SenderValues(object))
        }
        level = try object.value("level") { Level($0) }
        programLevel = try object.optionalString("program_level").flatMap { Level($0) }
        programTime = try object.optionalString("program_time") == nil ? nil : try object.time("program_time")
        pid = try object.optionalInteger("pid")
        isHighlighted = object.text("highlighted")?.elementsEqual("true".utf8) ?? false
        if let previous, object.hasSame(EventKind.names, as: previous.object) {
            kind = previous.event.kind
        } else {
            kind = EventKind(
                dictionary: try object.optionalString("dictionary"),
                definitionsVersion: try object.optionalString("definitions_version"),
                key: try object.optionalObject("event").map { key throws(StreamLineError) in
                    EventKey(category: try key.string("category"), name: try key.string("name"))
                })
        }
        resolution = try object.value("resolution", Resolution.init(rawValue:))
        violations = try object.objects("violations").map { violation throws(StreamLineError) in
            ViolationLine(
                parameter: try violation.string("parameter"),
                rule: try violation.value("rule", Violation.Rule.init(rawValue:)),
                expected: try violation.string("expected"), found: try violation.string("found"))
        }
        warnings = try object.objects("warnings").map { warning throws(StreamLineError) in
            let rule = try warning.value("rule", Warning.Rule.init(rawValue:))
            guard let known = Warning(rule, parameter: try warning.optionalString("parameter")) else {
                throw StreamLineError(description: "warnings: \(rule.rawValue) needs a parameter")
            }
            return known
        }
        reason = try object.optionalString("reason")
        if let payload = object.text("payload") {
            content = .payload(payload)
            text = try object.optionalString("message")
        } else {
            let raw = try object.optionalString("raw_base64").map { Array(Data(base64Encoded: $0) ?? Data()) }
            content = .message(try object.string("message"), raw: raw)
        }
    }
}

extension EventLine.Origin {
    fileprivate static let names = ["boot_id"] + SenderField.allCases.map(\.name)
}

extension EventKind {
    fileprivate static let names = ["event", "dictionary", "definitions_version"]
}

extension SenderValues {
    fileprivate init(_ object: WireObject) throws(StreamLineError) {
        let texts = try SenderField.allCases.map { field throws(StreamLineError) in
            switch field.type {
            case .text where field.isOptional: try object.optionalString(field.name)
            case .text: try object.string(field.name)
            case .number: try object.optionalInteger(field.name).map { (number: UInt32) in "\(number)" }
            }
        }
        self.init { texts[$0.place] }
    }
}
