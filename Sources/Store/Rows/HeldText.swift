/// Keeps the bytes of one text where they are, for who takes pointers.
package final class HeldText {
    private var bytes: UnsafeMutableRawBufferPointer?

    package init() {}

    deinit { bytes?.deallocate() }

    /// Returns a text as a value that is valid until the next call.
    package func value(_ text: String?) -> RowValue {
        bytes?.deallocate()
        bytes = nil
        guard let text else { return .null }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text.utf8.count), alignment: 1)
        copy.copyBytes(from: text.utf8)
        bytes = copy
        return .text(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<text.utf8.count]))
    }
}
