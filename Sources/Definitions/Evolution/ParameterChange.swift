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
            let (then, now) = (before.type.text(), after.type.text())
            let message = "was \(then) and is \(now) now, which not all of its values fit: keep \(then), or add another"
            changes.append(.init(rule: .typeNarrowed, message: "\(message) parameter"))
        } else if let message = before.type.shortened(to: after.type) {
            changes.append(.init(rule: .lengthShortened, message: message))
        }
        let gone = removed(
            from: before.listedValues ?? before.type.everyValue, to: after.listedValues ?? after.type.everyValue)
        if let gone = gone ?? removedOfElements(before.type, after.type) {
            let message = "does not allow \(gone) any more: keep what was allowed"
            changes.append(.init(rule: .valuesRemoved, message: message))
        }
        if before.privacy > after.privacy {
            let message = "was \(before.privacy.rawValue) and is \(after.privacy.rawValue) now: its values are stored"
            changes.append(.init(rule: .privacyLoosened, message: "\(message) and sent from now on, is that meant?"))
        }
        return changes
    }

    private static func removed(from before: [String]?, to after: [String]?) -> String? {
        guard let after else { return nil }
        guard let before else { return "other values than \(list(after))" }
        let known = Set(exact: after)
        let gone = before.filter { !known.contains($0) }
        return gone.isEmpty ? nil : list(gone)
    }

    private static func removedOfElements(_ before: ParameterType, _ after: ParameterType) -> String? {
        guard case .array(let before, _, _) = before.checked, case .array(let after, _, _) = after.checked else {
            return nil
        }
        return removed(from: before.everyValue, to: after.everyValue) ?? removedOfElements(before, after)
    }

    private static func list(_ values: [String]) -> String {
        let shown = values.prefix(5).map { "`\(Name.shown($0))`" }.joined(separator: ", ")
        return values.count > 5 ? "\(shown) and \(values.count - 5) more" : shown
    }
}

extension ParameterType {
    /// Its values, if they are few.
    fileprivate var everyValue: [String]? { listedValues ?? (checked == .boolean ? ["true", "false"] : nil) }

    /// Whether every value of this type is also a value of `other`. Lists of values, limits and the members of types with the
    /// same name are compared elsewhere.
    fileprivate func fits(into other: ParameterType) -> Bool {
        switch (checked, other.checked) {
        case (_, .any): true
        case (.custom(let name, .object(let one)?), .custom(let otherName, .object(let other)?)):
            name == otherName || one == other
        case (.any, _), (.custom(_, .object?), _), (_, .custom(_, .object?)): false
        case (_, .custom): true
        case (.custom, _): false
        case (.array(let one, let oneNull, _), .array(let other, let otherNull, _)):
            one.fits(into: other) && (otherNull || !oneNull)
        case (.string, .string): true
        case (let one, let other): one == other || one.wider.contains(other)
        }
    }

    /// Returns what to say if a text or an array may be less long than before.
    fileprivate func shortened(to other: ParameterType) -> String? {
        switch (checked, other.checked) {
        case (.string(let before), .string(let after?)) where before ?? .max > after:
            let was = before.map { "\($0) bytes" } ?? "any length"
            return "had \(was) and has \(after) bytes now: never less than before"
        case (.array(let one, _, let before), .array(let other, _, let after)):
            if let after, before ?? .max > after {
                let was = before.map { "\($0)" } ?? "any number of"
                return "had \(was) elements and has \(after) now: never less than before"
            }
            return one.shortened(to: other)
        default: return nil
        }
    }

    /// The types that include all of its values.
    private var wider: [ParameterType] {
        switch self {
        case .smallint: [.integer, .bigint, .real, .double]
        case .integer: [.bigint, .real, .double]
        case .bigint: [.real, .double]
        case .real: [.double]
        case .boolean, .double, .string, .date, .timestamp, .timestamptz, .any, .array, .custom: []
        }
    }
}
