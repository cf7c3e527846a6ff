/// Reads fields of journal entries again, for conditions on them.
package protocol JournalFieldSource: Sendable {
    /// Calls `body` with each value that entries have for a field, and the number of the entry in `places`. Entries that are
    /// no longer there, and fields that are damaged, have none. Blocks.
    /// - Parameter isWanted: asked before each entry; `false` ends the call.
    /// - Throws: what `body` throws; an error if an entry is not found, and files or folders cannot be read.
    func forEachValue(
        of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws
}
