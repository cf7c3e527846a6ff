package import Model

/// What a run is started with.
package struct ChecklistStart: Sendable {
    /// The name of the run; `nil` for that of the list.
    @Exact package var name: String?
    /// The list.
    @Exact package var text: String
    package var format: ChecklistFormat
    /// What the list's file is called, for messages.
    @Exact package var file: String
    /// What events meet besides what the list says.
    @Exact package var condition: String?
    /// Events that were sent from then on are counted, in microseconds since 1970; `nil` for the present.
    package var since: UInt64?

    /// Predicates by the names that `@name` stands for.
    package var predicates: [ExactString: ExactString]
    /// Whether the client may read the journal.
    package var mayReadJournal: Bool

    package init(
        name: String?, text: String, format: ChecklistFormat, file: String, condition: String?, since: UInt64?,
        predicates: [ExactString: ExactString] = [:], mayReadJournal: Bool
    ) {
        (self.format, self.since, self.predicates) = (format, since, predicates)
        self.mayReadJournal = mayReadJournal
        self.name = name
        self.text = text
        self.file = file
        self.condition = condition
    }
}
