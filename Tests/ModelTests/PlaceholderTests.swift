import Model
import Testing

struct PlaceholderTests {
    private static let hash = "<hash:00112233445566778899aabbccddeeff>"

    /// A sender may have written a text that only looks like one before the name became private.
    @Test(arguments: [
        "<hash:alice@example.com>", "<hash:>", "<hash:00112233445566778899AABBCCDDEEFF>", "\(hash)>", "<private> ", "",
    ])
    func `what only looks like a placeholder is a value`(value: String) {
        #expect(Privacy.hash.replacement(of: ExactString(value)) { "hash of \($0)" } == ExactString("hash of \(value)"))
        #expect(Privacy.private.replacement(of: ExactString(value)) { $0 } == "<private>")
        let asked = Predicate.parameter(Predicate.ParameterPath(names: ["user"]), .among([ExactString(value)]))
        #expect(asked.valuesAsked(of: ["user"]) == ["user"])
    }

    @Test(arguments: [hash, "<private>"])
    func `a placeholder is not replaced, and everybody may ask for it`(value: String) {
        #expect(Privacy.hash.replacement(of: ExactString(value)) { "hash of \($0)" } == ExactString(value))
        #expect(Privacy.private.replacement(of: ExactString(value)) { $0 } == "<private>")
        let asked = Predicate.parameter(Predicate.ParameterPath(names: ["user"]), .among([ExactString(value)]))
        #expect(asked.valuesAsked(of: ["user"]).isEmpty && asked.withHashes(of: ["user"]) { "hash of \($0)" } == asked)
    }
}
