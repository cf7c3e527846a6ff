import Definitions
import Model
import TestSupport
import Testing

/// A dictionary of two categories, common parameters and types, and what slips in its files leave in force.
struct DictionaryRepairTests {
    private static let good = [
        "common.md": "# common\n\n- platform: !string\n",
        "recipe.md": recipe,
        "search.md": "# search\n\nSearch.\n\n## run\n\nA search ran.\n\n- words: !string 64\n",
        "types/device.md": "## Device\n\nA device.\n\n- model: Model\n\n## Model\n\n- !string 64\n",
        "types/order.md": "## Order\n\n- new\n- popular\n",
    ]
    private static let recipe = """
        # recipe

        Recipes.

        - recipe_id: !bigint

        ## show

        The screen came up.

        - order: Order

        ## tap

        A tap.

        - device: Device

        """
    private let options = DictionaryOptions(name: "shop", path: "definitions")

    private func files(_ texts: [String: String]) -> [DefinitionFile] {
        texts.map { DefinitionFile(name: $0.key, bytes: Array($0.value.utf8)) }.sorted { $0.name < $1.name }
    }

    /// Returns the good files with texts in one file replaced.
    private func edited(_ name: String, _ changes: (String, String)...) -> [String: String] {
        var texts = Self.good
        for (old, new) in changes {
            #expect(texts[name]?.contains(old) == true, "\(old)")
            texts[name] = texts[name]?.replacing(old, with: new)
        }
        return texts
    }

    private func repaired(
        _ texts: [String: String], unreadable: [String] = [], lastGood: [String: String]? = good
    ) -> DictionaryRepair {
        let repair = DictionaryRepair(
            files(texts), unreadable: unreadable, lastGood: files(lastGood ?? [:]), options: options)
        var again = DictionaryParser.read(repair.files, options: options)
        #expect(again.problems.filter { $0.severity == .error && $0.rule != .noDefinitions } == [])
        again.dictionary.broken = repair.dictionary.broken
        #expect(again.dictionary.version == repair.dictionary.version)
        return repair
    }

    private func events(_ repair: DictionaryRepair) -> [String] {
        repair.dictionary.categories.flatMap(\.definitions).map(\.key.description)
    }

    private func broken(_ repair: DictionaryRepair) -> [String: String] {
        Dictionary(uniqueKeysWithValues: repair.dictionary.broken.map { ($0.key.description, $0.value.text) })
    }

    private func leftOut(_ repair: DictionaryRepair) -> [String] { repair.dictionary.filesLeftOut.map(\.text) }

