import JSON
import Model

/// Whether a JSON value is of a parameter's type.
///
/// - smallint, integer, bigint: a number without fraction and exponent, by its exact text. `1.0` and `1e3` are no
///   integers: a warehouse that takes them guesses.
/// - real, double: any number that does not overflow the type
/// - boolean: `true` or `false`
/// - string: any string, up to the length in bytes that it stands for
/// - date, timestamp, timestamptz: a string, see `DateTimeText`
/// - a custom type: anything but an object, unless the settings say more
///
/// Where values are listed, the value must be one of them besides.
struct ValueCheck: Sendable {
    /// A type in a form that is free to copy.
    enum Form: Sendable {
        case integer(Int64, Int64)
        case real, double, boolean
        case string(maximumBytes: Int)
        case date, timestamp
        case anyButObject
        /// Of a type, and one of a few.
        case oneOf

        /// Whether a value is of the type beyond doubt, as most are; where not, `fault` takes a closer look.
        @inline(__always)
        func plainlyAdmits(_ text: UnsafeRawBufferPointer, kind: JSONKind) -> Bool {
            switch (self, kind) {
            case (.integer(let least, let most), .number(isInteger: true)):
                IntegerText.size(of: text, in: least...most) == .fits
            // Escapes only make the text longer than what it stands for.
            case (.string(let maximumBytes), .string): text.count - 2 <= maximumBytes
            case (.boolean, .true), (.boolean, .false): true
            case (.anyButObject, .object): false
            case (.anyButObject, _): true
            default: false
            }
        }
    }

    /// How many of the allowed values a violation has.
    private static let namedValues = 20

    let form: Form
    /// The type's name, with what a custom type is checked as.
    let name: ExactString
    /// Without regard to the allowed values.
    let typeForm: Form
    /// `nil` when all are allowed.
    let values: Set<ExactString>?

    init(_ parameter: Parameter) {
        var values = parameter.allowedValues
        typeForm = Self.form(of: parameter.type, maximumBytes: parameter.maximumBytes, &values)
        form = values == nil ? typeForm : .oneOf
        name = ExactString(Self.name(of: parameter.type))
        self.values = values.map { Set(exact: $0) }
    }

    private static func name(of type: ParameterType) -> String {
        if case .custom(let name, .same(let other)?) = type { "\(name) (\(Self.name(of: other)))" } else { type.name }
    }

    private static func form(of type: ParameterType, maximumBytes: Int?, _ values: inout [String]?) -> Form {
        switch type {
        case .smallint: return .integer(Int64(Int16.min), Int64(Int16.max))
        case .integer: return .integer(Int64(Int32.min), Int64(Int32.max))
        case .bigint: return .integer(.min, .max)
        case .real: return .real
        case .double: return .double
        case .boolean: return .boolean
        case .string: return .string(maximumBytes: maximumBytes ?? .max)
        case .date: return .date
        case .timestamp, .timestamptz: return .timestamp
        case .custom(_, nil): return .anyButObject
        case .custom(_, .same(let other)?): return form(of: other, maximumBytes: maximumBytes, &values)
        case .custom(_, .values(let allowed)?):
            values = allowed.map(\.text).filter { values?.contains($0) ?? true }
            return .anyButObject
        }
    }

    /// - Parameters:
    ///   - text: the value as it is written, a string with its quotes
    ///   - kind: not null, which is no value
    /// - Returns: `nil` when it is of the type.
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
        case (.boolean, _), (.string, _), (.anyButObject, _), (.oneOf, _): nil
        }
    }

    /// Whether a value of this kind may be of the type.
    func admits(_ kind: JSONKind) -> Bool {
        switch (typeForm, kind) {
        case (.integer, .number(isInteger: true)), (.real, .number), (.double, .number), (.boolean, .true),
            (.boolean, .false), (.string, .string), (.date, .string), (.timestamp, .string):
            true
        case (.anyButObject, .object): false
        case (.anyButObject, _), (.oneOf, _): true
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

    private func lengthFault(_ text: UnsafeRawBufferPointer, hasEscapes: Bool, _ maximumBytes: Int) -> Violation.Fault?
    {
        let content = text.stringContent
        let count = hasEscapes ? JSONScanner.unescapedCount(content) : content.count
        return lengthFault(count, maximumBytes)
    }

    func lengthFault(_ count: Int, _ maximumBytes: Int) -> Violation.Fault? {
        count > maximumBytes ? .length(maximum: maximumBytes, found: count) : nil
    }

    private func realFault(_ text: UnsafeRawBufferPointer) -> Violation.Fault? {
        // Nothing this short without an exponent is beyond 10^38, which a real still holds.
        if text.count <= 38, !text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { return nil }
        let number = String(decoding: text, as: UTF8.self)
        if case .real = typeForm {
            return Float(number)?.isFinite == true ? nil : .number(type: name, isDouble: false)
        }
        return Double(number)?.isFinite == true ? nil : .number(type: name, isDouble: true)
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

    private func valueFault(_ text: UnsafeRawBufferPointer, _ kind: JSONKind, _ values: Set<ExactString>) -> Violation
        .Fault?
    {
        let value =
            if case .string = kind {
                JSONScanner.text(of: text.stringContent)
            } else {
                String(decoding: text, as: UTF8.self)
            }
        return values.contains(value) ? nil : valueFault(kind, values)
    }

    func valueFault(_ kind: JSONKind, _ values: Set<ExactString>) -> Violation.Fault {
        .value(
            allowed: Array(values.sorted().prefix(Self.namedValues)), hasMore: values.count > Self.namedValues,
            found: kind.valueKind)
    }
}

extension UnsafeRawBufferPointer {
    /// Of a JSON string's text: what is between the quotes.
    var stringContent: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[1..<count - 1]) }
}

extension JSONKind {
    /// As violations name it.
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
