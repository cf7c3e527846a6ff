package import Model

/// Finds out what the keys and values of a predicate mean.
package struct PredicateBinder: Sendable {
    /// What the dictionaries in force know.
    package struct Names: Sendable {
        /// The names of parameters: of members of objects only the last part.
        package var parameters: Set<ExactString> = []
        /// Where payloads have the parameters with a role: names, or paths such as `device.id`.
        package var roles: [ParameterRole: Set<ExactString>] = [:]

        package init() {}
    }

    private let source: String
    private let times: TimeExpression
    private let names: Names

    /// - Throws: `PredicateError`
    package static func bind(
        _ syntax: PredicateSyntax, of source: String, times: TimeExpression, _ names: Names
    ) throws(PredicateError) -> Predicate {
        try PredicateBinder(source: source, times: times, names: names).bind(syntax)
    }

    private func bind(_ syntax: PredicateSyntax) throws(PredicateError) -> Predicate {
        switch syntax {
        case .all(let parts): .all(try parts.map { part throws(PredicateError) in try bind(part) })
        case .any(let parts): .any(try parts.map { part throws(PredicateError) in try bind(part) })
        case .not(let part): .not(try bind(part))
        case .comparison(let comparison): try bind(comparison)
        }
    }

    private func bind(_ comparison: PredicateSyntax.Comparison) throws(PredicateError) -> Predicate {
        let word = comparison.key
        if let key = word.isQuoted ? nil : PredicateKey.named(word.text) {
            guard comparison.inner.isEmpty else { throw error("\(key.name) is no array", at: word) }
            switch key.meaning {
            case .number(let number): return try bind(comparison, number)
            case .text(let text):
                try check(comparison, of: key)
                return try tests(key.normalised(comparison)) { .text(text, $0) }
            case .message: return try tests(comparison) { .message($0) }
            case .role(let role):
                guard let paths = names.roles[role], !paths.isEmpty else {
                    throw error(
                        "no definition has a parameter with the role \(role.rawValue): add the line "
                            + "`- \(role.rawValue)` to the list below the parameter", at: word)
                }
                return try tests(comparison) { .parameter(Predicate.ParameterPath(names: paths), $0) }
            }
        }
        let path = try path(comparison)
        return try tests(comparison) { .parameter(path, $0) }
    }

    // MARK: parameters

    private static let prefix = "payload."

    /// `payload.a.b[0].c`, or without `payload.` if the dictionary knows the first name.
    private func path(
        _ comparison: PredicateSyntax.Comparison
    ) throws(PredicateError) -> Predicate.ParameterPath {
        let word = comparison.key
        var name = word.text[...]
        if name.hasPrefix(Self.prefix) {
            name = name.dropFirst(Self.prefix.count)
        } else {
            let first = String(name.prefix { $0 != "." })
            guard names.parameters.contains(ExactString(first)) || names.parameters.contains(ExactString(word.text))
            else { throw unknown(word) }
        }
        guard !name.isEmpty, word.isQuoted || !name.split(separator: ".", omittingEmptySubsequences: false).contains("")
        else { throw error("expected the name of a parameter", at: word) }
        return Predicate.ParameterPath(names: [ExactString(String(name))], inner: comparison.inner)
    }

    private func unknown(_ word: PredicateSyntax.Word) -> PredicateError {
        let wanted = word.text.lowercased().unicodeScalars.map(\.value)
        let known = PredicateKey.allCases.map(\.name) + names.parameters.map(\.text)
        let near = known.compactMap { name in
            EditDistance.between(wanted, name.lowercased().unicodeScalars.map(\.value), limit: max(1, wanted.count / 4))
                .map { (name, $0) }
        }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(3).map(\.0)
        let hint =
            near.isEmpty
            ? "payload.\(word.text) asks for a parameter that no definition has"
            : "did you mean \(near.joined(separator: ", "))? payload.\(word.text) asks for a parameter that no definition has"
        return error("there is no key and no defined parameter \(word.text); \(hint)", at: word)
    }

    // MARK: texts

    /// Returns the predicate of a comparison with texts.
    private func tests(
        _ comparison: PredicateSyntax.Comparison, _ condition: (TextTest) -> Predicate
    ) throws(PredicateError) -> Predicate {
        func any(_ tests: [TextTest]) -> Predicate {
            tests.count == 1 ? condition(tests[0]) : .any(tests.map(condition))
        }
        switch comparison.operation {
        case .exists: return condition(.exists)
        case .equal, .notEqual:
            if let value = comparison.values.first(where: { !$0.isQuoted && $0.text.contains { $0 == "*" } }) {
                throw error("write like for a value with wildcards, or put the value in quotes", at: value)
            }
            let values = Set(comparison.values.map { ExactString($0.text) })
            let test = condition(.among(values, ignoresCase: comparison.ignoresCase))
            return comparison.operation == .equal ? test : .not(test)
        case .ordered(let order):
            let value = try one(comparison)
            guard !comparison.ignoresCase else { throw error("[c] does not go with \(order.rawValue)", at: value) }
            return condition(.ordered(order, ExactString(value.text)))
        case .match(.like):
            return any(TextTest.like(comparison.values.map(\.text), ignoresCase: comparison.ignoresCase))
        case .match(let match):
            return any(
                comparison.values.map { .matches(match, ExactString($0.text), ignoresCase: comparison.ignoresCase) })
        }
    }

    private func one(_ comparison: PredicateSyntax.Comparison) throws(PredicateError) -> PredicateSyntax.Word {
        guard comparison.values.count == 1 else {
            throw error("this operator has one value", at: comparison.values.last ?? comparison.key)
        }
        return comparison.values[0]
    }

    /// Refuses values that the key never has, which would find nothing without saying why.
    private func check(_ comparison: PredicateSyntax.Comparison, of key: PredicateKey) throws(PredicateError) {
        let isGlob = comparison.operation == .match(.like)
        guard comparison.operation == .equal || comparison.operation == .notEqual || isGlob else { return }
        if !isGlob, let allowed = key.values {
            for value in comparison.values where !allowed.contains(where: { matches(value.text, $0, comparison) }) {
                throw error("\(key.name) is one of \(allowed.joined(separator: ", "))", at: value)
            }
        }
        if !isGlob, case .text(.boot) = key.meaning {
            for value in comparison.values where ID128(value.text.replacing("-", with: "")) == nil {
                throw error("a boot id has 32 hexadecimal digits, as in journalctl --list-boots", at: value)
            }
        }
        if case .text(.event) = key.meaning {
            for value in comparison.values
            where !value.text.utf8.contains(where: { "/*".utf8.contains($0) && (isGlob || $0 != UInt8(ascii: "*")) }) {
                throw error(
                    "an event is CATEGORY/NAME; event.category and event.name have the parts", at: value)
            }
        }
    }

    private func matches(_ value: String, _ allowed: String, _ comparison: PredicateSyntax.Comparison) -> Bool {
        comparison.ignoresCase ? value.lowercased() == allowed : ExactString(value) == ExactString(allowed)
    }

    // MARK: numbers

    private func bind(
        _ comparison: PredicateSyntax.Comparison, _ key: Predicate.NumberKey
    ) throws(PredicateError) -> Predicate {
        switch comparison.operation {
        case .exists: return .number(key, 0...Int64.max)
        case .equal, .notEqual:
            let equal = try comparison.values.map { value throws(PredicateError) in
                let number = try number(value, key)
                return Predicate.number(key, number...number)
            }
            let any = equal.count == 1 ? equal[0] : .any(equal)
            return comparison.operation == .equal ? any : .not(any)
        case .ordered(let order):
            let value = try one(comparison)
            let number = try number(value, key)
            // A more severe level has a smaller number.
            return Self.range(key, key == .level ? order.mirrored : order, number)
        case .match(let match):
            throw error(
                "\(match.rawValue) is for texts; \(comparison.key.text) is compared by == != < <= > >= and in",
                at: comparison.key)
        }
    }

    private static func range(_ key: Predicate.NumberKey, _ order: TextTest.Order, _ number: Int64) -> Predicate {
        switch order {
        case .less: number > 0 ? .number(key, 0...number - 1) : .nothing
        case .atMost: .number(key, 0...number)
        case .greater: number < .max ? .number(key, number + 1 ... .max) : .nothing
        case .atLeast: .number(key, number ... .max)
        }
    }

    /// - Returns: a number from 0.
    private func number(_ value: PredicateSyntax.Word, _ key: Predicate.NumberKey) throws(PredicateError) -> Int64 {
        switch key {
        case .level:
            guard let level = Level(value.text) else {
                let names = Level.allCases.map(\.name).joined(separator: ", ")
                throw error("a level is one of \(names), or 0 to 7", at: value)
            }
            return Int64(level.rawValue)
        case .time, .programTime:
            guard let time = times.microseconds(value.text) else {
                throw error("not a time; write one such as \(TimeExpression.examples)", at: value)
            }
            return Int64(clamping: time)
        case .id, .pid:
            guard let number = Int64(value.text), number >= 0 else {
                throw error("expected a number from 0", at: value)
            }
            return number
        }
    }

    private func error(_ reason: String, at word: PredicateSyntax.Word) -> PredicateError {
        PredicateError(reason, in: source, at: word.range)
    }
}

extension TextTest.Order {
    fileprivate var mirrored: Self {
        switch self {
        case .less: .greater
        case .atMost: .atLeast
        case .greater: .less
        case .atLeast: .atMost
        }
    }
}

extension PredicateKey {
    /// Returns the comparison with values in the form in which events have them.
    fileprivate func normalised(_ comparison: PredicateSyntax.Comparison) -> PredicateSyntax.Comparison {
        guard case .text(.boot) = meaning else { return comparison }
        var comparison = comparison
        for index in comparison.values.indices {
            let text = comparison.values[index].text.replacing("-", with: "")
            comparison.values[index].text = ID128(text)?.description ?? text
        }
        return comparison
    }
}
