package import Model

/// What saving a batch did.
package struct SavedBatch: Sendable {
    /// What became of its entries.
    package var counts: EntryCounts
    /// How many gap records were removed because what was missing has come.
    package var closedGaps: Int
    /// What is not saved yet, as there was no room for all of it at once: to be saved next.
    package var rest: ResolvedBatch?

    package init(counts: EntryCounts = .init(), closedGaps: Int = 0, rest: ResolvedBatch? = nil) {
        self.counts = counts
        self.closedGaps = closedGaps
        self.rest = rest
    }
}
