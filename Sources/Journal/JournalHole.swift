package import Model

/// Numbers that no file of a boot has.
package struct JournalHole: Sendable, Hashable {
    package var boot: BootOfMachine
    /// The counter of the numbers.
    package var seqnumID: ID128
    package var numbers: ClosedRange<UInt64>
}
