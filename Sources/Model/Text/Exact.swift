/// Text that is compared, hashed and ordered by its UTF-8 bytes, also in code that is generic over `Hashable`.
///
/// Sets and dictionaries use it as the type of their keys (`[ExactString: Privacy]`, `Set<ExactString>`). As a property
/// wrapper (`@Exact var name: String`) it gives synthesized equality the right meaning.
@propertyWrapper
package struct Exact<Text: ExactlyEqual>: Sendable, Hashable {
    package var wrappedValue: Text

    package init(wrappedValue: Text) {
        self.wrappedValue = wrappedValue
    }

    package static func == (one: Exact, other: Exact) -> Bool { one.wrappedValue.isExactly(other.wrappedValue) }
    package func hash(into hasher: inout Hasher) { wrappedValue.hashExactly(into: &hasher) }
}

package typealias ExactString = Exact<String>

/// Text, or a list of text, or optional text.
package protocol ExactlyEqual: Sendable {
    func isExactly(_ other: Self) -> Bool
    func hashExactly(into hasher: inout Hasher)
}

extension String: ExactlyEqual {
    package func isExactly(_ other: String) -> Bool { self == other }

    package func hashExactly(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // UTF-8 never has this byte: it makes the boundary between two texts part of the hash.
        hasher.combine(0xFF as UInt8)
    }
}

extension Optional: ExactlyEqual where Wrapped: ExactlyEqual {
    package func isExactly(_ other: Wrapped?) -> Bool {
        switch (self, other) {
        case (let one?, let other?): one.isExactly(other)
        case (nil, nil): true
        default: false
        }
    }

    package func hashExactly(into hasher: inout Hasher) {
        hasher.combine(self != nil)
        self?.hashExactly(into: &hasher)
    }
}

extension Array: ExactlyEqual where Element: ExactlyEqual {
    package func isExactly(_ other: [Element]) -> Bool { elementsEqual(other) { $0.isExactly($1) } }

    package func hashExactly(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { element.hashExactly(into: &hasher) }
    }
}

extension Exact: ExpressibleByStringInterpolation, ExpressibleByStringLiteral, ExpressibleByUnicodeScalarLiteral,
    ExpressibleByExtendedGraphemeClusterLiteral, CustomStringConvertible, Comparable
where Text == String {
    package init(_ text: String) { self.init(wrappedValue: text) }
    package init(stringLiteral text: String) { self.init(wrappedValue: text) }

    package var text: String { wrappedValue }
    package var utf8: String.UTF8View { wrappedValue.utf8 }
    package var description: String { wrappedValue }

    package static func < (one: ExactString, other: ExactString) -> Bool { one.text < other.text }
}

extension Set<ExactString> {
    package init(exact texts: some Sequence<String>) { self.init(texts.lazy.map { ExactString($0) }) }
    package func contains(_ text: String) -> Bool { contains(ExactString(text)) }

    /// - Returns: whether the set did not contain it before.
    @discardableResult
    package mutating func insert(_ text: String) -> Bool { insert(ExactString(text)).inserted }
}

extension Dictionary where Key == ExactString {
    package subscript(_ key: String) -> Value? {
        get { self[ExactString(key)] }
        set { self[ExactString(key)] = newValue }
    }

    package subscript(_ key: String, default value: @autoclosure () -> Value) -> Value {
        get { self[ExactString(key), default: value()] }
        set { self[ExactString(key)] = newValue }
    }
}

extension Exact: Codable where Text: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Text.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}
