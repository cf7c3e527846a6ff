import Model

/// The type as which a value is checked.
enum BaseType: String, Sendable, CaseIterable {
    case smallint, integer, bigint, real, double, boolean, string, date, timestamp, timestamptz
    /// Anything but an object.
    case any
    /// Every JSON value.
    case json
    /// An object with known members.
    case object
    case array

    init(_ type: ParameterType) {
        self =
            switch type.checked {
            case .any: .json
            case .array: .array
            case .custom(_, .object?): .object
            case .custom: .any
            case let builtIn: BaseType(rawValue: builtIn.name) ?? .json
            }
    }

    /// Whether its values are strings in JSON.
    var isText: Bool {
        switch self {
        case .string, .date, .timestamp, .timestamptz, .any: true
        case .smallint, .integer, .bigint, .real, .double, .boolean, .json, .object, .array: false
        }
    }

    /// Whether a parameter can have a list of values of this type.
    var canBeListed: Bool {
        switch self {
        case .json, .object, .array: false
        default: true
        }
    }

    /// Whether an allowed value can have this type.
    func admits(_ text: String, maximumBytes: Int?) -> Bool {
        switch self {
        case .smallint: Self.isInteger(text) && Int16(text) != nil
        case .integer: Self.isInteger(text) && Int32(text) != nil
        case .bigint: Self.isInteger(text) && Int64(text) != nil
        case .real: Self.isNumber(text) && Float(text)?.isFinite == true
        case .double: Self.isNumber(text) && Double(text)?.isFinite == true
        case .boolean: text == "true" || text == "false"
        case .string: text.utf8.count <= maximumBytes ?? .max
        case .date, .timestamp, .timestamptz, .any, .json, .object, .array: true
        }
    }

    /// Returns the JSON texts whose value is `text`.
    func accepted(_ text: String) -> [String] {
        guard isText else { return [text] }
        let quoted = Dialect.json.literal(text)
        let isBare = text == "true" || text == "false" || Self.isNumber(text)
        return self == .any && isBare ? [quoted, text] : [quoted]
    }

    private static func isInteger(_ text: String) -> Bool { text.wholeMatch(of: /-?(0|[1-9][0-9]*)/) != nil }

    private static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
    }
}
