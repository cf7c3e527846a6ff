package import Model

/// Predicates that have names.
package struct NamedPredicates: Sendable, Hashable {
    package private(set) var texts: [ExactString: ExactString] = [:]

    package init(_ texts: [ExactString: ExactString] = [:]) { self.texts = texts }

    /// What is wrong in a line of a file.
    package struct Problem: Error, CustomStringConvertible {
        package var line: Int
        package var reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// Reads lines of `name = predicate`, also those of Windows, with its byte order mark. Empty lines, and those that begin
    /// with `#`, say nothing.
    /// - Throws: `Problem`
    package init(file text: String) throws(Problem) {
        let lines = text.withoutByteOrderMark.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let content = (line.last == "\r" ? line.dropLast() : line).drop { $0 == " " || $0 == "\t" }
            guard let first = content.first, first != "#" else { continue }
            guard let parts = content.parts(at: "=") else {
                throw Problem(line: index + 1, reason: "expected name = predicate")
            }
            let name = String(parts.before.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
            guard Self.isName(name) else {
                throw Problem(line: index + 1, reason: "a name has at most 64 letters, digits, - and _")
            }
            guard texts[ExactString(name)] == nil else {
                throw Problem(line: index + 1, reason: "there is another \(name) above")
            }
            do throws(PredicateError) {
                _ = try PredicateParser.parse(String(parts.after))
            } catch {
                throw Problem(line: index + 1, reason: error.description)
            }
            texts[ExactString(name)] = ExactString(String(parts.after))
        }
    }

    /// How deep predicates may name others.
    static let deepest = 10

    static func tooDeep(_ name: String) -> String {
        "@\(name) is more than \(deepest) names deep, or refers to itself"
    }

    /// Why there is no predicate of a name.
    /// - Parameter known: the names that there are.
    static func unknown(_ name: String, among known: some Collection<ExactString>) -> String {
        let names = known.sorted().map { "@\($0.text)" }.joined(separator: ", ")
        return "there is no predicate @\(PredicateBinder.shown(name)); "
            + (known.isEmpty ? "none has a name" : "there are \(names)")
    }

    /// Whether `@name` can be written.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy(\.isNameByte)
    }

    /// Returns a predicate with the texts of the names in it.
    /// - Parameter keepsOthers: whether names that are not here stay. Otherwise they are an error.
    /// - Throws: `PredicateError`
    package func expanded(_ text: String, keepsOthers: Bool = true) throws(PredicateError) -> String {
        try expanded(text, keepsOthers, depth: 0)
    }

    private func expanded(_ text: String, _ keepsOthers: Bool, depth: Int) throws(PredicateError) -> String {
        var words: [PredicateSyntax.Word] = []
        try PredicateParser.parse(text).forEachName { words.append($0) }
        var bytes = Array(text.utf8)
        for word in words.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            guard let named = texts[ExactString(word.text)] else {
                if keepsOthers { continue }
                throw PredicateError(Self.unknown(word.text, among: texts.keys), in: text, at: word.range)
            }
            guard depth < Self.deepest else {
                throw PredicateError(Self.tooDeep(word.text), in: text, at: word.range)
            }
            let inner = try expanded(named.text, keepsOthers, depth: depth + 1)
            bytes.replaceSubrange(word.range, with: Array("(\(inner))".utf8))
            guard bytes.count <= PredicateParser.longest else {
                throw PredicateError(
                    "with @\(word.text), the predicate is longer than \(PredicateParser.longest) bytes", in: text,
                    at: word.range)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PredicateSyntax {
    /// Calls `body` with each `@name`.
    package func forEachName(_ body: (Word) -> Void) {
        forEachCondition { if case .named(let word) = $0 { body(word) } }
    }

    /// Whether there is an `@name` in it.
    package var hasNames: Bool {
        var hasSome = false
        forEachName { _ in hasSome = true }
        return hasSome
    }

    /// Calls `body` with each regular expression.
    package func forEachPattern(_ body: (Word) -> Void) {
        forEachComparison { if $0.operation == .match(.matches) { $0.values.forEach(body) } }
    }

    func forEachComparison(_ body: (Comparison) -> Void) {
        forEachCondition { if case .comparison(let comparison) = $0 { body(comparison) } }
    }

    /// Calls `body` with each comparison and each `@name`.
    private func forEachCondition(_ body: (PredicateSyntax) -> Void) {
        switch self {
        case .all(let parts), .any(let parts): for part in parts { part.forEachCondition(body) }
        case .not(let part): part.forEachCondition(body)
        case .comparison, .named: body(self)
        }
    }
}
