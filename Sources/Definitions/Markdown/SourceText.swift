import Model

/// Checks whether a file is text at all.
enum SourceText {
    /// The largest file, far larger than definitions that people write.
    static let maximumBytes = 4 << 20
    /// What is wrong with a larger one.
    static let tooLarge = "is larger than \(maximumBytes >> 20) MiB: split the category"

    /// - Returns: `false` when it is not text; then there is an error in `problems`.
    static func check(_ bytes: [UInt8], _ problems: inout ProblemList) -> Bool {
        if bytes.count > maximumBytes {
            problems.add(.tooLarge, 0, tooLarge)
            return false
        }
        if let zero = bytes.firstIndex(of: 0) {
            let message = "a zero byte, as in UTF-16 or binary files: save the file as UTF-8"
            problems.add(.notUTF8, line(of: zero, in: bytes), message)
            return false
        }
        do {
            _ = try UTF8Span(validating: bytes.span)
            return true
        } catch {
            let message = "this line is not UTF-8: save the file as UTF-8"
            problems.add(.notUTF8, line(of: error.byteOffsets.lowerBound, in: bytes), message)
            return false
        }
    }

    private static func line(of offset: Int, in bytes: [UInt8]) -> Int {
        SourceLine.lines(of: Array(bytes[..<offset]) + [UInt8(ascii: " ")]).last?.number ?? 1
    }
}
