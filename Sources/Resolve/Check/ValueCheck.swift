import JSON
import Model

/// Checks whether a JSON value has a parameter's type.
///
/// - smallint, integer, bigint: a number without fraction and exponent, by its exact text. `1.0` and `1e3` are not
///   integers, although some warehouses accept them.
/// - real, double: any number that does not overflow the type; one that is too close to zero counts as 0
/// - boolean: `true` or `false`
/// - string: any string, up to the maximum length of its unescaped text in bytes
/// - date, timestamp, timestamptz: a string, see `DateTimeText`
/// - any: any value
/// - an array, an object: see `PayloadCheck`, which checks what is in them
/// - a custom type: anything but an object, unless it is defined
///
/// If there is a list of allowed values, the value must also be one of them.
final class ValueCheck: Sendable {
    /// A type in a form that can be copied without cost.
    enum Form: Sendable {
        case integer(Int64, Int64)
        case real, double, boolean
        case string(maximumBytes: Int)
        case date, timestamp
        case any, anyButObject
        /// Values with more values in them.
        case object, array
        /// A type, and one of a list of values.
        case oneOf

        /// Whether a value certainly has the type, as most values do. If not, `fault` examines it in detail.
        @inline(__always)
        func plainlyAdmits(_ text: UnsafeRawBufferPointer, kind: JSONKind) -> Bool {
            switch (self, kind) {
            case (.integer(let least, let most), .number(isInteger: true)):
                IntegerText.size(of: text, in: least...most) == .fits
            // Escapes only make the text longer than its value.
            case (.string(let maximumBytes), .string): text.count - 2 <= maximumBytes
            case (.boolean, .true), (.boolean, .false): true
            case (.double, .number), (.real, .number): ValueCheck.isPlainNumber(text)
            case (.anyButObject, .object): false
            case (.anyButObject, _), (.any, _): true
            default: false
            }
        }
    }

    /// `typeForm`, or `.oneOf` if there is a list of values, which needs more than a glance.
    let form: Form
    /// The type's name and, for a custom type, the type as which it is checked.
    let name: ExactString
    /// The type without regard to the allowed values.
    let typeForm: Form
    /// The allowed values; `nil` when all are allowed.
    let values: AllowedValues?
    /// What may be in an object or an array.
    let nested: Nested?

    enum Nested: Sendable {
        case object(ObjectCheck)
        case array(ArrayCheck)
    }

    convenience init(_ parameter: Parameter, _ types: inout TypeCompiler) {
        self.init(parameter.type, values: parameter.listedValues, &types)
    }

    private init(_ type: ParameterType, values listed: [String]?, _ types: inout TypeCompiler) {
        values = listed.map(AllowedValues.init)
        typeForm = Self.form(of: type)
        form = values == nil ? typeForm : .oneOf
        name = ExactString(Self.name(of: type))
        switch type.checked {
        case .custom(_, .object(let object)?): nested = .object(types.object(object))
        case .array(let element, let allowsNull, let maximumCount):
            let check = ValueCheck(element, values: element.listedValues, &types)
            nested = .array(ArrayCheck(element: check, allowsNull: allowsNull, maximumCount: maximumCount))
        default: nested = nil
        }
    }

    private static func name(of type: ParameterType) -> String {
        if case .custom(let name, .same(let other)?) = type { "\(name) (\(Self.name(of: other)))" } else { type.name }
    }

    private static func form(of type: ParameterType) -> Form {
        switch type {
        case .smallint: .integer(Int64(Int16.min), Int64(Int16.max))
        case .integer: .integer(Int64(Int32.min), Int64(Int32.max))
        case .bigint: .integer(.min, .max)
        case .real: .real
        case .double: .double
        case .boolean: .boolean
        case .string(let maximumBytes): .string(maximumBytes: maximumBytes ?? .max)
        case .date: .date
        case .timestamp, .timestamptz: .timestamp
        case .any: .any
        case .array: .array
        case .custom(_, nil), .custom(_, .values?): .anyButObject
        case .custom(_, .object?): .object
        case .custom(_, .same(let other)?): form(of: other)
        }
    }

    /// - Parameters:
    ///   - text: the value's JSON text, a string with its quotes.
    ///   - kind: any kind but null, which counts as no value.
    /// - Returns: `nil` when the value is valid, apart from what is in an object or an array.
    func fault(of text: UnsafeRawBufferPointer, kind: JSONKind) -> Violation.Fault? {
        typeFault(of: text, kind: kind) ?? values.flatMap { valueFault(text, kind, $0) }
    }

    private func typeFault(of text: UnsafeRawBufferPointer, kind: JSONKind) -> Violation.Fault? {
        guard admits(kind) else { return typeFault(kind) }
        return switch (typeForm, kind) {
        case (.integer(let least, let most), _): integerFault(text, least...most)
        case (.string(let maximumBytes), .string(let hasEscapes)):
            lengthFault(text, hasEscapes: hasEscapes, maximumBytes)
        case (.real, _), (.double, _): realFault(text)
        case (.date, _), (.timestamp, _): timeFault(text, kind)
        case (.boolean, _), (.string, _), (.any, _), (.anyButObject, _), (.object, _), (.array, _), (.oneOf, _): nil
        }
    }

