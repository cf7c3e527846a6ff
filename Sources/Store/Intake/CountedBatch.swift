package import Model

/// A batch, and what its events add to the counters and to the database: known before the batch is to be saved, and so found by
/// whoever reads it, while the one before is being saved.
package struct CountedBatch: Sendable {
    package let batch: ResolvedBatch
    let tally: CountTally
    /// Of what does not depend on what is stored.
    let cost: BatchCost

    package init(_ batch: ResolvedBatch) {
        self.batch = batch
        tally = CountTally(batch.events)
        cost = BatchCost(batch, tally)
    }
}
