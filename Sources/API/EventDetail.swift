import Model

/// A field of a journal entry. A field may occur more than once.
package struct JournalField: Sendable, Hashable {
    package var name: String
    /// Any bytes.
    package var value: [UInt8]
    /// Whether the value is only the beginning of what the journal has.
    package var isCut: Bool

    package init(name: String, value: [UInt8], isCut: Bool = false) {
        self.name = name
        self.value = value
        self.isCut = isCut
    }
}

/// `GET /v1/events/{id}`: one event and what is known around it.
package struct EventDetail: Sendable, Hashable {
    /// What came of reading the entry back by its cursor.
    package enum Journal: Sendable, Hashable {
        /// Every field, in the order of the journal.
        case fields([JournalField])
        /// The entry is no longer in the journal.
        case gone
        /// The client may not see the fields, and who may.
        case withheld(String)
        /// The journal could not be asked, and why.
        case unreadable(String)
    }

    package var event: EventLine
    /// Which of the settings' `sources` took the entry.
    package var source: String
    /// The event's definition as it is now; `nil` where there is none.
    package var definition: DefinitionReply?
    /// The dictionary's version in force, where it is another than the one that the event was resolved with.
    package var currentVersion: String?
    package var links: [LinkReply]
    package var journal: Journal

    package init(
        event: EventLine, source: String, definition: DefinitionReply?, currentVersion: String? = nil,
        links: [LinkReply] = [], journal: Journal
    ) {
        self.event = event
        self.source = source
        self.definition = definition
        self.currentVersion = currentVersion
        self.links = links
        self.journal = journal
    }
}
