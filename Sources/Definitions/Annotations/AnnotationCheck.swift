import Model

/// Checks whether annotations are valid for their parameter.
enum AnnotationCheck {
    static func check(_ parameter: Parameter, _ annotations: Annotations, _ problems: inout ProblemList) {
        if let values = annotations.values { check(values.list, of: parameter, values.line, &problems) }
        if let (role, line) = annotations.role, !isName(parameter.type) {
            let (role, type) = (role.rawValue, parameter.type.text())
            let message = "`\(type)` cannot identify a \(role): `\(role)` is for !string and whole numbers"
            problems.add(.roleConflict, line, message, at: role)
        }
        if parameter.privacy == .private, let role = parameter.role {
            let role = role.rawValue
            let message = "a private value cannot identify a \(role): write `privacy: hash`, which stays the same"
            let rest = "\(message) for the same \(role), or remove `\(role)`"
            problems.add(.privateSearch, parameter.line, rest, at: parameter.name)
        }
    }

    private static func check(_ values: [String], of parameter: Parameter, _ line: Int, _ problems: inout ProblemList) {
        func wrong(_ message: String, at value: String? = nil) {
            problems.add(.invalidValues, line, message, at: value ?? "values")
        }
        let type = parameter.type.checked
        if case .custom(let name, .values?) = type {
            return wrong("the values of `\(name)` are listed already, where it is defined: remove this line")
        }
        var seen: Set<ExactString> = []
        for value in values {
            let shown = Name.shown(value)
            if value.isEmpty {
                return wrong("a value is missing: write `values: a, b`, with a comma between two values")
            }
            if !seen.insert(value) { return wrong("`\(shown)` is listed twice: remove one", at: value) }
            if case .string(let limit?) = type, value.utf8.count > limit {
                return wrong("`\(shown)` has \(value.utf8.count) bytes, more than the \(limit) of its type", at: value)
            }
            switch fits(value, type) {
            case true?: break
            case false?: return wrong("`\(shown)` is no \(type.text()): list values of the type", at: value)
            case nil: return wrong("\(type.text()) has no listed values: use it for !string and whole numbers")
            }
        }
        if values.count == 1, values[0].contains(where: "、，".contains) {
            problems.add(
                .invalidValues, line, "this is one value: write commas as `,`", at: values[0], as: .warning)
        }
    }

    /// Returns whether the value has the type; `nil` for types without lists of values, since equal values of such a
    /// type may have different texts.
    private static func fits(_ value: String, _ type: ParameterType) -> Bool? {
        switch type {
        case .smallint: Int16(value).map { "\($0)" == value } ?? false
        case .integer: Int32(value).map { "\($0)" == value } ?? false
        case .bigint: Int64(value).map { "\($0)" == value } ?? false
        case .boolean: value == "true" || value == "false"
        case .custom(_, .object?): nil
        case .string, .custom: true
        case .real, .double, .date, .timestamp, .timestamptz, .any, .array: nil
        }
    }

    private static func isName(_ type: ParameterType) -> Bool {
        switch type.checked {
        case .custom(_, .object?): false
        case .smallint, .integer, .bigint, .string, .custom: true
        case .real, .double, .boolean, .date, .timestamp, .timestamptz, .any, .array: false
        }
    }
}
