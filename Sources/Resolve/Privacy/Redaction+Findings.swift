import Model

extension Redaction {
    /// Returns what was found, without names that stand in private values: a map may have users as its names.
    /// - Returns: `nil` if nothing changes.
    func redacted(_ findings: Findings?) -> Findings? {
        guard let findings else { return nil }
        var result = findings
        result.violations = []
        for violation in findings.violations {
            var violation = violation
            // Names that a definition has are public.
            if case .unknownParameter = violation.fault, let path = hidden(violation.parameter) {
                violation.parameter = path
            }
            if !result.violations.contains(violation) { result.violations.append(violation) }
        }
        // Of a repeated name, nothing would be left.
        result.warnings.removeAll { $0.rule == .duplicateKey && hidden($0.parameter ?? "") != nil }
        return result == findings ? nil : result
    }

    /// Returns the path of something in a private value, as far as it is public; `nil` if it is in none.
    private func hidden(_ path: String) -> String? {
        let bytes = Array(path.utf8)
        for end in bytes.indices where bytes[end] == UInt8(ascii: ".") {
            let step = bytes[..<end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last ?? []
            let name = step.prefix { $0 != UInt8(ascii: "[") }
            guard Array(name).withUnsafeBytes({ privacy(of: $0) }) != nil else { continue }
            return String(decoding: bytes[...end] + Placeholder.hiddenLine, as: UTF8.self)
        }
        return nil
    }
}
