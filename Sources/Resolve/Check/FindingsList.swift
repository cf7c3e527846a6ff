import JSON
import Model

/// What is found out about one payload. No memory is taken before there is something to say, and only so much of what
/// an endless payload could give.
struct FindingsList {
    private var findings: Findings?
    private var unlisted = 0

    /// Of violations, and of warnings.
    private static let limit = 100
    private static let maximumNameBytes = 128

    mutating func warn(_ warning: Warning) {
        guard findings?.warnings.count ?? 0 < Self.limit else { return unlisted += 1 }
        if findings == nil { findings = Findings() }
        findings?.warnings.append(warning)
    }

    mutating func violate(_ parameter: String, _ fault: Violation.Fault) {
        guard findings?.violations.count ?? 0 < Self.limit else { return unlisted += 1 }
        if findings == nil { findings = Findings() }
        findings?.violations.append(Violation(parameter, fault))
    }

    mutating func fail(_ reason: String) {
        if findings == nil { findings = Findings() }
        findings?.reason = reason
    }

    var hasViolations: Bool { findings?.violations.isEmpty == false }

    /// `nil` when there is nothing to say.
    var result: Findings? {
        guard unlisted > 0 else { return findings }
        var findings = findings
        findings?.reason = "\(unlisted) more violations or warnings are not listed"
        return findings
    }

    /// A member's key as findings name it: text, and not too long.
    static func name(of member: JSONMember, in payload: UnsafeRawBufferPointer) -> String {
        PayloadMembers.withKey(of: member, in: payload) { $0.text(atMost: maximumNameBytes) }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes as text, cut with `…` at the end of a character where there are too many.
    func text(atMost limit: Int) -> String {
        guard count > limit else { return String(decoding: self, as: UTF8.self) }
        var end = limit
        while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: self[..<end], as: UTF8.self) + "…"
    }
}
