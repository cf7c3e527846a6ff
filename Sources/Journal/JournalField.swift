package import Model

/// One field of a journal entry. A name may occur more than once in an entry.
package struct JournalField: Sendable, Hashable {
    @Exact package var name: String
    /// Any bytes, NUL and line breaks included.
    package var value: [UInt8]
    /// Whether only the beginning of the value was read.
    package var isCut: Bool

    package init(name: String, value: [UInt8], isCut: Bool = false) {
        self.name = name
        self.value = value
        self.isCut = isCut
    }
}
