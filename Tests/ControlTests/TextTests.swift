import Model
import Testing

@testable import API
@testable import Control

@Suite struct TextTests {
    @Test func `lines are repeated if their bytes are the same`() {
        let lines = ["x/é", "x/e\u{301}", "a", "x/é", "x/e\u{301}"].uniqued()
        #expect(lines.map { Array($0.utf8) } == ["x/é", "x/e\u{301}", "a"].map { Array($0.utf8) })
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func `counts have their thousands apart`(number: Int, text: String) {
        #expect(Quantity.count(number) == text)
    }

    @Test(arguments: [
        (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (1 << 30, "1 GiB"), (151_000_000, "144 MiB"),
        (1_048_524, "1023.9 KiB"), (1_048_525, "1 MiB"), ((1 << 20) - 1, "1 MiB"), ((1 << 30) - 1, "1 GiB"),
    ])
    func `sizes have binary units`(bytes: Int, text: String) {
        #expect(Quantity.bytes(bytes) == text)
    }

    @Test(arguments: [
        (0.0, "0 s"), (0.25, "0.3 s"), (12, "12 s"), (61, "1 min 1 s"), (3600, "1 h"), (93_784, "1 d 2 h"),
        (-5, "-5 s"), (.infinity, "unknown"), (.nan, "unknown"),
    ])
    func `times have their two largest units`(seconds: Double, text: String) {
        #expect(Quantity.time(seconds: seconds) == text)
    }

    @Test func `a value breaks the definition of all that it is in`() {
        let violations = ["items[3].price", "items[4]", "it", "a.b"].map {
            ViolationLine(parameter: $0, rule: .type, expected: "real", found: "string")
        }
        #expect(
            violations.brokenPlaces == ["items[3].price", "items[3]", "items", "items[4]", "it", "a.b", "a"])
        #expect([ViolationLine]().brokenPlaces == [])
    }

    @Test func `a table aligns wide characters and numbers`() {
        var table = TextTable(["NAME", "N"], numeric: [1])
        table.append([.init("寿司"), .init("7")])
        table.append([.init("a"), .init("1,000")])
        #expect(table.rendered(Style()) == "NAME      N\n寿司      7\na     1,000\n")
    }

    @Test func `a table that is too wide is cut where it may be`() {
        var table = TextTable(["KEY", "N", "WHAT"], numeric: [1], names: [0], prose: 2)
        table.append([.init("recipe_detail/tap_save_button"), .init("7"), .init("保存ボタンを押したとき")])
        let row = { (width: Int?) in table.rendered(Style(width: width)).split(separator: "\n").last }
        #expect(row(nil) == "recipe_detail/tap_save_button  7  保存ボタンを押したとき")
        #expect(row(54) == "recipe_detail/tap_save_button  7  保存ボタンを押した…")
    }

    @Test func `the last cell of a line has the room that the terminal has`() {
        var table = TextTable(["id", "payload"])
        table.append([.init("1"), .init(String(repeating: "x", count: 300))])
        let rows = { (width: Int) in table.rendered(Style(width: width)).split(separator: "\n").map(String.init) }
        for width in [250, 120, 80] { #expect(rows(width).last?.count == width) }
        #expect(rows(80).allSatisfy { $0.count <= 80 })
        #expect(table.rendered(Style()).split(separator: "\n")[1] == "1   " + String(repeating: "x", count: 300))
    }

    @Test func `prose that would be cut to nothing stands below its row`() {
        var table = TextTable(["KEY", "N", "WHAT"], numeric: [1], names: [0], prose: 2)
        table.append([.init("recipe_detail/tap_save_button"), .init("7"), .init("保存ボタンを押したとき")])
        table.append([.init("search/start"), .init("12"), .init("")])
        let text = { (width: Int) in table.rendered(Style(width: width)) }
        #expect(
            text(50) == """
                KEY                             N
                    WHAT
                recipe_detail/tap_save_button   7
                    保存ボタンを押したとき
                search/start                   12

                """)
        // The number stands where that of the others does.
        #expect(
            text(25).split(separator: "\n").dropFirst(2) == [
                "recipe_detail/tap_save_button", "                        7", "    保存ボタンを押したと…",
                "search/start           12",
            ])
        // Where there is no room beside the names, it stands below them.
        #expect(text(10).split(separator: "\n").dropFirst(3).prefix(2) == ["recipe_detail/tap_save_button", "     7"])
    }

