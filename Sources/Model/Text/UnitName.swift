/// The name of a unit, of at most seven bytes of UTF-8.
struct UnitName: Hashable {
    /// The bytes behind a 1, so that a name that begins with NUL is another one.
    private var bytes: UInt64 = 1

    init?(_ text: some Collection<UInt8>) {
        guard text.count < 8 else { return nil }
        for byte in text { bytes = bytes << 8 | UInt64(byte) }
    }

    /// Letters of ASCII become small ones.
    init?(lowercasing text: some Collection<UInt8>) { self.init(text.lazy.map(\.lowercased)) }

    /// - Parameter units: names with spaces between them, of which one may be empty, and what they stand for.
    static func table(_ units: [(names: String, value: Double)]) -> [UnitName: Double] {
        var table: [UnitName: Double] = [:]
        for (names, value) in units {
            for name in names.split(separator: " ", omittingEmptySubsequences: false) {
                table[UnitName(Array(name.utf8))!] = value
            }
        }
        return table
    }
}
