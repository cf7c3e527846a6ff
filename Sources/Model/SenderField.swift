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

    /// The index in `allCases`.
    package let place: Int
    /// The name of the journal's field.
    package let journalName: String
    /// The name in the API, in the store, and as an option of glossctl.
    package let name: String
    package let type: ValueType
    /// Whether an event may lack it. A field that is not optional is an empty text where the entry lacks it.
    package let isOptional: Bool
    /// Whether clients write it themselves, as often and as long as they like; journald writes the other fields.
    package let isUntrusted: Bool
    /// A description and an example for the API's documentation.
    package let description: String
    package let example: String

    private init(
        _ place: Int, _ journalName: String, _ name: String, _ description: String, _ example: String,
        type: ValueType = .text, isOptional: Bool = false, isUntrusted: Bool = false
    ) {
        (self.place, self.journalName, self.name, self.type) = (place, journalName, name, type)
        (self.isOptional, self.isUntrusted) = (isOptional, isUntrusted)
        (self.description, self.example) = (description, example)
    }

    package static let subsystem = Self(
        0, "SUBSYSTEM", "subsystem", "Its subsystem", "com.example.shop", isUntrusted: true)
    package static let category = Self(1, "CATEGORY", "category", "Its category", "ActivityLog", isUntrusted: true)
    package static let host = Self(2, "_HOSTNAME", "host", "The machine that it was sent on", "web1")
    package static let identifier = Self(
        3, "SYSLOG_IDENTIFIER", "identifier", "What the sender calls itself", "shop", isOptional: true,
        isUntrusted: true)
    package static let unit = Self(
        4, "_SYSTEMD_UNIT", "unit", "The sender's systemd unit", "shop.service", isOptional: true)
    package static let processUID = Self(
        5, "_UID", "process_uid", "The user that the sender ran as", "1000", type: .number, isOptional: true)

    package static let allCases = [subsystem, category, host, identifier, unit, processUID]

    package static func == (one: Self, other: Self) -> Bool { one.place == other.place }
    package func hash(into hasher: inout Hasher) { hasher.combine(place) }

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
            let field = SenderField.allCases[place]
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
