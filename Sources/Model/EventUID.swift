/// An event's identity, the same in every rebuild of the store and on every machine: upstream deduplicates by it.
///
/// It is made of the entry's boot id, monotonic time and xor hash, which stay when the entry gets another number in another
/// file, and of how many entries with the same three came before it.
package struct EventUID: Hashable, Sendable, LosslessStringConvertible {
    package var value: ID128

    /// - Parameter ordinal: how many entries with the same three came before.
    package init(bootID: ID128, monotonicMicroseconds: UInt64, xorHash: UInt64, ordinal: UInt32) {
        value = ID128(high: Self.fold(bootID) ^ monotonicMicroseconds, low: xorHash ^ Self.mixed(ordinal))
    }

    package init(_ cursor: JournalCursor, ordinal: UInt32 = 0) {
        self.init(
            bootID: cursor.bootID, monotonicMicroseconds: cursor.monotonicMicroseconds, xorHash: cursor.xorHash,
            ordinal: ordinal)
    }

    package init?(_ text: String) {
        guard let value = ID128(text) else { return nil }
        self.value = value
    }

    package var description: String { value.description }

    /// 64 bits that look random, other ones for each ordinal; 0 for 0. Two entries of one time whose hashes differ in a few
    /// bits must not get the same uid by their ordinals.
    /// - Source: the finalizer of SplitMix64
    package static func mixed(_ ordinal: UInt32) -> UInt64 {
        var bits = UInt64(ordinal) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// The 64 bits of a (random) boot id that go into the uid.
    package static func fold(_ bootID: ID128) -> UInt64 { bootID.high ^ bootID.low }
}
