extension Predicate {
    /// Both predicates.
    package func and(_ other: Predicate) -> Predicate {
        switch (self, other) {
        case (.all([]), let one), (let one, .all([])): one
        case (.all(let parts), .all(let others)): .all(parts + others)
        case (.all(let parts), _): .all(parts + [other])
        case (_, .all(let parts)): .all([self] + parts)
        default: .all([self, other])
        }
    }

    /// Events that were sent not before `first` and not after `last`, in microseconds since 1970.
    package static func sent(from first: UInt64 = 0, through last: UInt64 = .max) -> Predicate {
        first <= last ? .number(.time, Int64(clamping: first)...Int64(clamping: last)) : .nothing
    }

    /// Events with one of these resolutions.
    package static func resolved(as resolutions: [Resolution]) -> Predicate {
        .text(.resolution, .among(Set(exact: resolutions.map(\.rawValue))))
    }
}

extension Predicate.TextKey {
    /// Whether events are counted by it, also those that retention removed.
    package var isCounted: Bool {
        switch self {
        case .sender(let field): field == .subsystem || field == .category
        case .resolution, .dictionary, .event, .eventCategory, .eventName: true
        case .boot, .definitions, .violationRule, .violationParameter, .warningRule, .warningParameter, .reason: false
        }
    }
}

extension Predicate {
    /// How deep it is nested; a condition alone is 1.
    package var depth: Int {
        switch self {
        case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        case .not(let part): 1 + part.depth
        case .number, .text, .identity, .message, .parameter, .journal: 1
        }
    }

    /// Whether it has conditions that only stored events can answer.
    package var isOnStoredEvents: Bool {
        conditions.contains { if case .text(let key, _) = $0 { !key.isCounted } else { true } }
    }

    /// A value that a predicate looks for.
    package struct Wanted: Sendable, Hashable {
        package var key: TextKey
        @Exact package var value: String
        /// Its test alone.
        package var test: TextTest
    }

    /// The values that events have to have, of which a misspelt one finds as little as one with nothing to find.
    package var wanted: [Wanted] {
        switch self {
        case .all(let parts), .any(let parts): parts.flatMap(\.wanted)
        case .text(let key, .among(let values, let ignoresCase)):
            values.sorted().map { value in
                Wanted(key: key, value: value.text, test: .among([value], ignoresCase: ignoresCase))
            }
        case .text(let key, .matches(let match, let value, let ignoresCase)):
            [Wanted(key: key, value: value.text, test: .matches(match, value, ignoresCase: ignoresCase))]
        case .not, .number, .text, .identity, .message, .parameter, .journal: []
        }
    }
}

extension Predicate {
    /// What all events that meet a predicate have in common, as far as it is certain.
    package struct Bounds: Sendable, Hashable {
        /// Microseconds since 1970.
        package var times: ClosedRange<UInt64> = 0 ... .max
        package var ids: ClosedRange<Int64> = 0 ... .max
        /// `nil` for any.
        package var boots: Set<ExactString>?

        package init() {}

        fileprivate func intersection(_ other: Bounds) -> Bounds? {
            guard times.overlaps(other.times), ids.overlaps(other.ids) else { return nil }
            var both = Bounds()
            both.times = times.clamped(to: other.times)
            both.ids = ids.clamped(to: other.ids)
            both.boots = boots.map { boots in other.boots.map(boots.intersection) ?? boots } ?? other.boots
            return both.boots?.isEmpty == true ? nil : both
        }

        fileprivate func union(_ other: Bounds) -> Bounds {
            var either = Bounds()
            either.times =
                min(times.lowerBound, other.times.lowerBound)...max(times.upperBound, other.times.upperBound)
            either.ids = min(ids.lowerBound, other.ids.lowerBound)...max(ids.upperBound, other.ids.upperBound)
            if let boots, let others = other.boots { either.boots = boots.union(others) }
            return either
        }
    }

    /// - Returns: `nil` if no event can meet the predicate.
    package var bounds: Bounds? {
        switch self {
        case .all(let parts):
            return parts.reduce(Bounds()) { whole, part in
                whole.flatMap { whole in part.bounds.flatMap(whole.intersection) }
            }
        case .any(let parts):
            let possible = parts.compactMap(\.bounds)
            return possible.first.map { possible.dropFirst().reduce($0) { $0.union($1) } }
        case .number(.time, let range):
            guard range.upperBound >= 0 else { return nil }
            var bounds = Bounds()
            let last = range.upperBound == .max ? UInt64.max : UInt64(range.upperBound)
            bounds.times = UInt64(max(0, range.lowerBound))...last
            return bounds
        case .number(.id, let range):
            guard range.upperBound >= 0 else { return nil }
            var bounds = Bounds()
            bounds.ids = max(0, range.lowerBound)...range.upperBound
            return bounds
        case .text(.boot, .among(let boots, ignoresCase: false)):
            guard !boots.isEmpty else { return nil }
            var bounds = Bounds()
            bounds.boots = boots
            return bounds
        case .not, .number, .text, .identity, .message, .parameter, .journal: return Bounds()
        }
    }

    /// Whether a gap may hide events that meet the predicate. Missing entries have no subsystem, but the time and boot of
    /// the entries at both ends of the gap are known, or of one. What journald itself did not store is of about the time when it
    /// says so.
    package func concerns(_ gap: Gap) -> Bool {
        guard let bounds else { return false }
        let before = gap.cause == .rateLimited ? gap.to : gap.from
        let start = gap.cause == .rateLimited ? gap.realtimeMicroseconds : before?.realtimeMicroseconds ?? 0
        let end = gap.to?.realtimeMicroseconds ?? gap.realtimeMicroseconds
        guard bounds.times.overlaps(min(start, end)...max(start, end)) else { return false }
        guard let boots = bounds.boots, let first = before?.bootID, let last = gap.to?.bootID else { return true }
        return [first, last].contains { boots.contains(ExactString($0.description)) }
    }
}
