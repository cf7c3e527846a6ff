/// Keeps the bytes of one text where they are, for who takes pointers.
package final class HeldText {
    private var bytes: UnsafeMutableRawBufferPointer?

    package init() {}

    deinit { bytes?.deallocate() }

    /// Returns a text as a value that is valid until the next call.
    package func value(_ text: String?) -> RowValue {
        guard var text else { return .null }
        return text.withUTF8 { value(UnsafeRawBufferPointer($0)) }
    }

    package func value(_ text: UnsafeRawBufferPointer) -> RowValue {
        bytes?.deallocate()
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text.count), alignment: 1)
        copy.copyMemory(from: text)
        bytes = copy
        return .text(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<text.count]))
    }
}