    private func text(_ name: String, _ repair: DictionaryRepair) -> String? {
        repair.files.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private var goodVersion: String {
        DictionaryParser.read(files(Self.good), options: options).dictionary.version
    }

    private static let all = ["recipe/show", "recipe/tap", "search/run"]

    // MARK: single errors

    @Test(arguments: [
        ("recipe.md", "- order: Order", "- or-der: Order"), ("recipe.md", "- recipe_id", "- recipe-id"),
        ("common.md", "!string", "!strng"), ("types/order.md", "- popular", "- new"),
        ("types/device.md", "- model: Model", "- model: !model"), ("types/device.md", "- !string 64", "text"),
        ("recipe.md", "## tap", "## [Obsolete] tap"), ("recipe.md", "- order: Order\n\n", "- order: Order\n"),
        ("recipe.md", "Recipes.\n\n", "Recipes.\n"), ("recipe.md", "## show", "## show\u{200B}"),
    ])
    func `what has an error is in force as it was, and the version is the last one`(
        file: String, old: String, new: String
    ) {
        let repair = repaired(edited(file, (old, new)))
        #expect(events(repair) == Self.all)
        #expect(broken(repair) == [:] && leftOut(repair) == [])
        #expect(repair.dictionary.version == goodVersion)
        #expect(repair.files == files(Self.good))
    }

    @Test func `two errors in one definition do not put it out of force`() {
        let repair = repaired(edited("recipe.md", ("- order: Order", "- or-der: Order\n- x: !y")))
        #expect(repair.dictionary.version == goodVersion)
    }

    @Test func `an event that never was without an error is left out, and the other edits are in force`() {
        var texts = edited("recipe.md", ("The screen", "The whole screen"))
        texts["recipe.md"]? += "\n## swipe\n\nA swipe.\n\n- x: !nothing\n\n## zoom\n\nA zoom.\n"
        let repair = repaired(texts)
        #expect(events(repair) == ["recipe/show", "recipe/tap", "recipe/zoom", "search/run"])
        #expect(broken(repair) == ["recipe/swipe": "recipe.md:23"])
        #expect(text("recipe.md", repair)?.contains("The whole screen") == true)
    }

    @Test func `at a first start, only the definition with the error is out of force`() {
        let repair = repaired(edited("recipe.md", ("- order: Order", "- or-der: Order")), lastGood: nil)
        #expect(events(repair) == ["recipe/tap", "search/run"])
        #expect(broken(repair) == ["recipe/show": "recipe.md:11"])
        #expect(repair.dictionary.definition(EventKey(category: "recipe", name: "tap")) != nil)
    }

    @Test func `without its list, a category has no events; without the list of common md, nothing has`() {
        let category = repaired(edited("recipe.md", ("- recipe_id", "- recipe-id")), lastGood: nil)
        #expect(events(category) == ["search/run"])
        #expect(broken(category) == ["recipe/show": "recipe.md:5", "recipe/tap": "recipe.md:5"])
        let common = repaired(edited("common.md", ("!string", "!strng")), lastGood: nil)
        #expect(events(common) == [])
        #expect(common.files.isEmpty)
        #expect(broken(common).values.allSatisfy { $0 == "common.md:3" } && broken(common).count == 3)
    }

    @Test func `what has a type that is left out is left out, through other types`() {
        let repair = repaired(edited("types/device.md", ("- !string 64", "- !strng 64")), lastGood: nil)
        #expect(events(repair) == ["recipe/show", "search/run"])
        #expect(broken(repair) == ["recipe/tap": "types/device.md:9"] && leftOut(repair) == [])
        #expect(repair.dictionary.types.map(\.name) == ["Order"])
    }

    @Test func `an edit that uses a type with an error stays, if the type has a last good text`() {
        var texts = edited("types/order.md", ("- popular", "- new"))
        texts["recipe.md"] = texts["recipe.md"]?.replacing("The screen", with: "The whole screen")
        #expect(text("recipe.md", repaired(texts)) == texts["recipe.md"])
    }

    @Test func `an event goes back to its last good text if its new type has an error`() {
        var texts = edited("recipe.md", ("- device: Device", "- device: Tablet"))
        texts["types/tablet.md"] = "## Tablet\n\n- width: !int\n"
        #expect(repaired(texts).dictionary.version == goodVersion)
    }

    @Test func `a type that was removed stays if the last good text of an event needs it`() {
        var texts = edited("recipe.md", ("- order: Order", "- or-der: !string"))
        texts["types/order.md"] = nil
        #expect(repaired(texts).dictionary.version == goodVersion)
    }

    // MARK: headings

    @Test func `a heading that an error hides stays defined, in its place`() {
        let repair = repaired(edited("recipe.md", ("- order: Order\n\n", "- order: Order\n")))
        #expect(text("recipe.md", repair) == Self.good["recipe.md"])
    }

    @Test func `an event that is removed while another has an error stays until that is corrected`() {
        let text = "# search\n\nSearch.\n\n## stop\n\nIt stopped.\n\n- x: !nothing\n"
        var texts = Self.good
        texts["search.md"] = text
        #expect(events(repaired(texts)) == Self.all)
        texts["search.md"] = text.replacing("!nothing", with: "!string")
        #expect(events(repaired(texts)) == ["recipe/show", "recipe/tap", "search/stop"])
    }

    @Test func `a type that moves to another file while its old file has an error is not defined twice`() {
        var texts = edited("types/device.md", ("## Model\n\n- !string 64\n", ""), ("A device.", "A device.\n- x: !y"))
        texts["types/aaa.md"] = "## Model\n\n- !string 32\n"
        let repair = repaired(texts)
        #expect(repair.dictionary.types.map(\.file) == ["types/device.md", "types/aaa.md", "types/order.md"])
        #expect(events(repair) == Self.all)
    }

    @Test func `a heading that is there twice is one part`() {
        let more = "\n## show\n\nMore.\n"
        var last = Self.good
        last["recipe.md"]? += more
        var texts = last
        texts["recipe.md"] = last["recipe.md"]?.replacing("More.", with: "More.\n- x: !y")
        #expect(repaired(texts, lastGood: last).files == files(last))
        let first = repaired(texts, lastGood: nil)
        #expect(events(first) == ["recipe/tap", "search/run"])
    }

    @Test(arguments: ["\r\n", "\r"])
    func `line breaks of any kind are kept`(_ lineBreak: String) {
        let last = Self.good.mapValues { $0.replacing("\n", with: lineBreak) }
        let texts = edited("recipe.md", ("- order: Order", "- or-der: Order")).mapValues {
            $0.replacing("\n", with: lineBreak)
        }
        #expect(repaired(texts, lastGood: last).files == files(last))
        #expect(broken(repaired(texts, lastGood: nil)) == ["recipe/show": "recipe.md:11"])
    }

    @Test func `the last definition of a file, without a line break, is not lost when others follow it`() {
        var last = Self.good
        last["search.md"] = "## run\n\n- words: !string 64"
        var texts = last
        texts["search.md"] = "## run\n\n- words: !strng 64\n\n## stop\n\nIt stopped.\n"
        let repair = repaired(texts, lastGood: last)
        #expect(events(repair) == ["recipe/show", "recipe/tap", "search/run", "search/stop"])
        #expect(text("search.md", repair) == "## run\n\n- words: !string 64\n\n## stop\n\nIt stopped.\n")
    }

    // MARK: files

    @Test(arguments: ["recipe.md", "common.md", "types/order.md", "types/device.md"])
    func `a file that cannot be read is in force as it was`(_ name: String) {
        var texts = Self.good
        texts[name] = nil
        #expect(repaired(texts, unreadable: [name]).files == files(Self.good))
        texts["search.md"]? += "\n## stop\n\nIt stopped.\n"
        let repair = repaired(texts, unreadable: [name])
        #expect(events(repair) == Self.all + ["search/stop"])
        #expect(text(name, repair) == Self.good[name])
    }

    @Test(arguments: ["recipe.md", "common.md", "types/order.md"])
    func `a file that is no text is in force as it was`(_ name: String) {
        for text in ["\0", String(repeating: " ", count: 5 << 20)] {
            var texts = Self.good
            texts[name]? += text
            #expect(repaired(texts).files == files(Self.good) && leftOut(repaired(texts)) == [])
        }
    }

    @Test func `a file of which nothing ever was good is named if no event of it can be`() {
        var texts = Self.good
        texts["acct.md"] = "# acct\n\n## up\n\0\n"
        #expect(leftOut(repaired(texts)) == ["acct.md"] && broken(repaired(texts)) == [:])
        #expect(leftOut(repaired(Self.good, unreadable: ["acct.md"])) == ["acct.md"])
        #expect(leftOut(repaired(Self.good, unreadable: ["acct.md"], lastGood: nil)) == ["acct.md"])
        // No event has this type, and of the others one is named.
        texts = edited("recipe.md", ("- order: Order", "- or-der: Order"))
        texts["types/size.md"] = "## Size\n\n- width: !int\n"
        let first = repaired(texts, lastGood: nil)
        #expect(leftOut(first) == ["types/size.md"] && broken(first) == ["recipe/show": "recipe.md:11"])
    }

    @Test
    func `a part without a name is named also when the rest of its file was good, but not if it may stay as it was`() {
        var texts = Self.good
        texts["acct.md"] = "# acct\n\n## x\u{1}\n\nText.\n"
        var lastGood = Self.good
        for repair in repaired(texts).files where repair.name == "acct.md" {
            lastGood["acct.md"] = String(decoding: repair.bytes, as: UTF8.self)
        }
        #expect(leftOut(repaired(texts)) == ["acct.md"])
        texts["acct.md"]? += "\n"
        #expect(leftOut(repaired(texts, lastGood: lastGood)) == ["acct.md"])
        texts["acct.md"]? += "\n## down\n\nText.\n\n- ab-c: !int\n"
        let both = repaired(texts)
        #expect(leftOut(both) == ["acct.md"] && broken(both).keys.sorted() == ["acct/down"])
        texts["acct.md"] = "# acct\n\n## x\u{1}\n\nText.\n"
        // The one whose heading was damaged is in force under its name.
        lastGood["acct.md"] = "# acct\n\n## up\n\nText.\n"
        #expect(leftOut(repaired(texts, lastGood: lastGood)) == [])
    }

    @Test func `the folder of types that cannot be read is in force as it was`() {
        let texts = Self.good.filter { !$0.key.hasPrefix("types/") }
        #expect(repaired(texts, unreadable: ["types"]).files == files(Self.good))
        let first = repaired(texts, unreadable: ["types"], lastGood: nil)
        #expect(broken(first) == ["recipe/show": "types:1", "recipe/tap": "types:1"] && leftOut(first) == [])
        #expect(leftOut(repaired(texts, unreadable: ["types"])) == [])
    }

    @Test func `a file of types that never was readable takes with it what has an undefined type`() {
        var texts = Self.good
        texts["types/order.md"] = nil
        let first = repaired(texts, unreadable: ["types/order.md"], lastGood: nil)
        #expect(events(first) == ["recipe/tap", "search/run"])
        #expect(broken(first) == ["recipe/show": "types/order.md:1"])
        // The type was undefined before, too.
        let later = repaired(texts, unreadable: ["types/order.md"], lastGood: texts)
        #expect(events(later) == Self.all)
    }

    @Test func `nothing is in force without a common md that never was readable, unless there was none before`() {
        var texts = Self.good
        texts["common.md"] = nil
        let first = repaired(texts, unreadable: ["common.md"], lastGood: nil)
        #expect(events(first) == [])
        #expect(broken(first).count == 3 && broken(first).values.allSatisfy { $0 == "common.md:1" })
        #expect(repaired(texts, unreadable: ["common.md"], lastGood: texts).files == files(texts))
        let new = texts.merging(["common.md": "- platform: !strng\n"]) { $1 }
        #expect(repaired(new, lastGood: texts).files == files(texts))
    }

    // MARK: contradictions

    @Test func `of two definitions that contradict each other, the one that was edited goes back`() {
        let repair = repaired(edited("recipe.md", ("- order: Order", "- order: Order\n- words: !string 32")))
        #expect(repair.dictionary.version == goodVersion)
        // In the order of the files, the edit is first.
        #expect(broken(repair) == [:])
    }

    @Test func `a parameter that becomes common goes back if an event has it`() {
        let repair = repaired(edited("common.md", ("- platform", "- words: !string 64\n- platform")))
        #expect(repair.dictionary.version == goodVersion)
    }

    @Test func `a new event that contradicts a good one is left out`() {
        var texts = Self.good
        texts["a.md"] = "# a\n\nA.\n\n## b\n\nB.\n\n- words: !bigint\n"
        let repair = repaired(texts)
        #expect(events(repair) == Self.all)
        #expect(broken(repair) == ["a/b": "a.md:9"])
    }

    @Test func `a type that leads back to itself through an edit goes back`() {
        let repair = repaired(edited("types/device.md", ("- !string 64", "- device: Device")))
        #expect(repair.dictionary.version == goodVersion)
    }

    @Test func `a second definition of a type goes, wherever its file is`() {
        for name in ["types/aaa.md", "types/zzz.md"] {
            let repair = repaired(Self.good.merging([name: "## Order\n\n- old\n"]) { $1 })
            #expect(events(repair) == Self.all)
            #expect(repair.dictionary.types.first { $0.name == "Order" }?.file == "types/order.md")
        }
    }

    @Test func `an error that only the last good text causes is corrected in a later round`() {
        // Without its error, `run` would have the new type; with its last good text, `find` cannot.
        var texts = edited("search.md", ("!string 64", "!string 32\n- x: !y"))
        texts["search.md"]? += "\n## find\n\nFound.\n\n- words: !string 32\n"
        let repair = repaired(texts)
        #expect(events(repair) == Self.all)
        #expect(broken(repair) == ["search/find": "search.md:16"])
    }

    @Test func `a chain of errors ends`() {
        var (last, texts) = (Self.good, Self.good)
        for number in 0..<40 {
            last["types/t\(number).md"] = "## T\(number)\n\n- x: T\(number + 1)?\n"
            texts["types/t\(number).md"] = last["types/t\(number).md"]
        }
        texts["types/t40.md"] = "## T40\n\n- x: T0?\n- y: !y\n"
        let repair = repaired(texts, lastGood: nil)
        #expect(Set(events(repair)).isSuperset(of: ["recipe/show", "search/run"]))
    }

    @Test func `two categories that are sent under one name, the new one is left out`() {
        var texts = Self.good
        texts["a.md"] = "# a\nsent as: search\n\n## b\n\nB.\n"
        let repair = repaired(texts)
        #expect(events(repair) == Self.all)
        #expect(broken(repair) == ["search/b": "a.md:1"])
    }

    @Test func `names under which events were to be sent have the reason as well`() {
        let repair = repaired(edited("search.md", ("A search ran.", "sent as: Run\n\nA search ran.\n- x: !y")))
        #expect(events(repair) == Self.all)
        #expect(broken(repair) == ["search/Run": "search.md:10"])
    }

    @Test func `errors beyond the number that is listed do not put a file out of force`() {
        // Warnings fill the list, and of the errors only the first would be in it.
        let warnings = (0..<300).map { "## event_\($0)\n\n- x: !string\n\n" }.joined()
        let errors = (0..<300).map { "## broken_\($0)\n\n- y: !strng\n\n" }.joined()
        let first = repaired(["a.md": warnings + errors], lastGood: nil)
        #expect(first.dictionary.categories.first?.definitions.count == 300)
        #expect(first.dictionary.broken.count == 300)
        let good = ["a.md": warnings + errors.replacing("!strng", with: "!string")]
        #expect(repaired(["a.md": warnings + errors], lastGood: good).files == files(good))
    }

    @Test(
        .timeLimit(.minutes(1)),
        // Errors under one heading, with many behind it, and the same number under many headings.
        arguments: [(1, 20_000), (20_000, 1)])
    func `an event with 20,000 errors is left out, without delay`(headings: Int, headingsBehind: Int) {
        let event = "## e\n\n" + String(repeating: "- x\n", count: 20_000 / headings) + "\n"
        let text = String(repeating: event, count: headings) + String(repeating: "## a\nA.\n", count: headingsBehind)
        let repair = repaired(["a.md": text], lastGood: nil)
        #expect(events(repair) == ["a/a"])
        #expect(broken(repair) == ["a/e": "a.md:3"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a type that leads back to itself through 8,000 others is left out, without delay`() {
        let members = (0..<8000).map { "- b\($0): B\($0)\n" }.joined()
        let others = (0..<8000).map { "\n## B\($0)\n\n- a: A\n" }.joined()
        let repair = repaired(
            ["a.md": "## e\n\nE.\n\n- x: A\n", "types/t.md": "## A\n\n\(members)\(others)"], lastGood: nil)
        #expect(repair.dictionary.types.isEmpty)
        #expect(broken(repair) == ["a/e": "types/t.md:1"])
    }

    @Test(.timeLimit(.minutes(1))) func `10,000 events that an error hides stay, without delay`() {
        let events = (0..<10_000).map { "## event_\($0)\n\nText.\n\n- x: !string\n\n" }.joined()
        let good = ["a.md": "# a\n\nText.\n\n" + events]
        let repair = repaired(["a.md": "# a\n\nText.\n\n## other\n\n- x: !strng\n"], lastGood: good)
        #expect(repair.dictionary.categories.first?.definitions.count == 10_000)
    }

    @Test(.timeLimit(.minutes(1)))
    func `20,000 events whose type is in a file that is no text are named, without delay`() {
        let events = (0..<20_000).map { "## event_\($0)\n\nText.\n\n- x: Order\n\n" }.joined()
        let texts = ["a.md": "# a\n\nText.\n\n" + events, "types/order.md": "## Order\n\n- new\0\n"]
        let repair = repaired(texts, lastGood: nil)
        #expect(repair.dictionary.broken.count == 20_000 && leftOut(repair) == [])
        #expect(repair.dictionary.broken.values.allSatisfy { $0 == "types/order.md:3" })
    }
}
