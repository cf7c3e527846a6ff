package import Model

/// A custom type that a dictionary defines.
package struct TypeReply: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var description: String
    package var values: [String]?
    package var sameAs: String?
    package var members: [ParameterReply]?
    package var extraParameters: Bool
    package var source: String

    package init(_ type: TypeDefinition, in dictionary: EventDictionary) {
        name = type.name
        description = type.description
        source = "\(type.file):\(type.line)"
        extraParameters = false
        // The settings may say something else than the file.
        switch dictionary.options.types[type.name] ?? type.meaning {
        case .same(let other): sameAs = other.text()
        case .values(let values): self.values = values.map(\.text)
        case .object(let object):
            members = object.members.map(ParameterReply.init)
            extraParameters = object.allowsExtra
        }
    }

    package static let object = ObjectDescription(
        "Type", "A custom type that a dictionary defines",
        [
            member("name", \.name, "Its name", "Device"),
            member("description", \.description, "What it means", "The device that the event was sent from."),
            member("values", \.values, "The allowed values, if it lists them", nil),
            member("same_as", \.sameAs, "The type that its values are validated as, if it is that type", nil),
            member("members", \.members, "The members of its values, if these are objects", showing: []),
            member(
                "extra_parameters", \.extraParameters, "Whether objects may have members that are not defined", false),
            member("source", \.source, "Where it is written: FILE:LINE", "types/device.md:3"),
        ])
}
