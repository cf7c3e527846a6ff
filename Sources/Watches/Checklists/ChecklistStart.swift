package import Model

/// What a run is started with. It does not change until the run is counted from the beginning again.
package struct ChecklistStart: Sendable, Hashable, Codable {
    /// The name of the run.
    @Exact var name = ""
    /// The list.
    @Exact var text: String
    var format: String
    /// What the list's file is called, for messages.
    @Exact var file: String
    /// What events meet besides what the list says.
    @Exact var condition: String?
    /// Predicates by the names that `@name` stands for, as they were then.
    var predicates: [ExactString: ExactString]
    /// Whether who started it might read the journal; `nil` if this is not known, which counts as no.
    var mayReadJournal: Bool?
    var startedAt: UInt64 = 0
    /// Events that were sent from then on are counted; microseconds since 1970.
    var since: UInt64 = 0

    package init(
        text: String, format: ChecklistFormat, file: String, condition: String?,
        predicates: [ExactString: ExactString] = [:], mayReadJournal: Bool
    ) {
        (self.format, self.predicates, self.mayReadJournal) = (format.rawValue, predicates, mayReadJournal)
        self.text = text
        self.file = file
        self.condition = condition
    }
}
