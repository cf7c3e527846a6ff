import Definitions
import Foundation
import Model
import Testing

struct EvolutionTests {
    private func dictionary(
        _ texts: [String: String], types: [ExactString: CustomType] = [:]
    ) throws -> (dictionary: EventDictionary, files: [DefinitionFile]) {
        let files = texts.map { DefinitionFile(name: "\($0.key).md", bytes: Array($0.value.utf8)) }
        let options = DictionaryOptions(name: "shop", path: "definitions", types: types)
        return (try DictionaryParser.parse(files, options: options).dictionary, files)
    }

    private func changes(_ new: [String: String], against old: [String: String]) throws -> [String] {
        let (new, files) = try dictionary(new)
        return Evolution.check(new, against: try dictionary(old).dictionary).located(in: files).map(\.description)
    }

    /// The problems of one parameter's line, without their message.
    private func rules(_ new: String, against old: String, types: [ExactString: CustomType] = [:]) throws -> [String] {
        let text = { (list: String) in "## show\n\nText.\n\n\(list)" }
        let problems = Evolution.check(
            try dictionary(["recipe": text(new)], types: types).dictionary,
            against: try dictionary(["recipe": text(old)], types: types).dictionary)
        return problems.map(\.rule.rawValue)
    }

    @Test func `what is gone is reported where it was, with what to write`() throws {
        let old = ["recipe": "- id_of_recipe: !bigint\n\n## show\n\nText.\n\n- order: !string 8\n\n## tap\n\nText.\n"]
        let problems = try changes(["recipe": "# recipe\n\n## show\n\nText.\n"], against: old)
        #expect(
            problems == [
                "recipe.md:1:1: error [event-removed]: `tap` is gone, and may still be sent: write `## [obsolete] tap`",
                "recipe.md:1:1: error [parameter-removed]: `id_of_recipe` is gone, and may still be sent: "
                    + "write `- [obsolete] id_of_recipe: !bigint`",
                "recipe.md:3:4: error [parameter-removed]: `order` of `show` is gone, and may still be sent: "
                    + "write `- [obsolete] order: !string 8`",
            ])
    }

    @Test func `a category that is gone is reported at the folder, once`() throws {
        let event = "## show\n\nText.\n"
        let two = event + "\n## tap\n\nText.\n"
        let problems = try changes(["recipe": event], against: ["recipe": event, "menu": two])
        #expect(
            problems == [
                "definitions:1:1: error [category-removed]: menu.md is gone, and its 2 events with it: keep the file and "
                    + "write `## [obsolete] name`"
            ])
    }

    @Test func `another name in payloads is reported for events and categories, wherever it is written`() throws {
        let old = ["menu": "# menu\n\n## show\nsent as: Show\n\nText.\n\n## [obsolete] tap\n\nText.\n"]
        let new = [
            "menu": "# menu\nsent as: Menu 2\n\n## show\n\nText.\n\n## [obsolete] tap\nsent as: Tap\n\nText.\n"
        ]
        let problems = try changes(new, against: old)
        #expect(
            problems == [
                "menu.md:1:1: error [sent-name-changed]: the category was sent as `menu` and is sent as `Menu 2` now: "
                    + "programs in use send `menu`, define another event",
                "menu.md:4:4: error [sent-name-changed]: `show` was sent as `Show` and is sent as `show` now: "
                    + "programs in use send `Show`, define another event",
                "menu.md:8:15: warning [sent-name-changed]: `tap` was sent as `tap` and is sent as `Tap` now: "
                    + "programs in use send `tap`, define another event",
            ])
    }

    @Test func `extra parameters that are refused are reported once, where that is said`() throws {
        func texts(_ common: String, _ category: String, _ event: String) -> [String: String] {
            [
                "common": "# common\n\n\(common)\n",
                "menu": "# menu\n\n\(category)\n\n## show\n\n\(event)\n\nText.\n\n## tap\n\nText.\n",
            ]
        }
        func places(_ new: [String: String], _ old: [String: String]) throws -> [String] {
            try changes(new, against: old).map { $0.components(separatedBy: "]:")[0] }
        }
        let (allowed, refused) = ("extra parameters: allowed", "extra parameters: refused")
        let common = try places(texts("", "", ""), texts(allowed, "", ""))
        #expect(common == ["common.md:1:1: error [extra-refused"])
        let category = try places(texts(allowed, refused, ""), texts(allowed, "", ""))
        #expect(category == ["menu.md:1:1: error [extra-refused"])
        let event = try places(texts("", allowed, refused), texts(allowed, "", ""))
        #expect(event == ["menu.md:5:4: error [extra-refused"])
        #expect(try places(texts("", allowed, ""), texts(allowed, "", "")) == [])
        let types = ["types/a": "## A\n\n\(allowed)\n\n- x: !string\n", "menu": "## show\n\nText.\n\n- a: A\n"]
        let type = try places(types.merging(["types/a": "## A\n\n- x: !string\n"]) { $1 }, types)
        #expect(type == ["types/a.md:1:4: error [extra-refused"])
    }

    @Test func `what is gone shares the limit of its file with all other problems`() throws {
        let event = "## show\n\nText.\n\n"
        let old = try dictionary(["recipe": event + (0..<400).map { "## tap_\($0)\n\nText.\n\n" }.joined()])
        let new = DefinitionFile(name: "recipe.md", bytes: Array((event + String(repeating: "##\n", count: 50)).utf8))
        let (dictionary, problems) = DictionaryParser.read([new], options: old.dictionary.options)
        #expect(problems.count == 50)
        let changes = Evolution.check(dictionary, against: old.dictionary, after: problems)
        #expect(changes.count { $0.rule == .eventRemoved } == 150 && changes.count == 151)
    }

    @Test func `a parameter may move between the event, its category and the common ones`() throws {
        let own = ["recipe": "## show\n\nText.\n\n- order: !string\n"]
        let category = ["recipe": "- order: !string\n\n## show\n\nText.\n"]
        let common = ["recipe": "## show\n\nText.\n", "common": "- order: !string\n"]
        for (new, old) in [(own, category), (category, common), (common, own), (own, common)] {
            #expect(try changes(new, against: old).isEmpty)
        }
    }

    @Test func `a common parameter is reported once, whatever the number of events`() throws {
        let events = (0..<50).map { "## show_\($0)\n\nText.\n\n" }.joined()
        let problems = try changes(
            ["recipe": events, "common": "- a: !string\n"], against: ["recipe": events, "common": "- b: !string\n"])
        #expect(
            problems.map { $0.prefix(45) } == [
                "common.md:1:1: error [parameter-removed]: `b`", "common.md:1:3: warning [parameter-required]: ",
            ])
    }

    @Test(arguments: [
        ("- a: !integer", "- a: !smallint"), ("- a: !double", "- a: !integer"), ("- a: Any", "- a: !date"),
        ("- a: !string 16", "- a: !string 8"), ("- a: !string", "- a: !string 8"), ("- a: !string?", "- a: !string"),
        ("- [obsolete] a: !string", "- a: !string"), ("- a: !string\n- b: !string?", "- a: !string"),
        ("- a: !string", "- a: !string\n    - values: x"), ("- a: Mapped", "- a: !bigint"), ("- a: Other", "- a: Any"),
        ("- a: !string\n    - privacy: private", "- a: !string\n    - privacy: hash"),
    ])
    func `what allows as much or more is fine`(_ new: String, _ old: String) throws {
        #expect(try rules(new, against: old, types: ["Mapped": .same(as: .bigint)]).isEmpty)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a list of 50,000 common values is compared once, whatever the number of events`() throws {
        let events = (0..<2000).map { "## show_\($0)\n\nText.\n\n" }.joined()
        func texts(_ first: String) -> [String: String] {
            let values = ([first] + (1..<50_000).map { "v\($0)" }).joined(separator: ", ")
            return ["recipe": events, "common": "- a: !string\n    - values: \(values)\n"]
        }
        let problems = try changes(texts("new"), against: texts("old"))
        let message = "common.md:1:3: error [values-removed]: `a` does not allow `old` any more: keep what was allowed"
        #expect(problems == [message])
    }

    @Test(arguments: [
        ("- a: !smallint", "- a: !integer", "type-narrowed"), ("- a: !real", "- a: !double", "type-narrowed"),
        ("- a: !date", "- a: Any", "type-narrowed"), ("- a: !string", "- a: !integer", "type-narrowed"),
        ("- a: Mapped", "- a: Any", "type-narrowed"), ("- a: !string 8", "- a: !string", "length-shortened"),
        ("- a: !string", "- a: !string?", "became-required"),
        ("- a: !string", "- [obsolete] a: !string", "became-required"),
        ("- a: !string\n    - values: x", "- a: !string", "values-removed"),
        ("- a: Listed", "- a: Any", "values-removed"),
        ("- a: !string", "- a: !string\n    - privacy: hash", "privacy-loosened"),
    ])
    func `what allows or protects less is named`(_ new: String, _ old: String, _ rule: String) throws {
        let types: [ExactString: CustomType] = ["Mapped": .same(as: .bigint), "Listed": .values(["x"])]
        #expect(try rules(new, against: old, types: types) == [rule])
    }

    @Test(arguments: [
        ("- [State] 5", "- paid\n- open", "- paid", ["values-removed"]),
        ("- [State]", "- paid", "- paid\n- open", []),
        ("- [Rows]\n\n## Rows\n\n- [State?]", "- paid\n- open", "- paid", ["values-removed"]),
        ("- State", "- paid\n- open", "- paid", ["values-removed"]),
        ("- tags: [State]", "- paid\n- open", "- paid", ["values-removed"]),
        ("- [State]", "- !string 8", "- paid", ["values-removed"]), ("- [State]", "- !string 8", "- !string 8", []),
    ])
    func `values that elements may not have any more are named`(
        list: String, before: String, after: String, expected: [String]
    ) throws {
        func texts(_ state: String) -> [String: String] {
            [
                "order": "# order\n\n## placed\n\nText.\n\n- states: States\n",
                "types/t": "## States\n\n\(list)\n\n## State\n\n\(state)\n",
            ]
        }
        let problems = try changes(texts(after), against: texts(before))
        #expect(problems.map { $0.split { "[]".contains($0) }[1] } == expected.map { $0[...] }, "\(problems)")
    }

    @Test(arguments: [
        // Moved out of the object, or into it.
        ("- total: !double", "", "", "- total: !double", ["parameter-removed", "parameter-required"]),
        ("", "- total: !double?", "- total: !double?", "", ["parameter-removed"]),
        // The event has one of the same name in the object.
        ("- note: !string", "- note: !string 20", "- note: !string", "- note: !string 10", ["length-shortened"]),
        ("- note: !string", "- note: !string 20", "- note: !string", "- note: !string 20", []),
    ])
    func `parameters in an object and those beside it are compared apart`(
        own: String, common: String, ownNow: String, commonNow: String, expected: [String]
    ) throws {
        func parsed(_ own: String, _ common: String, _ object: MemberPath?) throws -> EventDictionary {
            let texts = [
                "recipe": "# recipe\n\n## show\n\nText.\n\n\(own)\n", "common": "# common\n\nText.\n\n\(common)\n",
            ]
            let files = texts.map { DefinitionFile(name: "\($0.key).md", bytes: Array($0.value.utf8)) }
            var options = DictionaryOptions(name: "shop", path: "definitions")
            options.layout.parametersAt = object
            return try DictionaryParser.parse(files, options: options).dictionary
        }
        func rules(_ object: MemberPath?) throws -> [String] {
            Evolution.check(
                try parsed(ownNow, commonNow, object), against: try parsed(own, common, object)
            ).map(\.rule.rawValue).sorted()
        }
        #expect(try rules(MemberPath("properties")) == expected)
        // Without an object, they stand side by side.
        if own != ownNow { #expect(try rules(nil) == []) }
    }
}
