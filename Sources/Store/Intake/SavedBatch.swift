package import Model

/// What saving a batch did.
package struct SavedBatch: Sendable, Hashable {
    /// What became of its entries.
    package var counts: EntryCounts
    /// How many gap records were removed because what was missing has come.
    package var closedGaps: Int

    package init(counts: EntryCounts = .init(), closedGaps: Int = 0) {
        self.counts = counts
        self.closedGaps = closedGaps
    }
}
