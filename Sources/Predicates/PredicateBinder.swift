package import Model

/// Finds out what the keys and values of a predicate mean.
package struct PredicateBinder {
    private let source: String
    let times: TimeExpression
    private let names: Names
    /// How many named predicates it is in.
    private var depth = 0
    /// The keys that may be meant by an unknown one; `nil` for all, and fields of the journal.
    private let suggested: [String]?

    private static let deepest = NamedPredicates.deepest

    private let budget: Budget

    /// What a predicate may have, with those that it names.
    private final class Budget {
        var conditions = PredicateParser.mostConditions
        var values = PredicateParser.mostValues
    }

    private init(
        source: String, times: TimeExpression, names: Names, depth: Int = 0, suggested: [String]?,
        _ budget: Budget = Budget()
    ) {
        (self.source, self.times, self.names, self.depth, self.budget) = (source, times, names, depth, budget)
        self.suggested = suggested
    }

    /// - Parameter suggested: the keys that may be meant by an unknown one; `nil` for all, and fields of the journal.
    /// - Throws: `PredicateError`
    package static func bind(
        _ syntax: PredicateSyntax, of source: String, times: TimeExpression, _ names: Names,
        suggesting suggested: [String]? = nil
    ) throws(PredicateError) -> Predicate {
        let predicate = try PredicateBinder(source: source, times: times, names: names, suggested: suggested)
            .bind(syntax)
        guard predicate.depth <= Self.deepestMeaning else {
            throw PredicateError(
                "nested deeper than \(PredicateParser.deepest) times, with named predicates", in: source,
                at: 0..<source.utf8.count)
        }
        return predicate
    }

    /// How deep a predicate may be: each level has alternatives of parts, and that of a cursor is `.not(.any(.all(.number)))`.
    static let deepestMeaning = 2 * (PredicateParser.deepest + 1) + 4

    /// Why a predicate has no meaning; `nil` if it has one.
    package static func fault(of text: String, _ names: Names) -> String? {
        // At any time, from which others can be counted back.
        let times = TimeExpression(now: 1_800_000_000_000_000, zone: .utc)
        do throws(PredicateError) {
            _ = try bind(try PredicateParser.parse(text), of: text, times: times, names)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Binds the predicate that has a name.
    private func bind(named word: PredicateSyntax.Word) throws(PredicateError) -> Predicate {
        guard let text = names.predicates[ExactString(word.text)]?.text else {
            throw error(NamedPredicates.unknown(word.text, among: names.predicates.keys), at: word)
        }
        guard depth < Self.deepest else { throw error(NamedPredicates.tooDeep(word.text), at: word) }
        do throws(PredicateError) {
            let inner = PredicateBinder(
                source: text, times: times, names: names, depth: depth + 1, suggested: suggested, budget)
            return try inner.bind(try PredicateParser.parse(text))
        } catch let problem {
            throw error("@\(word.text): \(problem.reason)", at: word)
        }
    }

    private func bind(_ syntax: PredicateSyntax) throws(PredicateError) -> Predicate {
        switch syntax {
        case .all(let parts): .all(try parts.map { part throws(PredicateError) in try bind(part) })
        case .any(let parts): .any(try parts.map { part throws(PredicateError) in try bind(part) })
        case .not(let part): .not(try bind(part))
        case .comparison(let comparison): try bind(comparison)
        case .named(let word): try bind(named: word)
        }
    }

    private func bind(_ comparison: PredicateSyntax.Comparison) throws(PredicateError) -> Predicate {
        let word = comparison.key
        budget.conditions -= comparison.conditions
        budget.values -= comparison.values.count
        guard budget.conditions >= 0, budget.values >= 0 else {
            let limit =
                budget.conditions < 0
                ? "\(PredicateParser.mostConditions) conditions" : "\(PredicateParser.mostValues) values"
            throw error("more than \(limit), with those of named predicates", at: word)
        }
        if let key = word.isQuoted ? nil : PredicateKey.named(word.text) {
            guard comparison.inner.isEmpty else { throw error("\(key.name) is no array", at: word) }
            switch key.meaning {
            case .number(let number): return try bind(comparison, number)
            case .text(let text):
                try check(comparison, of: key)
                return try tests(key.normalised(comparison)) { .text(text, $0) }
            case .uid: return try bind(uids: comparison)
            case .cursor: return try bind(cursors: comparison)
            case .message: return try tests(comparison) { .message($0) }
            case .role(let role):
                let paths = names.paths(of: role)
                guard !paths.isEmpty else {
                    let isParameter = !names.paths(of: word.text).isEmpty
                    throw error(
                        "no definition has a parameter with the role \(role.rawValue): add the line "
                            + "`- \(role.rawValue)` to the list below the parameter"
                            + (isParameter ? "; payload.\(word.text) is the parameter of this name" : ""),
                        at: word)
                }
                return try tests(comparison) { .parameter(Predicate.ParameterPath(names: paths), $0) }
            }
        }
        if !word.isQuoted, let field = word.text.rest(after: Self.journalPrefix) {
            let name = ExactString(String(field))
            guard comparison.inner.isEmpty, Self.isFieldName(name.text) else {
                throw error(
                    "a journal field has capital letters, digits and _, such as journal._EXE; "
                        + "payload.\(Self.shown(word.text)) is a parameter", at: word)
            }
            return try tests(comparison) { .journal(name, $0) }
        }
        let path = try path(comparison)
        return try tests(comparison) { .parameter(path, $0) }
    }

    // MARK: journal fields

    static let journalPrefix = "journal."

    /// - Source: systemd.journal-fields(7); journal_field_valid() in systemd
    private static func isFieldName(_ name: String) -> Bool {
        let isStart = name.utf8.first.map { !$0.isDigit } ?? false
        return isStart && name.utf8.count <= 64
            && name.utf8.allSatisfy { $0.isCapital || $0.isDigit || $0 == UInt8(ascii: "_") }
    }

    /// The keys of fields that journalctl's matches ask for, such as `_SYSTEMD_UNIT=shop.service`.
    private static let keysOfFields: [ExactString: String] = {
        let others = [
            "PRIORITY": "level", "_PID": "pid", "_BOOT_ID": "boot", "MESSAGE": "message", "__CURSOR": "cursor",
        ]
        let senders = SenderField.allCases.map { ($0.journalName, $0.name) }
        return Dictionary(
            uniqueKeysWithValues: (senders + others.map { ($0, $1) }).map { (ExactString($0), $1) })
    }()

    // MARK: parameters

    private static let prefix = "payload."

    /// `payload.a.b[0].c`, or without `payload.` if the dictionary knows the first name.
    private func path(
        _ comparison: PredicateSyntax.Comparison
    ) throws(PredicateError) -> Predicate.ParameterPath {
        let word = comparison.key
        if let rest = word.text.rest(after: Self.prefix) {
            try checkSteps(rest, of: word)
            return Predicate.ParameterPath(names: [ExactString(String(rest))], inner: comparison.inner)
        }
        try checkSteps(word.text[...], of: word)
        let first = word.text.prefix { $0 != "." }
        let rest = word.text[first.endIndex...]
        let paths = names.paths(of: word.text).union(
            rest.isEmpty ? [] : names.paths(of: String(first)).map { ExactString("\($0.text)\(rest)") })
        guard !paths.isEmpty else { throw unknown(word) }
        return Predicate.ParameterPath(names: paths, inner: comparison.inner)
    }

    private func checkSteps(_ name: Substring, of word: PredicateSyntax.Word) throws(PredicateError) {
        let hasAll = !name.split(separator: ".", omittingEmptySubsequences: false).contains("")
        guard !name.isEmpty, word.isQuoted || hasAll || word.text.first == "." else {
            throw error("expected the name of a parameter", at: word)
        }
    }

    private func unknown(_ word: PredicateSyntax.Word) -> PredicateError {
        // jq writes .user_id.
        let text = word.text.drop { $0 == "." }
        let name = Self.shown(String(text))
        let wanted = text.lowercased().unicodeScalars.map(\.value)
        func distance(_ name: some StringProtocol) -> Int? {
            EditDistance.between(wanted, name.lowercased().unicodeScalars.map(\.value), limit: max(1, wanted.count / 4))
        }
        let keys = suggested ?? PredicateKey.allCases.map(\.name)
        if let key = Self.keysOfFields[ExactString(String(text))], keys.contains(key) {
            return error(
                "there is no key and no defined parameter \(name); write \(key) for this journal field", at: word)
        }
        let known = Set(exact: keys).union(names.all).map(\.text)
        let near = EditDistance.threeNearest(among: known) { name in
            // A member may be asked for without the object that it is in.
            let last = name.lastIndex(of: ".").map { name[name.index(after: $0)...] }
            return [distance(name), last.flatMap(distance)].compactMap(\.self).min()
        }.map(Self.shown)
        let payload = "payload.\(name) asks for a parameter that no definition has"
        let isField = suggested == nil && Self.isFieldName(name)
        let field = isField ? "\(Self.journalPrefix)\(name) asks for a journal field, and " : ""
        let hint = near.isEmpty ? field + payload : "did you mean \(near.joined(separator: ", "))? \(payload)"
        return error("there is no key and no defined parameter \(name); \(hint)", at: word)
    }

    /// A name from outside, short and without control characters.
    static func shown(_ name: String) -> String {
        let clean = name.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
        return clean.count > longestShown ? String(clean.prefix(longestShown)) + "…" : String(clean)
    }

    private static let longestShown = 60

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
            for value in comparison.values where !value.isQuoted {
                if value.text.contains("*") {
                    throw error("write like for a value with wildcards, or put the value in quotes", at: value)
                }
                if ["nil", "null"].contains(value.text.lowercased()) {
                    let not = comparison.operation == .equal ? "not " : ""
                    throw error(
                        "write \(not)exists \(Self.shown(comparison.key.text)), or put the value in quotes", at: value)
                }
            }
            let values = Set(comparison.values.map { ExactString($0.text) })
            let test = condition(.among(values, ignoresCase: comparison.ignoresCase))
            return comparison.operation == .equal ? test : .not(test)
        case .ordered(let order):
            let value = try one(comparison)
            guard !comparison.ignoresCase else { throw error("[c] does not go with \(order.rawValue)", at: value) }
            if !value.isQuoted, let problem = Measure.problem(with: value.text) { throw error(problem, at: value) }
            return condition(.ordered(order, ExactString(value.text)))
        case .match(.like):
            for value in comparison.values where Glob(value.text).longestWildPart > Self.longestWildPart {
                throw error(
                    "a pattern with ? may have \(Self.longestWildPart) bytes between two *, or between * and an end",
                    at: value)
            }
            return any(TextTest.like(comparison.values.map(\.text), ignoresCase: comparison.ignoresCase))
        case .match(let match):
            return any(
                comparison.values.map { .matches(match, ExactString($0.text), ignoresCase: comparison.ignoresCase) })
        }
    }

    private static let longestWildPart = 256

    func one(_ comparison: PredicateSyntax.Comparison) throws(PredicateError) -> PredicateSyntax.Word {
        guard comparison.values.count == 1 else {
            throw error("this operator has one value", at: comparison.values.last ?? comparison.key)
        }
        return comparison.values[0]
    }

    /// Refuses values that the key never has, which would find nothing without saying why.
    private func check(_ comparison: PredicateSyntax.Comparison, of key: PredicateKey) throws(PredicateError) {
        if case .ordered(let order) = comparison.operation, key.values != nil {
            throw error("\(key.name) has no order: write == or in instead of \(order.rawValue)", at: comparison.key)
        }
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
        comparison.ignoresCase ? value.lowercased() == allowed : value == allowed
    }

    func error(_ reason: String, at word: PredicateSyntax.Word) -> PredicateError {
        PredicateError(reason, in: source, at: word.range)
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
