import JSON
import Model

extension JSONWriter {
    /// The object of an event line, without a line break.
    mutating func append(_ event: Event, _ repeated: inout RepeatedMembers) {
        beginObject()
        key("type")
        string("event")
        key("id")
        integer(event.id)
        key("uid")
        ascii(count: 32) { $0.put(event.uid.value) }
        key("time")
        time(event.realtimeMicroseconds)
        key("cursor")
        cursor(event.cursor)
        key("level")
        string(event.level.name)
        if let pid = event.pid {
            key("pid")
            integer(pid)
        }
        raw(repeated.members(of: event.origin))
        raw(repeated.members(of: event.kind, event.resolution))
        append(event.findings)
        appendContent(event)
        endObject()
    }

    /// The object of one event line alone.
    mutating func append(_ event: Event) {
        var repeated = RepeatedMembers()
        append(event, &repeated)
    }

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

    private mutating func appendContent(_ event: Event) {
        guard !event.resolution.hasPayload else {
            key("payload")
            value(LargeValue(.oneLine, event.payload))
            return
        }
        key("message")
        value(LargeValue(.text, event.payload))
        if !event.payload.isUTF8 {
            key("raw_base64")
            value(LargeValue(.base64, event.payload))
        }
    }
}

extension [UInt8] {
    /// Found out without a copy, which `String(validating:)` makes.
    var isUTF8: Bool { (try? UTF8Span(validating: span)) != nil }
}
