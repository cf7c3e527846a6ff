/// What must leave no copy of itself behind when it is removed. SQLite keeps the beginning of a row in a page that it shares
/// with others, and leaves copies there when it moves rows from page to page; the rest is on pages of its own, which are
/// overwritten when they are free (`secure_delete`). So the beginning is zeros.
/// - Source: https://www.sqlite.org/fileformat2.html#b_tree_pages ("Cell payload overflow")
enum OffPage {
    /// How much of a row is in a page with others, at most: of pages of 4096 bytes, all but 35.
    static let zeros = Int(SizeLimit.pageBytes) - 35

    static func bytes(_ content: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: zeros) + content }

    /// - Returns: none when there is no content.
    static func content(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.dropFirst(zeros))
    }
}
