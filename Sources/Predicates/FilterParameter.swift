package import Model

/// A short way to write a condition: an option of `glossctl`, and a parameter of the API. It means a predicate, and takes its
/// key, description and values from there. `allCases` is the only list of them.
package enum FilterParameter: String, Sendable, CaseIterable {
    case subsystem, category, event, level, since, until
    case programSince = "program_since"
    case programUntil = "program_until"
    case boot, unit, identifier, host, pid, resolution, user, device
    case `where`, grep, predicate

    /// The name in the API.
    package var name: String { rawValue }

    /// How a condition is made from values.
    package enum Form: Sendable, Hashable {
        /// The key has a value that one of the patterns matches.
        case like(String)
        /// The key has one of the values.
        case equal(String)
        /// The key has the value, or one beyond it.
        case ordered(String, TextTest.Order)
        /// `NAME=VALUE`: a member of the payload has the value.
        case member
        /// A regular expression finds something in the text.
        case grep
        case predicate
    }

    package var form: Form {
        switch self {
        case .subsystem, .category, .event, .unit, .identifier, .host: .like(rawValue)
        case .boot, .pid, .resolution, .user, .device: .equal(rawValue)
        case .level: .ordered("level", .atLeast)
        case .since: .ordered("time", .atLeast)
        case .until: .ordered("time", .atMost)
        case .programSince: .ordered("program_time", .atLeast)
        case .programUntil: .ordered("program_time", .atMost)
        case .where: .member
        case .grep: .grep
        case .predicate: .predicate
        }
    }

    /// The key that it is about; `nil` if it is about none, or several.
    package var key: PredicateKey? {
        switch form {
        case .like(let name), .equal(let name), .ordered(let name, _): PredicateKey.named(name)
        case .member, .grep, .predicate: nil
        }
    }

    /// Whether it may be repeated: an event needs one of the values; only of `where` it needs all.
    package var isList: Bool {
        switch form {
        case .like, .equal, .member: true
        case .ordered, .grep, .predicate: false
        }
    }

    /// The most values, as in a predicate.
    private var mostValues: Int {
        switch form {
        case .like, .member: PredicateParser.mostConditions
        case .equal, .ordered, .grep, .predicate: PredicateParser.mostValues
        }
    }

    /// Whether its value is a time.
    package var isTime: Bool {
        guard case .number(let number) = key?.meaning else { return false }
        return number == .time || number == .programTime
    }

    /// A phrase that says what it selects.
    package var description: String {
        switch self {
        case .subsystem: "Subsystem"
        case .category: "Category"
        case .event: "Key of the event, CATEGORY/NAME"
        case .level: "This level or a more severe one, by name or number"
        case .since: "Sent at this time or later"
        case .until: "Sent at this time or earlier"
        case .programSince: "Happened at this time or later, by the program itself"
        case .programUntil: "Happened at this time or earlier, by the program itself"
        case .boot: "Boot, by its id"
        case .unit: "Systemd unit of the sender"
        case .identifier: "Syslog identifier of the sender"
        case .host: "Host of the sender"
        case .pid: "Process id of the sender"
        case .resolution: "What resolving the payload resulted in"
        case .user: "Value of a parameter with the role user"
        case .device: "Value of a parameter with the role device"
        case .where: "NAME=VALUE of a member of the payload, a nested one by its path (device.os=17.1)"
        case .grep:
            "Regular expression (PCRE2) in the message or payload; case makes no difference unless it has a capital"
        case .predicate: "Predicate; docs/predicates.md has the language"
        }
    }

    package var example: String {
        switch self {
        case .subsystem: "com.example.*"
        case .category: "ActivityLog"
        case .event: "recipe_detail/*"
        case .level: "warning"
        case .since, .programSince: "2026-11-21T01:00:00Z"
        case .until: "2026-11-21T02:00:00.5+01:00"
        case .programUntil: "2026-11-21T02:00:00Z"
        case .boot: "11112222333344445555666677778888"
        case .unit: "shop.service"
        case .identifier: "shop"
        case .host: "web*"
        case .pid: "812"
        case .resolution: "violating"
        case .user: "42"
        case .device: "d1"
        case .where: "recipe_id=42"
        case .grep: "recipe_id\":[0-9]+"
        case .predicate: "level == err"
        }
    }

    /// The values that it takes, if there are only a few.
    package var values: [String]? { key?.values }
}

