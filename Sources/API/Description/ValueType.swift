package import Model

/// The type of a value in the API's JSON.
package indirect enum ValueType: Sendable {
    case text
    /// RFC 3339.
    case time
    case url
    /// An integer of at most 64 bits that is not negative.
    case integer
    case number
    case flag
    case choice([String])
    /// Numbers of events by resolution; resolutions without events are left out.
    case counts
    /// A text, a number, or `null`.
    case scalar
    /// An object with any members.
    case anyObject
    case object(ObjectDescription)
    case list(ValueType)
    /// Left out if there is no value.
    case optional(ValueType)

    package var isOptional: Bool {
        if case .optional = self { true } else { false }
    }

    static func choice<Choice: CaseIterable & RawRepresentable<String>>(of type: Choice.Type) -> Self {
        .choice(type.allCases.map(\.rawValue))
    }

    /// `nil` if the example depends on the member.
    var example: DocumentNode? {
        switch self {
        case .object(let object): object.example
        case .list(let element): element.example.map { [$0] } ?? []
        case .optional(let type): type.example
        case .counts: ["resolved": 1200, "violating": 34]
        default: nil
        }
    }
}

/// A type of values in objects of the API.
package protocol DescribedValue {
    static var valueType: ValueType { get }
}

/// A type whose values can be examples.
package protocol ExampleValue: DescribedValue {
    var document: DocumentNode? { get }
}

extension String: ExampleValue {
    package static var valueType: ValueType { .text }
    package var document: DocumentNode? { .text(self) }
}

extension Bool: ExampleValue {
    package static var valueType: ValueType { .flag }
    package var document: DocumentNode? { .flag(self) }
}

extension Double: ExampleValue {
    package static var valueType: ValueType { .number }
    package var document: DocumentNode? { .real(self) }
}

extension ExampleValue where Self: BinaryInteger {
    package static var valueType: ValueType { .integer }
    package var document: DocumentNode? { .number(Int(self)) }
}

extension Int: ExampleValue {}
extension Int32: ExampleValue {}
extension Int64: ExampleValue {}
extension UInt64: ExampleValue {}

extension WireTime: ExampleValue {
    package static var valueType: ValueType { .time }
    package var document: DocumentNode? { .text(description) }

    /// 2026-11-01T00:00:00Z
    static let earlierExample = WireTime(microseconds: 1_793_491_200_000_000)
    /// 2026-11-20T15:00:01.5Z
    static let example = WireTime(microseconds: 1_795_186_801_500_000)
}

extension ExampleValue where Self: CaseIterable & RawRepresentable<String> {
    package static var valueType: ValueType { .choice(of: Self.self) }
    package var document: DocumentNode? { .text(rawValue) }
}

extension Resolution: ExampleValue {}
extension Violation.Rule: ExampleValue {}
extension Warning.Rule: ExampleValue {}

extension Level: ExampleValue {
    package static var valueType: ValueType { .choice(allCases.map(\.name)) }
    package var document: DocumentNode? { .text(name) }
}

extension Optional: DescribedValue where Wrapped: DescribedValue {
    package static var valueType: ValueType { .optional(Wrapped.valueType) }
}

extension Optional: ExampleValue where Wrapped: ExampleValue {
    package var document: DocumentNode? { self?.document }
}

extension Array: DescribedValue where Element: DescribedValue {
    package static var valueType: ValueType { .list(Element.valueType) }
}

extension Array: ExampleValue where Element: ExampleValue {
    package var document: DocumentNode? { .list(compactMap(\.document)) }
}

extension Dictionary: DescribedValue where Key == String, Value == Int64 {
    package static var valueType: ValueType { .counts }
}
