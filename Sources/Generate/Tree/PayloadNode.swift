/// The payload of an event, or the object in it that has the parameters or contains that object.
struct PayloadNode {
    let members: [PayloadMemberNode]
    /// The names of the members that must not be missing.
    let required: [String]
    /// What else must be there.
    let conditions: [PresenceNode]
    /// Whether it may have any other members.
    let allowsExtra: Bool
    let dialect: Dialect
}

/// What a payload may have, or an object in it.
struct PayloadMemberNode {
    indirect enum Content {
        case parameter(ParameterNode, isCommon: Bool)
        /// A part of the key, and its value.
        case key(String)
        /// Any value: an extra parameter, or an object that contains a part of the key.
        case anything
        case object(PayloadNode)
    }

    let name: String
    let content: Content
    let dialect: Dialect
}

/// A member that is at one of several places.
struct PresenceNode {
    let places: [PlaceNode]
}

/// The place of a member, and the value that it has there.
struct PlaceNode {
    /// The names from the outside in.
    let names: ArraySlice<String>
    /// `nil` if it may have any value.
    let value: String?
    let dialect: Dialect
}
