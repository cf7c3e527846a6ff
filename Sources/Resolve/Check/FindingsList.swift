import JSON
import Model

/// The findings about one payload. It takes no memory until there is a finding, and then a bounded amount, whatever the
/// payload contains.
struct FindingsList {
    private var findings: Findings?
    private var unlisted = 0

    /// The most violations, and the most warnings.
    private static let limit = 100
    private static let maximumNameBytes = 128

    /// - Parameter flaws: those of the entry.
    init(_ flaws: Entry.Flaws) {
        if flaws.contains(.cut) || flaws.contains(.split) || flaws.contains(.continued) { warn(.cut) }
        if flaws.contains(.otherField) { warn(.payloadField) }
        if flaws.contains(.senderCut) { warn(.senderCut) }
    }

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

    /// The findings; `nil` when there are none.
    var result: Findings? {
        guard unlisted > 0 else { return findings }
        var findings = findings
        let more = "\(unlisted) more violations or warnings are not listed"
        let reason = findings?.reason.map { "\($0); \(more)" } ?? more
        findings?.reason = reason
        return findings
    }

    /// Returns a member's key as findings name it: as text of limited length.
    static func name(of member: JSONMember, in payload: UnsafeRawBufferPointer) -> String {
        PayloadMembers.withKey(of: member, in: payload) { $0.text(atMost: maximumNameBytes) }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the bytes as text. Text that is too long is cut at the end of a character and ends with `…`.
    func text(atMost limit: Int) -> String {
        guard count > limit else { return String(decoding: self, as: UTF8.self) }
        var end = limit
        while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: self[..<end], as: UTF8.self) + "…"
    }
}