    @Test(arguments: [60, 80, 100]) func `names in a table stay whole, and nothing else is longer than a line`(
        width: Int
    ) {
        let long = (String(repeating: "c", count: 64), String(repeating: "名", count: 64))
        var table = TextTable(
            ["DICTIONARY", "EVENT", "COUNT", "FIRST SEEN", "LAST SEEN", "SAMPLE"], numeric: [2, 5], names: [0, 1])
        for key in ["\(long.0)/\(long.1)", "a/b"] {
            table.append(["shop", key, "1,234", "11-20 15:00Z", "11-20 15:01Z", "4711"].map { .init($0) })
        }
        let text = table.rendered(Style(width: width))
        #expect(text.contains("\(long.0)/\(long.1)"))
        #expect(!text.contains("…"))
        for words in ["1,234", "11-20 15:00Z", "11-20 15:01Z", "4711"] { #expect(text.ranges(of: words).count == 2) }
        for line in text.split(separator: "\n") where !line.contains(long.1) {
            #expect(DisplayWidth.columns(line) <= width, "\(line)")
        }
        // Cells stand under their headings, also those that a long name has pushed to the next line.
        func columns(before words: String) -> Set<Int> {
            Set(
                text.split(separator: "\n").compactMap { line in
                    line.firstRange(of: words).map { DisplayWidth.columns(line[..<$0.lowerBound]) }
                })
        }
        #expect(columns(before: "11-20 15:01Z") == columns(before: "LAST SEEN"))
    }

    @Test func `a name that is longer than its column is whole, and its prose beside it on the next line`() {
        var table = TextTable(["KEY", "WHAT"], names: [0], prose: 1)
        let name = String(repeating: "a", count: 30) + String(repeating: "b", count: 30)
        table.append([.init(name), .init("When it came.")])
        let lines = table.rendered(Style(width: 60)).split(separator: "\n")
        #expect(lines.dropFirst() == [Substring(name), Substring(String(repeating: " ", count: 47) + "When it came.")])
        #expect(table.rendered(Style(width: 50)).split(separator: "\n").last == "    When it came.")
    }

    @Test func `long names and long prose share what there is`() {
        var table = TextTable(["KEY", "WHAT"], names: [0], prose: 1)
        table.append([.init(String(repeating: "k", count: 60)), .init(String(repeating: "w", count: 60))])
        let prose = { (width: Int) in
            table.rendered(Style(width: width)).split { $0 == " " || $0 == "\n" }.last?.count
        }
        #expect(prose(112) == 50)
        #expect(prose(92) == 40)
        #expect(prose(72) == 30)
    }

    @Test func `a name in the last column stands below rather than cut`() {
        var table = TextTable(["KEY", "CLOSEST"], names: [0, 1], prose: 1)
        table.append([.init("recipe_detail/tap_save_buton"), .init("recipe_detail/tap_save_button")])
        #expect(table.rendered(Style(width: 60)).split(separator: "\n").count == 2)
        #expect(
            table.rendered(Style(width: 50)).split(separator: "\n").suffix(2)
                == ["recipe_detail/tap_save_buton", "    recipe_detail/tap_save_button"])
    }

    @Test func `an overlong cell does not widen the other rows`() {
        var table = TextTable(["KEY", "N"], numeric: [1])
        table.append([.init(String(repeating: "x", count: 1000)), .init("7")])
        table.append([.init("a"), .init("7")])
        #expect(table.rendered(Style()).split(separator: "\n").map(\.count) == [103, 1003, 103])
    }

    @Test(arguments: [
        (nil, "2026-11-20 15:00Z", "2025-11-20 15:00Z"), (80, "11-20 15:00Z", "2025-11-20"),
    ])
    func `a short time leaves out what a terminal has no room for`(width: Int?, this: String, last: String) {
        let style = Style(width: width, now: Run.now)
        #expect(style.short(WireTime(microseconds: Run.now)) == this)
        #expect(style.short(WireTime(microseconds: Run.now - 365 * 86_400_000_000)) == last)
    }

    @Test func `a line is cut by columns and its colours are closed`() {
        var line = StyledLine("寿司", .bad)
        line.append(" is good")
        #expect(line.rendered(Style(width: 6)) == "寿司 …")
        #expect(line.rendered(Style(width: 4, isColoured: true)) == "\u{1B}[31m寿\u{1B}[0m…")
        #expect(line.rendered(Style(width: 6, isCut: false)) == "寿司 is good")
        #expect(line.rendered(Style()) == "寿司 is good")
    }

    @Test(arguments: [("a  ", "a"), ("   ", ""), ("か ", "か"), (" a", " a"), ("a \u{301}", "a \u{301}")])
    func `a line has no spaces at its end`(text: String, rendered: String) {
        var line = StyledLine(text)
        line.append("  ")
        #expect(line.rendered(Style()) == rendered && StyledLine(text).rendered(Style(width: 80)) == rendered)
    }

    @Test(arguments: [
        ("a b", ["a b"]), (" a  b ", ["a b"]), ("   ", [""]), ("a\nb  c\n", ["a", "b c"]), ("", []),
        ("a\u{1B} b", [#"a\u001b b"#]),
    ])
    func `without a terminal, a paragraph is one line`(text: String, lines: [String]) {
        #expect(TextBlock.lines(text, room: .max) == lines)
    }

    @Test func `running text is broken between words`() {
        let text = TextBlock.wrapped("one two three four five six", indent: 2, Style(width: 22))
        #expect(text == "  one two three four\n  five six\n")
        #expect(
            TextBlock.lines("Id of 保存したレシピの番号。 An_identifier_of_thirty_columns", room: 10)
                == ["Id of", "保存したレ", "シピの番号", "。", "An_identifier_of_thirty_columns"])
    }

    @Test(arguments: [
        (
            #"{"a":[1,2],"b":{},"c":"x, {y}: \"z\""}"#,
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": \"x, {y}: \\\"z\\\"\"\n}"
        ),
        (#"[ ]"#, "[]"), ("{ \"n\" : 1.0e5 }", "{\n  \"n\": 1.0e5\n}"),
    ])
    func `JSON is laid out without touching values`(json: String, expected: String) {
        #expect(PrettyJSON.text(Array(json.utf8)) == expected)
    }

    @Test func `bytes that are no JSON do not hurt`() {
        #expect(PrettyJSON.text(Array("}}]]\"\\".utf8)).contains("}"))
        #expect(PrettyJSON.text(Array(repeating: UInt8(ascii: "["), count: 10_000)).utf8.count < 1_000_000)
    }
}
