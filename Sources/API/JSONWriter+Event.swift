import JSON
import Model

extension JSONWriter {
    /// Appends the object of an event line, without a line break.
    mutating func append(
        _ event: borrowing Event, _ repeated: inout RepeatedMembers, isHighlighted: Bool = false
    ) {
        let members = repeated.members
        appendHead(event, members)
        if isHighlighted, members.contains(.highlighted) { raw(Self.highlighted) }
        repeated.append(event.origin, to: &self)
        repeated.append(event.kind, to: &self)
        if members.contains(.resolution) {
            member("resolution", event.resolution.rawValue)
        }
        append(event.findings, members)
        appendContent(event, members)
        endObject()
    }

    /// Appends the members that differ in every line, except the payload, as one piece.
    private mutating func appendHead(_ event: borrowing Event, _ members: LineMembers) {
        rawASCII(count: 256 + 2 * WireTime.textCount + JournalCursor.textCapacity) { text in
            text.put(#"{"type":"event","id":"#)
            text.put(decimal: event.id)
            if members.contains(.uid) {
                text.put(#","uid":""#)
                text.put(event.uid.value)
                text.put("\"")
            }
            if members.contains(.time) {
                text.put(#","time":""#)
                text.put(WireTime(microseconds: event.realtimeMicroseconds))
                text.put("\"")
            }
            if members.contains(.cursor) {
                text.put(#","cursor":""#)
                text.put(event.cursor)
                text.put("\"")
            }
            if members.contains(.level) {
                text.put(#","level":""#)
                text.put(event.level)
                text.put("\"")
            }
            if let level = event.program.level, members.contains(.programLevel) {
                text.put(#","program_level":""#)
                text.put(level)
                text.put("\"")
            }
            if let time = event.program.timeMicroseconds, members.contains(.programTime) {
                text.put(#","program_time":""#)
                text.put(WireTime(microseconds: time))
                text.put("\"")
            }
            if let pid = event.pid, members.contains(.pid) {
                text.put(#","pid":"#)
                text.put(decimal: Int64(pid))
            }
        }
    }

    /// Appends the object of one event line.
    mutating func append(_ event: Event) {
        var repeated = RepeatedMembers()
        append(event, &repeated)
    }

    private static let highlighted = Array(#""highlighted":true"#.utf8)
    private static let noFindings = Array(#""violations":[],"warnings":[]"#.utf8)

    private mutating func append(_ findings: Findings?, _ members: LineMembers) {
        let (hasViolations, hasWarnings) = (members.contains(.violations), members.contains(.warnings))
        guard findings != nil || !hasViolations || !hasWarnings else { return raw(Self.noFindings) }
        if hasViolations { append(violations: findings?.violations ?? []) }
        if hasWarnings { append(warnings: findings?.warnings ?? []) }
        if let reason = findings?.reason, members.contains(.reason) {
            member("reason", reason)
        }
    }

    private mutating func append(violations: [Violation]) {
        key("violations")
        beginArray()
        for violation in violations {
            beginObject()
            member("parameter", violation.parameter)
            member("rule", violation.rule.rawValue)
            member("expected", violation.expected)
            member("found", violation.found)
            endObject()
        }
        endArray()
    }

    private mutating func append(warnings: [Warning]) {
        key("warnings")
        beginArray()
        for warning in warnings {
            beginObject()
            member("rule", warning.rule.rawValue)
            if let parameter = warning.parameter {
                member("parameter", parameter)
            }
            endObject()
        }
        endArray()
    }

    private mutating func appendContent(_ event: borrowing Event, _ members: LineMembers) {
        if event.resolution.hasPayload, members.contains(.payload) {
            member("payload", LargeValue(.oneLine, event.payload))
        }
        guard !event.resolution.hasPayload || event.text != nil, members.contains(.message) else { return }
        append(message: event.message)
    }

    private mutating func append(message: [UInt8]) {
        member("message", LargeValue(.text, message))
        if !message.isUTF8 {
            member("raw_base64", LargeValue(.base64, message))
        }
    }
}

extension [UInt8] {
    /// Does not copy the text, unlike `String(validating:)`.
    package var isUTF8: Bool { (try? UTF8Span(validating: span)) != nil }
}
