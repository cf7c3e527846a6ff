package import Model

extension PredicateKey {
    /// Whether events can be grouped by it: not by what is different in nearly every event.
    package var isGroupKey: Bool {
        switch meaning {
        case .number(let key): key.isLevel || key == .pid
        case .message, .uid, .cursor: false
        case .text, .role: true
        }
    }
}

extension PredicateBinder {
    /// Returns what events are grouped by for a key of predicates, or a part of time (`hour`).
    /// - Throws: `PredicateError`
    package static func groupKey(_ text: String, _ names: Names) throws(PredicateError) -> GroupKey {
        let comparison = try PredicateParser.parseKey(text)
        let word = comparison.key
        if !word.isQuoted, comparison.inner.isEmpty {
            if let unit = TimeUnit(rawValue: word.text) { return .time(unit) }
            let known = PredicateKey.named(word.text)
            switch known?.meaning {
            case .text(let key): return .text(key)
            case .number(let key) where known?.isGroupKey ?? false: return key.isLevel ? .level(key) : .pid
            case .number(let key):
                let units = TimeUnit.allCases.map(\.rawValue).joined(separator: ", ")
                let hint = key == .id ? "" : "; parts of time are \(units)"
                throw PredicateError("nearly every event has another \(word.text)\(hint)", in: text, at: word.range)
            case .message, .uid, .cursor:
                throw PredicateError(
                    "nearly every event has another \(word.text); payload.\(word.text) is a parameter", in: text,
                    at: word.range)
            case .role, nil: break
            }
        }
        if !word.isQuoted, word.text.hasPrefix(journalPrefix) {
            throw PredicateError(
                "events are not grouped by journal fields, which would be read again for each of them", in: text,
                at: word.range)
        }
        let keys = PredicateKey.allCases.filter(\.isGroupKey).map(\.name) + TimeUnit.allCases.map(\.rawValue)
        return .parameter(try parameter(text, names, suggesting: keys))
    }

    /// Why events cannot be grouped by keys together; `nil` if they can.
    package static func fault(of keys: [GroupKey]) -> String? {
        let kinds = Set(keys.compactMap { if case .text(let key) = $0 { key.findingKind } else { nil } })
        return kinds.count < 2 ? nil : "keys of violations, of warnings and resolution.reason do not belong together"
    }

    /// Returns where payloads have a parameter: `payload.took`, or `took` if a definition has it.
    /// - Parameter suggested: the keys that may be meant by an unknown name, beside those of parameters.
    /// - Throws: `PredicateError`
    package static func parameter(
        _ text: String, _ names: Names, suggesting suggested: [String] = []
    ) throws(PredicateError) -> Predicate.ParameterPath {
        let exists = try PredicateParser.parseKey(text)
        // What exists is bound like any condition.
        let predicate = try bind(
            .comparison(exists), of: text, times: TimeExpression(now: 0, zone: .utc), names, suggesting: suggested)
        guard case .parameter(let path, _) = predicate else {
            throw PredicateError("\(text) is no parameter", in: text, at: exists.key.range)
        }
        return path
    }
}

extension Predicate.TextKey {
    /// What findings it is about: events may have several of each.
    fileprivate var findingKind: String? {
        switch self {
        case .violationRule, .violationParameter: "violation"
        case .warningRule, .warningParameter: "warning"
        case .reason: "reason"
        default: nil
        }
    }
}
