/// `GET /v1/keys`: what predicates and groups can ask for.
package struct KeyCatalog: Sendable, Hashable, Codable, DescribedObject {
    package var keys: [KeyReply]
    package var parameters: [String]
    package var users: [String]
    package var predicates: [PredicateReply]

    package init(keys: [KeyReply], parameters: [String], users: [String], predicates: [PredicateReply]) {
        (self.keys, self.parameters, self.users, self.predicates) = (keys, parameters, users, predicates)
    }

    package static let object = ObjectDescription(
        "KeyCatalog", "What predicates can ask for",
        [
            member("keys", \.keys, "What every event may have"),
            MemberDescription(
                name: "parameters", type: .list(.text), text: "The parameters that definitions have",
                example: ["recipe_id", "position"]),
            MemberDescription(
                name: "users", type: .list(.text), text: "Where payloads have the parameters with the role user",
                example: ["user_id"]),
            member("predicates", \.predicates, "The predicates that have names in the settings"),
        ])
}

package struct KeyReply: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var description: String

    package init(name: String, description: String) { (self.name, self.description) = (name, description) }

    package static let object = ObjectDescription(
        "Key", "What every event may have",
        [
            member("name", \.name, "Its name", "level"),
            member("description", \.description, "What it means", "How severe it is"),
        ])
}

package struct PredicateReply: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var predicate: String?

    package init(name: String, predicate: String?) { (self.name, self.predicate) = (name, predicate) }

    package static let object = ObjectDescription(
        "NamedPredicate", "A predicate that has a name",
        [
            member("name", \.name, "Its name: @slow stands for the predicate", "slow"),
            member(
                "predicate", \.predicate,
                "The predicate; absent if it has values that are stored as hashes for a client that may not see them",
                "payload.took_ms > 1000"),
        ])
}