extension FilterParameter {
    /// Returns the predicate that values mean.
    /// - Parameters:
    ///   - values: at least one, and only one unless it is a list.
    ///   - times: what times mean.
    /// - Throws: `PredicateError`, whose text is the wrong value.
    package func predicate(
        _ values: [String], _ times: TimeExpression, _ names: PredicateBinder.Names
    ) throws(PredicateError) -> Predicate {
        guard values.count <= mostValues else {
            throw PredicateError("more than \(mostValues) values", in: "", at: 0..<0)
        }
        return switch form {
        case .like(let key): try bind(key, .match(.like), values, times, names)
        case .equal(let key): try bind(key, .equal, values, times, names)
        case .ordered(let key, let order): try bind(key, .ordered(order), values, times, names)
        case .member: .all(try values.map { value throws(PredicateError) in try Self.member(value) })
        case .grep: .all(try values.map { value throws(PredicateError) in try Self.grep(value) })
        case .predicate:
            .all(
                try values.map { text throws(PredicateError) in
                    try PredicateBinder.bind(PredicateParser.parse(text), of: text, times: times, names)
                })
        }
    }

    private func bind(
        _ key: String, _ operation: PredicateSyntax.Operation, _ values: [String], _ times: TimeExpression,
        _ names: PredicateBinder.Names
    ) throws(PredicateError) -> Predicate {
        func bound(_ values: [String]) throws(PredicateError) -> Predicate {
            // Values are as in quotes: nothing in them has a meaning of its own.
            let words = values.map { PredicateSyntax.Word($0, isQuoted: true, range: 0..<$0.utf8.count) }
            let comparison = PredicateSyntax.Comparison(
                key: PredicateSyntax.Word(key), operation: operation, values: words)
            return try PredicateBinder.bind(.comparison(comparison), of: values[0], times: times, names)
        }
        do throws(PredicateError) {
            return try bound(values)
        } catch {
            // The text of an error is the wrong value.
            for value in values { _ = try bound([value]) }
            throw error
        }
    }

    private static func grep(_ pattern: String) throws(PredicateError) -> Predicate {
        guard !pattern.isEmpty else { throw PredicateError("a regular expression is not empty", in: "", at: 0..<0) }
        return .message(TextTest(grep: pattern))
    }

    /// - Parameter text: `NAME=VALUE`
    private static func member(_ text: String) throws(PredicateError) -> Predicate {
        guard let (name, value) = memberParts(text) else {
            throw PredicateError(
                "expected NAME=VALUE, and the name has letters, digits, _, - and . only", in: text,
                at: 0..<text.utf8.count)
        }
        return .parameter(Predicate.ParameterPath(names: [ExactString(name)]), .among([ExactString(value)]))
    }

    /// - Returns: `nil` if the text is not `NAME=VALUE`.
    package static func memberParts(_ text: String) -> (name: String, value: String)? {
        guard let parts = text.parts(at: "="), !parts.before.isEmpty, parts.before.utf8.allSatisfy(isNameByte)
        else { return nil }
        return (String(parts.before), String(parts.after))
    }

    /// A regular expression for names: ASCII letters, digits, `_`, `-` and `.`, and all non-ASCII characters.
    /// Definitions allow fewer, but undefined payloads have other names. Operators of other query languages, and
    /// spaces, are excluded.
    package static let namePattern = #"[^\u0000-,/:-@\[-^`{-\u007f]+"#

    /// Whether `namePattern` allows a byte.
    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isNameByte || byte == UInt8(ascii: ".") || byte >= 0x80
    }
}
