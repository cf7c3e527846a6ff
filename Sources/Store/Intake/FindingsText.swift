internal import Glibc
internal import JSON
internal import Model

/// Findings as the store keeps them: a JSON object without empty members.
enum FindingsText {
    static func encoded(_ findings: Findings) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if !findings.violations.isEmpty {
            writer.key("violations")
            writer.beginArray()
            for violation in findings.violations { violation.append(to: &writer) }
            writer.endArray()
        }
        if !findings.warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in findings.warnings {
                writer.beginObject()
                writer.member("rule", warning.rule.rawValue)
                if let parameter = warning.parameter {
                    writer.member("parameter", parameter)
                }
                writer.endObject()
            }
            writer.endArray()
        }
        if let reason = findings.reason {
            writer.member("reason", reason)
        }
        writer.endObject()
        return writer.bytes
    }

    /// - Throws: `JSONError` when the bytes are not what `encoded` writes.
    static func decoded(_ bytes: [UInt8]) throws(JSONError) -> Findings {
        var findings = Findings()
        for (key, member) in try members(bytes, nil) {
            switch key {
            case "violations":
                for element in try JSONScanner.elements(of: bytes, in: member.value) {
                    findings.violations.append(try violation(bytes, element.value))
                }
            case "warnings":
                for element in try JSONScanner.elements(of: bytes, in: member.value) {
                    findings.warnings.append(try warning(bytes, element.value))
                }
            case "reason": findings.reason = try string(bytes, member)
            default: break
            }
        }
        return findings
    }

    private static func violation(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONError) -> Violation {
        let members = try Members(bytes, range)
        return Violation(try members.text("parameter"), try Violation.Fault(members))
    }

    private static func warning(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONError) -> Warning {
        let members = try Members(bytes, range)
        let rule = try members.value("rule", Warning.Rule.init(rawValue:))
        guard let warning = Warning(rule, parameter: try members.optionalText("parameter")) else {
            throw members.error
        }
        return warning
    }

    private static func members(
        _ bytes: [UInt8], _ range: Range<Int>?
    ) throws(JSONError) -> [(key: String, member: JSONMember)] {
        try JSONScanner.members(of: bytes, in: range).map { (JSONScanner.text(of: bytes, in: $0.key), $0) }
    }

    private static func string(_ bytes: [UInt8], _ member: JSONMember) throws(JSONError) -> String {
        guard case .string = member.kind else {
            throw JSONError(offset: member.value.lowerBound, problem: .expectedValue)
        }
        return JSONScanner.text(of: bytes, in: member.content)
    }

    /// A JSON object whose members are known.
    struct Members {
        private let bytes: [UInt8]
        private let members: [ExactString: JSONMember]
        /// The error for a member that is missing or invalid.
        let error: JSONError

        init(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONError) {
            self.bytes = bytes
            error = JSONError(offset: range.lowerBound, problem: .expectedValue)
            members = Dictionary(
                try FindingsText.members(bytes, range).map { (ExactString($0.key), $0.member) },
                uniquingKeysWith: { $1 })
        }

        func optionalText(_ key: ExactString) throws(JSONError) -> String? {
            guard let member = members[key] else { return nil }
            return try FindingsText.string(bytes, member)
        }

        func text(_ key: ExactString) throws(JSONError) -> String {
            guard let text = try optionalText(key) else { throw error }
            return text
        }

        func value<Value>(_ key: ExactString, _ make: (String) -> Value?) throws(JSONError) -> Value {
            guard let value = make(try text(key)) else { throw error }
            return value
        }

        func integer<Number: FixedWidthInteger>(_ key: ExactString) throws(JSONError) -> Number {
            guard let member = members[key], case .number(isInteger: true) = member.kind,
                let number = Number(String(decoding: bytes[member.value], as: UTF8.self))
            else { throw error }
            return number
        }

        func flag(_ key: ExactString) -> Bool { members[key]?.kind == .true }

        func texts(_ key: ExactString) throws(JSONError) -> [ExactString] {
            guard let member = members[key] else { throw error }
            var texts: [ExactString] = []
            for element in try JSONScanner.elements(of: bytes, in: member.value) {
                guard case .string = element.kind else { throw error }
                texts.append(ExactString(JSONScanner.text(of: bytes, in: element.content)))
            }
            return texts
        }
    }
}

/// Returns whether bytes may be stored as SQLite text: valid UTF-8 without a NUL, at which SQL functions would stop.
func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return true }
    guard memchr(base, 0, bytes.count) == nil else { return false }
    return bytes.withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
}
