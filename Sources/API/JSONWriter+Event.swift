import JSON
import Model

extension JSONWriter {
    /// Appends the object of an event line, without a line break.
    mutating func append(
        _ event: borrowing Event, _ repeated: inout RepeatedMembers, isHighlighted: Bool = false
    ) {
        appendHead(event)
        if isHighlighted { raw(Self.highlighted) }
        repeated.append(event.origin, to: &self)
        repeated.append(event.kind, to: &self)
        key("resolution")
        string(event.resolution.rawValue)
        append(event.findings)
        appendContent(event)
        endObject()
    }

    /// Appends the members that differ in every line, except the payload, as one piece.
    private mutating func appendHead(_ event: borrowing Event) {
        rawASCII(count: 256 + 2 * WireTime.textCount + JournalCursor.textCapacity) { text in
            text.put(#"{"type":"event","id":"#)
            text.put(decimal: event.id)
            text.put(#","uid":""#)
            text.put(event.uid.value)
            text.put(#"","time":""#)
            text.put(WireTime(microseconds: event.realtimeMicroseconds))
            text.put(#"","cursor":""#)
            text.put(event.cursor)
            text.put(#"","level":""#)
            text.put(event.level)
            text.put("\"")
            if let level = event.program.level {
                text.put(#","program_level":""#)
                text.put(level)
                text.put("\"")
            }
            if let time = event.program.timeMicroseconds {
                text.put(#","program_time":""#)
                text.put(WireTime(microseconds: time))
                text.put("\"")
            }
            guard let pid = event.pid else { return }
            text.put(#","pid":"#)
            text.put(decimal: Int64(pid))
        }
    }

    /// Appends the object of one event line.
    mutating func append(_ event: Event) {
        var repeated = RepeatedMembers()
        append(event, &repeated)
    }

    private static let highlighted = Array(#""highlighted":true"#.utf8)
    private static let noFindings = Array(#""violations":[],"warnings":[]"#.utf8)

    private mutating func append(_ findings: Findings?) {
        guard let findings else { return raw(Self.noFindings) }
        append(violations: findings.violations)
        append(warnings: findings.warnings)
        if let reason = findings.reason {
            key("reason")
            string(reason)
        }
    }

    private mutating func append(violations: [Violation]) {
        key("violations")
        beginArray()
        for violation in violations {
            beginObject()
            key("parameter")
            string(violation.parameter)
            key("rule")
            string(violation.rule.rawValue)
            key("expected")
            string(violation.expected)
            key("found")
            string(violation.found)
            endObject()
        }
        endArray()
    }

    private mutating func append(warnings: [Warning]) {
        key("warnings")
        beginArray()
        for warning in warnings {
            beginObject()
            key("rule")
            string(warning.rule.rawValue)
            if let parameter = warning.parameter {
                key("parameter")
                string(parameter)
            }
            endObject()
        }
        endArray()
    }

    private mutating func appendContent(_ event: borrowing Event) {
        guard !event.resolution.hasPayload else {
            key("payload")
            value(LargeValue(.oneLine, event.payload))
            if event.text != nil { append(message: event.message) }
            return
        }
        append(message: event.message)
    }

    private mutating func append(message: [UInt8]) {
        key("message")
        value(LargeValue(.text, message))
        if !message.isUTF8 {
            key("raw_base64")
            value(LargeValue(.base64, message))
        }
    }
}

extension [UInt8] {
    /// Does not copy the text, unlike `String(validating:)`.
    var isUTF8: Bool { (try? UTF8Span(validating: span)) != nil }
}
