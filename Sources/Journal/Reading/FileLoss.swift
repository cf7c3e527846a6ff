import Model

/// Entries of a file that could not be read.
struct FileLoss: Hashable, Sendable {
    /// `damaged`, or `deleted` where the file was deleted before it was read to its end.
    var cause: Gap.Cause
    /// As many entries.
    var count: UInt64
    /// Where in the file it was.
    var range: Range<UInt64>
    /// The last entry before it.
    var from: JournalCursor?
    /// The first entry behind it.
    var to: JournalCursor?
    /// The numbers that they had, and perhaps entries of other chains.
    var numbers: ClosedRange<UInt64>?

    /// How many entries of other chains may have been numbered between those of one, for the numbers to be believed.
    private static let maximumOthers: UInt64 = 1 << 24

    /// - Returns: `nil` for more numbers than so many entries can lie between.
    static func plausible(_ numbers: ClosedRange<UInt64>, count: UInt64) -> ClosedRange<UInt64>? {
        let more = numbers.upperBound - numbers.lowerBound
        return more <= maximumOthers || more - maximumOthers < count ? numbers : nil
    }
}
