import Glibc
import Model

/// Compares texts as SQLite compares those of a column of times: as the times that they are, in whichever form, and as texts if
/// one is none.
package final class TimeComparison {
    /// The texts in other forms that were compared last, with what is shown for them: a statement compares each row with the same.
    private var known: [(text: [UInt8], shown: [UInt8])] = []
    private static let mostKnown = 4
    /// The length of the longest form of a time: `2026-11-21T10:00:00.123456789+09:00`.
    private static let longest = 35

    package init() {}

    /// - Returns: less than, more than or equal to 0.
    package func compare(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int32 {
        switch (Self.isShown(one), Self.isShown(other)) {
        case (true, true): Self.order(one, other)
        case (true, false): shown(other).withUnsafeBytes { Self.order(one, $0) }
        case (false, true): shown(one).withUnsafeBytes { Self.order($0, other) }
        case (false, false):
            shown(one).withUnsafeBytes { one in shown(other).withUnsafeBytes { Self.order(one, $0) } }
        }
    }

    /// Returns the text that is shown for a time, or the text itself if it is none.
    private func shown(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        for (known, shown) in known where known.withUnsafeBytes({ Self.order($0, text) == 0 }) { return shown }
        let shown = SQLTime.earliest(text).map { Array(SQLTime.text($0).utf8) } ?? Array(text)
        if known.count == Self.mostKnown { known.removeFirst() }
        known.append((Array(text), shown))
        return shown
    }

    /// Whether a text is the one that is shown for a time, if it is one at all; longer texts are none.
    private static func isShown(_ text: UnsafeRawBufferPointer) -> Bool {
        text.count > longest
            || (text.count == UTCText.count && text[10] == UInt8(ascii: " ") && text[20].isDigit && text[25].isDigit)
    }

    private static func order(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int32 {
        let count = min(one.count, other.count)
        let result = count == 0 ? 0 : memcmp(one.baseAddress!, other.baseAddress!, count)
        return result != 0 ? result : one.count < other.count ? -1 : one.count > other.count ? 1 : 0
    }
}
