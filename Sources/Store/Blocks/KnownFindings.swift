internal import JSON
internal import Model

/// Decodes findings. It remembers the last text, since many events in a row usually have the same findings.
struct KnownFindings {
    private var last: (text: [UInt8], findings: Findings)?

    /// - Parameter text: `FindingsText`, or empty.
    mutating func findings(_ text: UnsafeRawBufferPointer) throws(BlockDamage) -> Findings? {
        if let last, last.text.withUnsafeBytes({ $0.hasSameBytes(as: text) }) { return last.findings }
        guard let findings = try Self.decoded(text) else { return nil }
        last = (Array(text), findings)
        return findings
    }

    /// - Parameter text: `FindingsText`, or empty.
    static func decoded(_ text: UnsafeRawBufferPointer) throws(BlockDamage) -> Findings? {
        guard !text.isEmpty else { return nil }
        do throws(JSONError) {
            return try FindingsText.decoded(Array(text))
        } catch {
            throw BlockDamage("findings: \(error)")
        }
    }
}

/// Encodes findings. It remembers the last result, since many events in a row usually have the same findings.
struct KnownFindingTexts {
    private var last: (findings: Findings, text: [UInt8])?

    /// - Returns: `FindingsText`; empty when there are no findings.
    mutating func text(_ findings: Findings?) -> [UInt8] {
        guard let findings, !findings.isEmpty else { return [] }
        if let last, last.findings == findings { return last.text }
        let text = FindingsText.encoded(findings)
        last = (findings, text)
        return text
    }
}
