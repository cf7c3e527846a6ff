package import Model

/// The pattern of `grep`, which is matched against the text of a payload.
///
/// As with `journalctl --grep`, upper and lower case make no difference unless the pattern has an upper-case letter.
struct PayloadPattern {
    private let pattern: String
    /// `nil` for a pattern without special characters: bytes are compared, which is much faster.
    private let expression: RegularExpression?
    /// Of each list, every match contains one of the texts, as far as that is known.
    let literals: [[Literal]]

    private static let longest = 4096

    /// - Throws: `.invalidPattern` with the reason.
    init(_ pattern: String) throws(StoreError) {
        guard pattern.utf8.count <= Self.longest else {
            throw StoreError(
                kind: .invalidPattern, description: "a regular expression of more than \(Self.longest) bytes")
        }
        self.pattern = pattern
        let ignoresCase = !pattern.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        let isPlain = !pattern.utf8.contains { #"\^$.|?*+()[]{}"#.utf8.contains($0) }
        if isPlain, !ignoresCase || !pattern.unicodeScalars.contains(where: Self.hasOtherCases) {
            expression = nil
            literals = [[Literal(Array(pattern.utf8), ignoresCase: ignoresCase)]]
            return
        }
        do throws(RegularExpression.Failure) {
            expression = try RegularExpression(pattern, ignoresCase: ignoresCase)
            literals = RequiredText.find(in: pattern, ignoresCase: ignoresCase)
        } catch {
            throw StoreError(kind: .invalidPattern, description: "\(pattern) is not a regular expression: \(error)")
        }
    }

    /// Whether a letter has other cases than those that `Literal` knows.
    private static func hasOtherCases(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && scalar.properties.changesWhenCaseMapped
    }

    /// Whether a text that has the only literal matches.
    var isLiteral: Bool { expression == nil }

    /// - Parameter turn: the result is `false` once it is cancelled.
    /// - Throws: `.invalidPattern` if the search takes too long.
    func matches(_ text: UnsafeRawBufferPointer, until turn: ReadTurn? = nil) throws(StoreError) -> Bool {
        guard let expression else { return literals.allSatisfy { $0.contains(where: text.has) } }
        do throws(RegularExpression.Failure) {
            return try expression.finds(in: text, until: turn)
        } catch {
            throw StoreError(
                kind: .invalidPattern,
                description: "\(pattern) takes too long on an event of \(text.count) bytes: \(error)")
        }
    }
}

extension EventFilter {
    /// Validates the pattern before anything is read.
    /// - Throws: `.invalidPattern` when `grep` is not a regular expression.
    package func checkPattern() throws(StoreError) {
        if let grep { _ = try PayloadPattern(grep) }
    }
}
