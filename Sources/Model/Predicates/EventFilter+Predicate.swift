extension EventFilter {
    /// All conditions as one predicate.
    package var whole: Predicate {
        var parts: [Predicate] = []
        func add(_ key: Predicate.TextKey, globs: [String]) {
            guard !globs.isEmpty else { return }
            let exact = globs.filter { Glob($0).exactText != nil }
            let others = globs.filter { Glob($0).exactText == nil }
            let tests =
                (exact.isEmpty ? [] : [TextTest.among(Set(exact: exact))])
                + others.map { .matches(.like, ExactString($0)) }
            parts.append(tests.count == 1 ? .text(key, tests[0]) : .any(tests.map { .text(key, $0) }))
        }
        func add(_ key: Predicate.NumberKey, _ first: UInt64?, _ last: UInt64?) {
            guard first != nil || last != nil else { return }
            let (first, last) = (Int64(clamping: first ?? 0), Int64(clamping: last ?? .max))
            parts.append(first <= last ? .number(key, first...last) : .nothing)
        }
        add(.time, sinceMicroseconds, untilMicroseconds)
        add(.programTime, programSinceMicroseconds, programUntilMicroseconds)
        if let level { parts.append(.number(.level, 0...Int64(level.rawValue))) }
        add(.sender(.subsystem), globs: subsystems)
        add(.sender(.category), globs: categories)
        add(.sender(.unit), globs: units)
        add(.sender(.identifier), globs: identifiers)
        add(.sender(.host), globs: hosts)
        add(.event, globs: events)
        if !boots.isEmpty { parts.append(.text(.boot, .among(Set(exact: boots.map(\.description))))) }
        if !pids.isEmpty { parts.append(.any(pids.map { .number(.pid, Int64($0)...Int64($0)) })) }
        if !resolutions.isEmpty {
            parts.append(.text(.resolution, .among(Set(exact: resolutions.map(\.rawValue)))))
        }
        parts += parameters.map { .parameter(Predicate.ParameterPath(names: $0.names), .among($0.values)) }
        if let grep { parts.append(.message(TextTest(grep: grep))) }
        if let predicate { parts.append(predicate) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }
}

extension TextTest {
    /// Finds a regular expression. As in `journalctl --grep`, upper and lower case make no difference unless it has an
    /// upper-case letter.
    package init(grep pattern: String) {
        let ignoresCase = !pattern.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        // Bytes are compared, which is much faster.
        let isPlain = !pattern.utf8.contains { #"\^$.|?*+()[]{}"#.utf8.contains($0) }
        self = .matches(isPlain ? .contains : .matches, ExactString(pattern), ignoresCase: ignoresCase)
    }
}
