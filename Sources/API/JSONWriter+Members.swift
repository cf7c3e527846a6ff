import FoundationEssentials
import JSON

extension JSONWriter {
    /// Appends the members of an object, in the order of its description.
    /// - Throws: `EncodingError`.
    mutating func append<Object: DescribedObject & Encodable>(membersOf object: Object) throws {
        let json = Array(try APICoding.encode(object))
        let members = try JSONScanner.members(of: json)
        for name in Object.object.members.map(\.name) {
            guard let member = members.first(where: { json[$0.key].elementsEqual(name.utf8) }) else { continue }
            key(name)
            raw(json[member.value])
        }
    }
}
