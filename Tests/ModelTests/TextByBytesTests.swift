import Model
import TestSupport
import Testing

private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

/// Two texts are the same when their bytes are, whatever Unicode calls equivalent.
struct TextByBytesTests {
    @Test func `operators compare bytes, of optionals, lists and parts of texts too`() {
        #expect((composed == decomposed) == false && composed != decomposed)
        #expect((composed < decomposed) == false && decomposed < composed && composed >= decomposed)
        let (one, other): (String?, String?) = (composed, decomposed)
        #expect((one == other) == false && one != other && one == composed)
        #expect(([composed] == [decomposed]) == false && [composed] != [decomposed])
        #expect((composed[...] == decomposed) == false && composed == composed[...])
        #expect([composed].contains(decomposed) == false && [composed, decomposed].firstIndex(of: decomposed) == 1)
        #expect([composed, decomposed].sorted().first.map { Array($0.utf8) } == Array(decomposed.utf8))
    }

    @Test func `a switch compares bytes`() {
        func form(_ text: String) -> Int {
            switch text {
            case composed: 1
            case decomposed: 2
            default: 3
            }
        }
        #expect([form(composed), form(decomposed), form("cafe")] == [1, 2, 3])
    }

    @Test func `prefixes and suffixes are bytes`() {
        #expect(!composed.hasPrefix(decomposed) && decomposed.hasPrefix("cafe") && !composed.hasPrefix("cafe"))
        #expect(
            composed[...].hasPrefix("caf") && decomposed[...].hasPrefix("cafe") && !composed[...].hasPrefix(decomposed))
        #expect("/\u{301}".hasPrefix("/") && "/\u{301}"[...].hasPrefix("/") && "e\u{301}"[...].hasSuffix("\u{301}"))
        #expect(!composed.hasSuffix("e\u{301}") && decomposed.hasSuffix("\u{301}"))
    }

    @Test func `a sign is found whatever mark follows it`() {
        let text = "a=\u{301}b\"\u{301},\u{301}c"
        #expect(text.split(separator: ",").map(String.init) == ["a=\u{301}b\"\u{301}", "\u{301}c"])
        #expect(
            text.parts(at: "=").map { [String($0.before), String($0.after)] } == ["a", "\u{301}b\"\u{301},\u{301}c"])
        #expect(text.contains("\"") && !composed.contains("cafe"))
        #expect(text.replacing("\"", with: "\"\"") == "a=\u{301}b\"\"\u{301},\u{301}c")
        #expect(text.rest(after: "a=") == "\u{301}b\"\u{301},\u{301}c" && text.rest(after: "b") == nil)
        #expect(text.firstIndex(of: ",") != nil && text.lastIndex(of: ",") == text.firstIndex(of: ","))
    }

    @Test func `splitting keeps or leaves out what is empty`() {
        #expect(",a,,b,".split(separator: ",") == ["a", "b"])
        #expect(
            ",a,,b,".split(separator: ",", omittingEmptySubsequences: false).map(String.init) == ["", "a", "", "b", ""])
        #expect("a,b,c".split(separator: ",", maxSplits: 1).map(String.init) == ["a", "b,c"])
        #expect(
            "".split(separator: ",").isEmpty && "".split(separator: ",", omittingEmptySubsequences: false).count == 1)
        #expect("abab".replacing("b", with: "c", maxReplacements: 1) == "acab" && "".replacing("b", with: "c") == "")
        #expect("aaaa".replacing("aa", with: "b") == "bb" && "ab"["b".endIndex...].replacing("b", with: "か") == "か")
        #expect("aba".replacing("a", with: "b", maxReplacements: 0) == "aba")
        let range = "かきかき"["か".endIndex...].firstRange(of: "か")
        #expect(range.map { "かきかき"[..<$0.lowerBound] } == "かき" && "か".firstRange(of: "かき") == nil)
    }

    @Test func `bytes are found at their first place, from a place on`() {
        var random = SeededGenerator(seed: 4711)
        for _ in 0..<2000 {
            let text = Array(random.text(of: "ab", length: 0...20).utf8)
            let wanted = Array(random.text(of: "ab", length: 0...4).utf8)
            let start = Int.random(in: 0...text.count, using: &random)
            let place = text[start...].indices.first { !wanted.isEmpty && text[$0...].starts(with: wanted) }
            #expect(text[start...].firstPlace(of: wanted) == place, "\(wanted) in \(text)")
            let found = text.withUnsafeBytes { $0.firstPlace(of: wanted, from: start) }
            #expect(found == place, "\(wanted) in \(text)")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `an empty text separates nothing, and is replaced nowhere`() {
        #expect("ab".split(separator: "") == ["ab"] && "".split(separator: "").isEmpty)
        #expect("".split(separator: "", omittingEmptySubsequences: false).map(String.init) == [""])
        #expect("ab".replacing("", with: "c") == "ab" && "ab".replacing("", with: "c", maxReplacements: 2) == "ab")
    }

    @Test func `sets, dictionaries and wrapped properties compare bytes`() {
        struct Pair: Hashable {
            @Exact var name: String
            @Exact var rest: [String]?
        }
        #expect(Set<ExactString>([ExactString(composed), ExactString(decomposed)]).count == 2)
        var numbers: [ExactString: Int] = [ExactString(composed): 1]
        numbers[decomposed, default: 0] += 2
        #expect(numbers[composed] == 1 && numbers[decomposed] == 2)
        #expect(Set([Pair(name: composed, rest: nil), Pair(name: decomposed, rest: nil)]).count == 2)
        #expect(Set([Pair(name: "a", rest: [composed]), Pair(name: "a", rest: [decomposed])]).count == 2)
        #expect(Set([Pair(name: "a", rest: ["b", "c"]), Pair(name: "a", rest: ["bc"])]).count == 2)
    }

    @Test func `what distinguishes events and definitions compares bytes`() {
        func key(_ text: String) -> EventKey { EventKey(category: "a", name: text) }
        func origin(_ text: String) -> Origin {
            Origin([.subsystem: text], bootID: ID128(high: 1, low: 1), seqnumID: ID128(high: 1, low: 1), source: "")
        }
        func kind(_ text: String) -> EventKind { EventKind(dictionary: text, definitionsVersion: nil, key: nil) }
        #expect(Set([key(composed), key(decomposed)]).count == 2)
        #expect(Set([origin(composed), origin(decomposed)]).count == 2)
        #expect(Set([kind(composed), kind(decomposed)]).count == 2)
        #expect(key(decomposed) < key(composed) && !(key(composed) < key(decomposed)))
        let definitions = [composed, decomposed].enumerated().map {
            Definition(key: key($1), description: "\($0)", isObsolete: false, parameters: [], line: $0)
        }
        let dictionary = EventDictionary(
            options: DictionaryOptions(name: "shop", path: ""), version: "", common: [],
            categories: [
                DefinitionCategory(name: "a", title: nil, description: "", parameters: [], definitions: definitions)
            ])
        #expect(dictionary.definition(key(composed))?.line == 0 && dictionary.definition(key(decomposed))?.line == 1)
        #expect(dictionary.category("a") != nil)
    }

    @Test func `a name is protected in each form by itself`() {
        func dictionary(_ parameters: [Parameter]) -> EventDictionary {
            EventDictionary(
                options: DictionaryOptions(name: "shop", path: ""), version: "", common: parameters, categories: [])
        }
        let before = dictionary([
            Parameter(name: composed, type: .string(), privacy: .private),
            Parameter(name: decomposed, type: .string(), privacy: .hash),
        ])
        #expect(before.protectedNames == [ExactString(composed): .private, ExactString(decomposed): .hash])
        var now = dictionary([Parameter(name: composed, type: .string())])
        now.inherit(from: before)
        #expect(now.protectedNames == [ExactString(decomposed): .hash])
    }
}
