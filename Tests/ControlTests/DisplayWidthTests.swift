import Model
import Testing

@testable import Control

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("shop", 4), ("é", 1), ("e\u{301}", 1), ("レシピ", 6), ("ﾚｼﾋﾟ", 4), ("日本語 abc", 10), ("한글", 4),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("🍣", 2), ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇯🇵", 2), ("❤️", 2), ("❤", 1), ("✓", 1), ("✗", 1),
        ("…", 1), ("（全角）", 8), ("が", 2), ("か\u{3099}", 2), ("ñandú", 5), ("a\u{200B}b", 2), ("\u{303F}", 1), ("𠮷", 2),
    ])
    func `a text takes the columns that terminals give it`(text: String, columns: Int) {
        #expect(DisplayWidth.columns(text) == columns)
    }

    @Test(arguments: [
        ("レシピ", 6, "レシピ"), ("レシピ", 5, "レシ…"), ("レシピ", 4, "レ…"), ("レシピ", 1, "…"), ("レシピ", 0, ""),
        ("abcdef", 4, "abc…"), ("👨‍👩‍👧‍👦🍣🍣", 4, "👨‍👩‍👧‍👦…"),
    ])
    func `cutting leaves whole characters and fits`(text: String, width: Int, expected: String) {
        #expect(DisplayWidth.cut(text, to: width) == expected)
        #expect(DisplayWidth.columns(DisplayWidth.cut(text, to: width)) <= width)
    }

    @Test func `what is measured by bytes is as wide as its characters`() {
        let scalars = (0x20..<0x10000 as Range<UInt32>).compactMap { Unicode.Scalar($0) }
        let different = scalars.filter { scalar in
            // Alone, and where it may join the one before or after.
            ["\(scalar)", "あ\(scalar)", "\(scalar)か"].contains { text in
                DisplayWidth.columns(text) != text.reduce(0) { $0 + DisplayWidth.columns($1) }
            }
        }
        #expect(different.isEmpty)
        #expect(DisplayWidth.columns("x夕食のおかず 26"["x".endIndex...]) == 15)
    }
}
