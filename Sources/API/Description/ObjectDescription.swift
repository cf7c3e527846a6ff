/// A type that the API sends as a JSON object.
///
/// The description is the only place that says what a member means. The OpenAPI document, with its schemas and
/// examples, is derived from it.
package protocol DescribedObject: DescribedValue {
    static var object: ObjectDescription { get }
}

/// A JSON object of the API and its members.
package struct ObjectDescription: Sendable {
    /// The name of its schema in the OpenAPI document.
    package var name: String
    package var summary: String
    package var members: [MemberDescription]

    package init(_ name: String, _ summary: String, _ members: [MemberDescription]) {
        self.name = name
        self.summary = summary
        self.members = members
    }

    /// The object with the examples of its members.
    package var example: DocumentNode { example(showing: [:]) }

    /// - Parameter members: values that replace the examples of the members with these names.
    package func example(showing members: [String: DocumentNode]) -> DocumentNode {
        let examples = self.members.compactMap { member in member.example.map { (member.name, $0) } }
        return .object(Dictionary(uniqueKeysWithValues: examples).merging(members) { $1 })
    }
}

/// A member of a JSON object of the API.
package struct MemberDescription: Sendable {
    package var name: String
    package var type: ValueType
    package var text: String
    /// `nil` if the object's example lacks the member.
    package var example: DocumentNode?

    /// A member that is always the same text, such as the `type` of a line.
    static func constant(_ name: String, _ value: String, _ text: String) -> Self {
        Self(name: name, type: .choice([value]), text: text, example: .text(value))
    }

    /// The member that every line of a stream has.
    static func type(_ line: String) -> Self { constant("type", line, "The kind of line") }
}

extension DescribedObject {
    package static var valueType: ValueType { .object(object) }

    /// A member with an example of its own.
    /// - Parameters:
    ///   - property: determines the type, and whether the member is optional.
    ///   - example: `nil` if the object's example lacks the member.
    ///   - type: the type of the value, if it is narrower than that of the property.
    static func member<Value: ExampleValue>(
        _ name: String, _ property: KeyPath<Self, Value>, _ text: String, _ example: Value, as type: ValueType? = nil
    ) -> MemberDescription {
        let narrow = type.map { Value.valueType.isOptional ? .optional($0) : $0 }
        return MemberDescription(name: name, type: narrow ?? Value.valueType, text: text, example: example.document)
    }

    /// A member that is an object, a list of objects, or the number of events for each resolution.
    /// - Parameter example: `nil` if the object's example lacks the member.
    static func member<Value: DescribedValue>(
        _ name: String, _ property: KeyPath<Self, Value>, _ text: String,
        showing example: DocumentNode? = Value.valueType.example
    ) -> MemberDescription {
        MemberDescription(name: name, type: Value.valueType, text: text, example: example)
    }
}

/// A stream of NDJSON, whose lines are objects of several kinds.
package struct StreamDescription: Sendable {
    /// The name of its schema in the OpenAPI document.
    package var name: String
    package var summary: String
    package var lines: [ObjectDescription]

    /// One line of each kind, except the one that says that the stream failed.
    package var example: DocumentNode { .list(lines.filter { $0.name != Problem.line.name }.map(\.example)) }
}
