/// A field of a journal entry that describes its sender and is kept with its event.
///
/// `allCases` is the only list of these fields. The journal reader, the store's tables and blocks, filters, the lines
/// of the API, its documentation and the terminal are derived from it: a new field needs a row here and one in
/// docs/store.md, which describes the store's format.
package struct SenderField: Sendable, Hashable, CaseIterable {
    package enum ValueType: Sendable {
        case text
        /// A decimal number of 32 bits, not negative.
        case number
    }

    private struct Facts: Sendable {
        var journalName: String
        var name: String
        var type = ValueType.text
        var isOptional = false
        var isUntrusted = false
        var description: String
        var example: String
    }

    private static let facts = [
        Facts(
            journalName: "SUBSYSTEM", name: "subsystem", isUntrusted: true, description: "Its subsystem",
            example: "com.example.shop"),
        Facts(
            journalName: "CATEGORY", name: "category", isUntrusted: true, description: "Its category",
            example: "ActivityLog"),
        Facts(journalName: "_HOSTNAME", name: "host", description: "The machine that it was sent on", example: "web1"),
        Facts(
            journalName: "SYSLOG_IDENTIFIER", name: "identifier", isOptional: true, isUntrusted: true,
            description: "What the sender calls itself", example: "shop"),
        Facts(
            journalName: "_SYSTEMD_UNIT", name: "unit", isOptional: true, description: "The sender's systemd unit",
            example: "shop.service"),
        Facts(
            journalName: "_UID", name: "process_uid", type: .number, isOptional: true,
            description: "The user that the sender ran as", example: "1000"),
    ]

    package static let subsystem = Self(place: 0)
    package static let category = Self(place: 1)
    package static let host = Self(place: 2)
    package static let identifier = Self(place: 3)
    package static let unit = Self(place: 4)
    package static let processUID = Self(place: 5)

    package static let allCases = [subsystem, category, host, identifier, unit, processUID]

    /// The index in `allCases`. Events have many senders, so that a field must be nothing but a number.
    package let place: Int

    /// The name of the journal's field.
    package var journalName: String { Self.facts[place].journalName }
    /// The name in the API, in the store, and as an option of glossctl.
    package var name: String { Self.facts[place].name }
    package var type: ValueType { Self.facts[place].type }
    /// Whether an event may lack it. A field that is not optional is an empty text where the entry lacks it.
    package var isOptional: Bool { Self.facts[place].isOptional }
    /// Whether clients write it themselves, as often and as long as they like; journald writes the other fields.
    package var isUntrusted: Bool { Self.facts[place].isUntrusted }
    /// A description and an example for the API's documentation.
    package var description: String { Self.facts[place].description }
    package var example: String { Self.facts[place].example }

    fileprivate init(place: Int) { self.place = place }

    /// Returns a value in the form in which it is kept: the text, or the number in its usual form.
    /// - Returns: `nil` when the text is not a value of this field.
    package func value(_ text: String) -> String? {
        switch type {
        case .text: text
        case .number: UInt32(text)?.description
        }
    }
}

/// A value for each `SenderField`.
package struct SenderValues: Sendable, Hashable {
    /// One text for each field, stored inline because there are many origins.
    private var texts: InlineArray<6, String?>

    /// - Parameter value: returns the value of a field; `nil` if it has none.
    package init(_ value: (SenderField) -> String?) {
        texts = InlineArray { place in
            let field = SenderField(place: place)
            return value(field).flatMap(field.value) ?? (field.isOptional ? nil : "")
        }
    }

    package subscript(field: SenderField) -> String? { texts[field.place] }

    /// The length of all texts together.
    var textBytes: Int {
        var bytes = 0
        for place in texts.indices { bytes += texts[place]?.utf8.count ?? 0 }
        return bytes
    }

    package static func == (one: Self, other: Self) -> Bool {
        for place in one.texts.indices where one.texts[place] != other.texts[place] { return false }
        return true
    }

    package func hash(into hasher: inout Hasher) {
        for place in texts.indices { texts[place].hashExactly(into: &hasher) }
    }
}

extension SenderField: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let field = Self.allCases.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no field of senders: \(name)")
        }
        self = field
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
