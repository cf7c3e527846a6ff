import Definitions
import Foundation
import Model
import TestSupport
import Testing

/// What files in error seem to protect.
struct PrivacyScanTests {
    private func names(_ text: String) -> [ExactString: Privacy] { PrivacyScan.protectedNames(in: Array(text.utf8)) }

    @Test(arguments: [
        "- email: !string\n    - privacy: private\n", "- email: !strng\n    - privacy: private\n",
        "* email : !string 64\n\t* Privacy: PRIVATE\n", "- email: Mail 64\n  - privacy: private.\n",
        "> - email: !string\n>     - privacy: private\n", "1. email: !string\n    - `privacy: private`\n",
        "- email: !string\n    - The address\n      Example: a@b.example\n    - privacy: private\n",
        "- email: !string\n\n    privacy : private\n", "- email: !string\n- privacy: private\n",
        "- email: !string privacy: private\n", "- email: !string\n    - privcy: private\n",
        "- email：!string\n    - privacy：private\n", "- email: !string\n    - privacy: secret\n",
        "- **email**: !string\n    - privacy = private\n", "- email: !string\r    - privacy: private\r",
        "- [obsolete] email: !string\n    - privacy: private\n", "- e\\mail: !string\n    - privacy:\n",
    ])
    func `what is called private is found however it is written`(_ text: String) {
        #expect(names(text)["email"] == .private)
        #expect(names("# a\n\nA.\n\n## e\nText.\n" + text + "- item: !bigint\n")["email"] == .private)
    }

    @Test func `a name that no parameter may have is found as payloads have it`() {
        let text = "- user-name: !string\n    - privacy: private\n- 名前: !string\n    - privacy: hash\n"
        let found = names(text)
        #expect(found["user-name"] == .private)
        #expect(found["名前"] == .hash)
    }

    @Test func `text of two bytes a letter is read as well`() throws {
        let text = "- email: !string\n    - privacy: private\n"
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            let bytes = Array(try #require(text.data(using: encoding)))
            #expect(PrivacyScan.protectedNames(in: bytes)["email"] == .private)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `many annotations below a line with many names take one look at them`() {
        let line = (0..<20_000).map { "name\($0):" }.joined(separator: " ")
        let text = line + "\n" + String(repeating: "privacy: private\n", count: 20_000)
        let found = names(text)
        #expect(found.count >= 20_000 && found["name19999"] == .private)
    }

    @Test func `other parameters stay as they are, also those of custom types`() {
        let text = """
            # a

            Our privacy rules are elsewhere: see the wiki.

            ## event
            - order: SearchOrder
            - place: Place
                - privacy: hash
            - email: !string
                - values: a, b
                - privacy: private
            - item: !bigint
                - privacy: public
            - privacy: !boolean
            - privacy_accepted: !boolean
            """
        var found = names(text)
        found["values"] = nil
        #expect(found == ["place": .hash, "email": .private])
    }

    @Test func `of two that disagree the stricter one counts`() {
        let hash = "- email: !string\n    - privacy: hash\n"
        #expect(names(hash) == ["email": .hash])
        #expect(names(hash + hash.replacing("hash", with: "private") + hash) == ["email": .private])
    }

    @Test func `what is protected in any good file is found in it`() throws {
        var count = 0
        for file in try FuzzCorpus.files() {
            let read = DictionaryParser.read([file], options: DictionaryOptions(name: "a", path: "a")).dictionary
            let found = PrivacyScan.protectedNames(in: file.bytes)
            for (name, privacy) in read.protectedNames {
                #expect(found[name] ?? .public >= privacy, "\(file.name) \(name)")
                count += 1
            }
        }
        #expect(count > 0)
    }

    @Test func `whatever stands above it, an annotation protects its parameter`() throws {
        let good = try FuzzCorpus.files()
        for seed in FuzzBudget.seeds(300) {
            var mutation = Mutation(seed: seed)
            for file in mutation.files(of: good) {
                let bytes = file.bytes + Array("\n- email_of_last: !string\n    - privacy: private\n".utf8)
                #expect(PrivacyScan.protectedNames(in: bytes)["email_of_last"] == .private, "seed \(seed)")
            }
        }
    }

    /// With time that grows as the square, each would take minutes.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "a:", "：", ": ", "privacy ", "privacy: private\n", "- a: b\n", " ", "\n", "- a: b\n - privacy: private\n",
            "!:",
            "\u{0}", "a ", "\\",
        ])
    func `a mark repeated 100,000 times is read in one go, as one of 300`(_ mark: String) {
        let found = [300, 100_000].map { names("- x: !string " + String(repeating: mark, count: $0)) }
        #expect(found[0] == found[1])
    }
}