    /// Returns the value that a text reads as, if it is one that JSON does not write as a string; `nil` if it is a text.
    /// - Parameter text: without escapes.
    func value(of text: UnsafeRawBufferPointer) -> [UInt8]? {
        // An empty text is no value of a type that says which texts it has.
        if text.isEmpty {
            return switch typeForm {
            case .string, .any: nil
            case .anyButObject where values == nil: nil
            default: Array("null".utf8)
            }
        }
        return switch (typeForm, JSONScanner.kind(of: text)) {
        case (_, nil), (.string, _), (.date, _), (.timestamp, _), (.any, _), (.anyButObject, _), (.oneOf, _): nil
        case (_, let kind?): admits(kind) ? Array(text) : nil
        }
    }

    /// Whether values of this kind may have the type.
    func admits(_ kind: JSONKind) -> Bool {
        switch (typeForm, kind) {
        case (.integer, .number(isInteger: true)), (.real, .number), (.double, .number), (.boolean, .true),
            (.boolean, .false), (.string, .string), (.date, .string), (.timestamp, .string), (.object, .object),
            (.array, .array):
            true
        case (.anyButObject, .object): false
        case (.any, _), (.anyButObject, _), (.oneOf, _): true
        default: false
        }
    }

    func typeFault(_ kind: JSONKind) -> Violation.Fault {
        .type(name, found: kind.valueKind)
    }

    private func integerFault(_ text: UnsafeRawBufferPointer, _ range: ClosedRange<Int64>) -> Violation.Fault? {
        switch IntegerText.size(of: text, in: range) {
        case .fits: nil
        case .tooSmall: .integer(type: name, allowed: range, excess: .smaller)
        case .tooLarge: .integer(type: name, allowed: range, excess: .larger)
        }
    }

    private func lengthFault(
        _ text: UnsafeRawBufferPointer, hasEscapes: Bool, _ maximumBytes: Int
    ) -> Violation.Fault? {
        let content = text.stringContent
        let count = hasEscapes ? JSONScanner.unescapedCount(content) : content.count
        return lengthFault(count, maximumBytes)
    }

    func lengthFault(_ count: Int, _ maximumBytes: Int) -> Violation.Fault? {
        count > maximumBytes ? .length(maximum: maximumBytes, found: count) : nil
    }

    private func realFault(_ text: UnsafeRawBufferPointer) -> Violation.Fault? {
        if Self.isPlainNumber(text) { return nil }
        let number = String(decoding: text, as: UTF8.self)
        if case .real = typeForm {
            return Float(number)?.isFinite == true ? nil : .number(type: name, isDouble: false)
        }
        return Double(number)?.isFinite == true ? nil : .number(type: name, isDouble: true)
    }

    /// Whether a number is at most 10^38, which fits a real: a short text without an exponent.
    @inline(__always)
    fileprivate static func isPlainNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        text.count <= 38 && !text.contains { $0 | 0x20 == UInt8(ascii: "e") }
    }

    private func timeFault(_ text: UnsafeRawBufferPointer, _ kind: JSONKind) -> Violation.Fault? {
        let verdict =
            if case .string(hasEscapes: true) = kind {
                JSONScanner.unescape(text.stringContent).withUnsafeBytes(timeVerdict)
            } else {
                timeVerdict(text.stringContent)
            }
        switch verdict {
        case .valid: return nil
        case .noSuchTime: return .time(type: name)
        case .otherForm: return typeFault(kind)
        }
    }

    private func timeVerdict(_ text: UnsafeRawBufferPointer) -> DateTimeText.Verdict {
        if case .date = typeForm { DateTimeText.checkDate(text) } else { DateTimeText.checkTimestamp(text) }
    }

    private func valueFault(
        _ text: UnsafeRawBufferPointer, _ kind: JSONKind, _ values: AllowedValues
    ) -> Violation.Fault? {
        let isAllowed =
            switch kind {
            case .string(hasEscapes: true): JSONScanner.unescape(text.stringContent).withUnsafeBytes(values.contains)
            case .string(hasEscapes: false): values.contains(text.stringContent)
            default: values.contains(text)
            }
        return isAllowed ? nil : valueFault(kind, values)
    }

    func valueFault(_ kind: JSONKind, _ values: AllowedValues) -> Violation.Fault {
        .value(allowed: values.first, hasMore: values.hasMore, found: kind.valueKind)
    }
}

/// A list of allowed values.
struct AllowedValues: Sendable {
    private let table: KeyTable
    /// The first of them in their order, as violations list them.
    let first: [ExactString]
    let hasMore: Bool

    /// The most allowed values that a violation lists.
    private static let listed = 20

    init(_ values: [String]) {
        let sorted = Set(exact: values).sorted()
        table = KeyTable(sorted.map(\.text))
        first = Array(sorted.prefix(Self.listed))
        hasMore = sorted.count > Self.listed
    }

    func contains(_ text: UnsafeRawBufferPointer) -> Bool { table.index(of: text, hash: KeyHash.of(text)) != nil }
}

extension UnsafeRawBufferPointer {
    /// The content of a JSON string, between its quotes.
    var stringContent: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[1..<count - 1]) }
}

extension JSONKind {
    /// The kind as violations name it.
    var valueKind: ValueKind {
        switch self {
        case .object: .object
        case .array: .array
        case .string: .string
        case .number(isInteger: true): .integer
        case .number(isInteger: false): .real
        case .true, .false: .boolean
        case .null: .null
        }
    }
}
