/// An event's identity, the same in every rebuild of the store and on every machine: upstream deduplicates by it.
///
/// It is made of the entry's boot id, monotonic time and xor hash, which survive a renumbering of the journal, and only
/// by XOR, so that the store need not keep it: SQL computes it from the columns that the cursor needs anyway.
package struct EventUID: Hashable, Sendable, LosslessStringConvertible {
    package var value: ID128

    package init(bootID: ID128, monotonicMicroseconds: UInt64, xorHash: UInt64) {
        value = ID128(high: Self.fold(bootID) ^ monotonicMicroseconds, low: xorHash)
    }

    package init(_ cursor: JournalCursor) {
        self.init(
            bootID: cursor.bootID, monotonicMicroseconds: cursor.monotonicMicroseconds, xorHash: cursor.xorHash)
    }

    package init?(_ text: String) {
        guard let value = ID128(text) else { return nil }
        self.value = value
    }

    package var description: String { value.description }

    /// The 64 bits of a (random) boot id that go into the uid.
    package static func fold(_ bootID: ID128) -> UInt64 { bootID.high ^ bootID.low }
}
