internal import JSON
internal import Model

/// Reads findings. The same one usually comes many times in a row.
struct KnownFindings {
    private var last: (text: [UInt8], findings: Findings)?

    /// - Parameter text: `FindingsText`, or empty.
    mutating func findings(_ text: UnsafeRawBufferPointer) throws(BlockDamage) -> Findings? {
        guard !text.isEmpty else { return nil }
        if let last, last.text.withUnsafeBytes({ $0.hasSameBytes(as: text) }) { return last.findings }
        do throws(JSONError) {
            let found = (text: Array(text), findings: try FindingsText.decoded(Array(text)))
            last = found
            return found.findings
        } catch {
            throw BlockDamage("findings: \(error)")
        }
    }
}
