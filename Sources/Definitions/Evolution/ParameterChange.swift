import Model

/// A way in which a parameter allows less, or protects less, than before.
struct ParameterChange {
    var rule: LintRule
    /// The message after the name.
    var message: String

    static func changes(from before: Parameter, to after: Parameter) -> [ParameterChange] {
        var changes: [ParameterChange] = []
        if !before.isRequired, after.isRequired {
            let was = before.isObsolete ? "obsolete" : "optional"
            changes.append(.init(rule: .becameRequired, message: "was \(was) and is required now: leave it \(was)"))
        }
        if !before.type.fits(into: after.type) {
            let (then, now) = (before.typeText, after.typeText)
            let message = "was \(then) and is \(now) now, which not all of its values fit: keep \(then), or add another"
            changes.append(.init(rule: .typeNarrowed, message: "\(message) parameter"))
        } else if let shorter = shortened(from: before.maximumBytes, to: after.maximumBytes) {
            let was = before.maximumBytes.map { "\($0) bytes" } ?? "any length"
            let message = "had \(was) and has \(shorter) bytes now: never less than before"
            changes.append(.init(rule: .lengthShortened, message: message))
        }
        if let gone = removed(from: before.everyAllowedValue, to: after.everyAllowedValue) {
            let message = "does not allow \(gone) any more: keep what was allowed"
            changes.append(.init(rule: .valuesRemoved, message: message))
        }
        if before.privacy > after.privacy {
            let message = "was \(before.privacy.rawValue) and is \(after.privacy.rawValue) now: its values are stored"
            changes.append(.init(rule: .privacyLoosened, message: "\(message) and sent from now on, is that meant?"))
        }
        return changes
    }

    private static func shortened(from before: Int?, to after: Int?) -> Int? {
        guard let after else { return nil }
        return before.map { $0 <= after } ?? false ? nil : after
    }

    private static func removed(from before: [String]?, to after: [String]?) -> String? {
        guard let after else { return nil }
        guard let before else { return "other values than \(list(after))" }
        let gone = before.filter { !after.contains($0) }
        return gone.isEmpty ? nil : list(gone)
    }

    private static func list(_ values: [String]) -> String {
        let shown = values.prefix(5).map { "`\(Name.shown($0))`" }.joined(separator: ", ")
        return values.count > 5 ? "\(shown) and \(values.count - 5) more" : shown
    }
}

extension Parameter {
    var isRequired: Bool { !isOptional && !isObsolete }

    /// The allowed values by annotation or by the settings; `nil` when all values of the type are allowed.
    fileprivate var everyAllowedValue: [String]? {
        listedValues ?? (type == .boolean ? ["true", "false"] : nil)
    }

    /// Returns the type as definitions write it.
    func typeText(isOptional: Bool) -> String {
        let parts = typeText.split(separator: " ", maxSplits: 1)
        let length = parts.count > 1 ? " \(parts[1])" : ""
        return "\(parts[0])\(isOptional ? "?" : "")\(length)"
    }
}

extension ParameterType {
    /// Whether every value of this type is also a value of `other`.
    fileprivate func fits(into other: ParameterType) -> Bool {
        switch (self.meaning, other.meaning) {
        // Lists of values are compared value by value.
        case (_, nil): true
        case (nil, _?): false
        case (let one?, let other?): one == other || one.wider.contains(other)
        }
    }

    /// The built-in type that it is checked as; `nil` for a custom type without such a meaning.
    private var meaning: ParameterType? {
        guard case .custom(_, let custom) = self else { return self }
        if case .same(let type)? = custom { return type.meaning }
        return nil
    }

    /// The types that include all of its values.
    private var wider: [ParameterType] {
        switch self {
        case .smallint: [.integer, .bigint, .real, .double]
        case .integer: [.bigint, .real, .double]
        case .bigint: [.real, .double]
        case .real: [.double]
        case .boolean, .double, .string, .date, .timestamp, .timestamptz, .custom: []
        }
    }
}
