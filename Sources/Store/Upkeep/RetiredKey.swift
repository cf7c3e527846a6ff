internal import Model

/// What is kept of series that are gone: the columns by which both `retired` and `retired_findings` tell them apart.
struct RetiredKey {
    static let columns = ["dictionary", "event_category", "event_name", "resolution", "subsystem", "category"]
    static let other = "(other)"

    /// In the order of `columns`.
    private(set) var texts: [String]

    /// From the first columns of a row.
    init(_ row: borrowing BareStatement) { texts = Self.columns.indices.map { row.text(Int32($0)) } }

    /// Whether a dictionary has the event, so that there is no end of senders but not of names.
    var isDefined: Bool {
        texts[3] == Resolution.resolved.rawValue || texts[3] == Resolution.violating.rawValue
    }

    /// Where it is counted when there are too many: one row for each definition, one for all undefined events.
    var bounded: RetiredKey {
        var key = self
        let others = [Self.other, Self.other]
        key.texts.replaceSubrange(4...5, with: others)
        if texts[3] == Resolution.undefined.rawValue { key.texts.replaceSubrange(1...2, with: others) }
        return key
    }
}
