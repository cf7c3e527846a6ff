internal import JSON
internal import Model

/// Findings as the column `event_rows.findings` holds them: a JSON object with only what there is.
enum FindingsText {
    static func encoded(_ findings: Findings) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if !findings.violations.isEmpty {
            writer.key("violations")
            writer.beginArray()
            for violation in findings.violations {
                writer.beginObject()
                writer.key("parameter")
                writer.string(violation.parameter)
                writer.key("rule")
                writer.string(violation.rule.rawValue)
                writer.key("expected")
                writer.string(violation.expected)
                writer.key("found")
                writer.string(violation.found)
                writer.endObject()
            }
            writer.endArray()
        }
        if !findings.warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in findings.warnings {
                writer.beginObject()
                writer.key("rule")
                writer.string(warning.rule.rawValue)
                if let parameter = warning.parameter {
                    writer.key("parameter")
                    writer.string(parameter)
                }
                writer.endObject()
            }
            writer.endArray()
        }
        if let reason = findings.reason {
            writer.key("reason")
            writer.string(reason)
        }
        writer.endObject()
        return writer.bytes
    }

    /// - Throws: `JSONError` when it is not what `encoded` writes.
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
        let texts = try texts(bytes, range)
        guard let parameter = texts["parameter"], let rule = texts["rule"].flatMap(Violation.Rule.init(rawValue:)),
            let expected = texts["expected"], let found = texts["found"]
        else { throw JSONError(offset: range.lowerBound, problem: .expectedValue) }
        return Violation(parameter: parameter, rule: rule, expected: expected, found: found)
    }

    private static func warning(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONError) -> Warning {
        let texts = try texts(bytes, range)
        guard let rule = texts["rule"].flatMap(Warning.Rule.init(rawValue:)) else {
            throw JSONError(offset: range.lowerBound, problem: .expectedValue)
        }
        return Warning(rule, parameter: texts["parameter"])
    }

    private static func texts(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONError) -> [ExactString: String] {
        var texts: [ExactString: String] = [:]
        for (key, member) in try members(bytes, range) { texts[key] = try string(bytes, member) }
        return texts
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
}
