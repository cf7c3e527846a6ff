import Testing

@testable import Store

struct GroupTextsTests {
    private func run(_ texts: [String?]) -> [UInt8] {
        var run: [UInt8] = []
        for text in texts {
            if let text {
                Array(text.utf8).withUnsafeBytes { GroupTexts.append($0, to: &run) }
            } else {
                GroupTexts.appendNone(to: &run)
            }
        }
        return run
    }

    private func texts(_ run: [UInt8], count: Int) -> [String?] {
        (0..<count).map { GroupTexts.text($0, of: run[...]).map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test func `texts are those that were written, and other texts are another run`() {
        let all: [[String?]] = [
            ["ab", "c"], ["a", "bc"], ["", "abc"], [nil, "abc"], ["abc", nil], ["abc", ""], [nil, nil], ["", ""],
            ["日本", "語"], [String(repeating: "x", count: 512), "y"],
        ]
        for wanted in all { #expect(texts(run(wanted), count: 2) == wanted) }
        #expect(Set(all.map(run)).count == all.count)
    }

    @Test func `long texts are cut between characters, and stay different`() throws {
        let long = String(repeating: "語", count: 30_000)
        let (one, other) = (texts(run([long + "a", "z"]), count: 2), texts(run([long + "b", "z"]), count: 2))
        #expect(one != other && one[1] == "z")
        let first = try #require(one[0])
        #expect(first.hasPrefix(String(repeating: "語", count: 170) + " … (90001 bytes, "))
        #expect(!first.contains("\u{FFFD}"))
    }

    @Test func `the first texts that differ give the order`() {
        let ordered: [[String?]] = [
            [nil, "b"], ["", "a"], ["a", "c"], ["a", "d"], ["aa", nil], ["b", nil], ["b", "a"],
        ]
        for (place, one) in ordered.enumerated() {
            for (later, other) in ordered.enumerated() {
                #expect(GroupTexts.isBefore(run(one)[...], run(other)[...]) == (place < later))
            }
        }
    }
}
