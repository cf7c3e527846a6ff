import JSON
import Model

extension JSONWriter {
    /// The object of an event line, without a line break.
    mutating func append(_ event: Event) {
        let origin = event.origin
        beginObject()
        key("type")
        string("event")
        key("id")
        integer(event.id)
        key("uid")
        ascii(count: 32) { $0.put(event.uid.value) }
        key("time")
        time(event.realtimeMicroseconds)
        key("boot_id")
        ascii(count: 32) { $0.put(origin.bootID) }
        key("cursor")
        cursor(event.cursor)
        key("host")
        string(origin.host)
        key("subsystem")
        string(origin.subsystem)
        key("category")
        string(origin.category)
        key("level")
        string(event.level.name)
        appendOptionals(event)
        key("resolution")
        string(event.resolution.rawValue)
        append(violations: event.findings?.violations ?? [])
        append(warnings: event.findings?.warnings ?? [])
        if let reason = event.findings?.reason {
            key("reason")
            string(reason)
        }
        appendContent(event)
        endObject()
    }

    private mutating func appendOptionals(_ event: Event) {
        if let identifier = event.origin.identifier {
            key("identifier")
            string(identifier)
        }
        if let unit = event.origin.unit {
            key("unit")
            string(unit)
        }
        if let pid = event.pid {
            key("pid")
            integer(pid)
        }
        if let uid = event.origin.processUID {
            key("process_uid")
            integer(uid)
        }
        if let eventKey = event.kind.key {
            key("event")
            beginObject()
            key("category")
            string(eventKey.category)
            key("name")
            string(eventKey.name)
            endObject()
        }
        if let dictionary = event.kind.dictionary {
            key("dictionary")
            string(dictionary)
        }
        if let version = event.kind.definitionsVersion, !version.isEmpty {
            key("definitions_version")
            string(version)
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
