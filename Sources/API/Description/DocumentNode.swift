/// A part of a JSON document, written as Swift literals.
package indirect enum DocumentNode: Sendable, Hashable {
    case text(String)
    case number(Int)
    case real(Double)
    case flag(Bool)
    case list([DocumentNode])
    case object([String: DocumentNode])
}

extension DocumentNode: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    package init(arrayLiteral elements: DocumentNode...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, DocumentNode)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension DocumentNode: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .real(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }
}
