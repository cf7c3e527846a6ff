/// A field of a journal entry that says who sent it, and that its event keeps.
///
/// `allCases` is the one place that describes them. Reading the journal, the store's tables and blocks, filters, the lines of
/// the API, its documentation and the terminal follow it: a new field is a row here, and one in docs/store.md, which
/// describes the store's format.
package struct SenderField: Sendable, Hashable, CaseIterable {
    package enum ValueType: Sendable {
        case text
        /// Decimal, of 32 bits, not negative.
        case number
    }

    /// Its place in `allCases`.
    package let place: Int
    /// The field of the journal.
    package let journalName: String
    /// In the API, in the store, and as an option of glossctl.
    package let name: String
    package let type: ValueType
    /// Whether an event may be without it; otherwise its text is empty where the entry does not have it.
    package let isOptional: Bool
    /// Whether clients write it themselves, as often and as long as they like; journald writes the others.
    package let isUntrusted: Bool
    /// What an event's field is, and one that might be, for the API's documentation.
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

    /// A value as it is kept: the text, or the number in its usual form.
    /// - Returns: `nil` when it is no such value.
    package func value(_ text: String) -> String? {
        switch type {
        case .text: text
        case .number: UInt32(text)?.description
        }
    }
}

/// A value for each `SenderField`.
package struct SenderValues: Sendable, Hashable {
    /// As many as there are fields, in the object that has them: origins are many.
    private var texts: InlineArray<6, String?>

    /// - Parameter value: what a field is; `nil` where there is nothing.
    package init(_ value: (SenderField) -> String?) {
        texts = InlineArray { place in
            let field = SenderField.allCases[place]
            return value(field).flatMap(field.value) ?? (field.isOptional ? nil : "")
        }
    }

    package subscript(field: SenderField) -> String? { texts[field.place] }

    /// How long they are together.
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
