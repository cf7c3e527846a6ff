import API
import Definitions
import Foundation
import GRDB
import Linux
import Model
import TestSupport
import Testing

@testable import Dictionaries
@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct DictionaryArchiveTests {
    private func write(_ text: String, _ scratch: ScratchStore, as name: String = "recipe.md") throws {
        try Data(text.utf8).write(to: scratch.folder.appending(path: name))
    }

    private func start(_ scratch: ScratchStore) async throws -> (held: EventDictionary, problem: String?) {
        var readings = [DictionaryReading(scratch.options)]
        let loaded = await scratch.archive.begin(with: &readings)
        #expect(readings[0].files.isEmpty, "they need not stay in memory")
        let first = try #require(loaded.first)
        return (first.dictionary, first.problem)
    }

    @Test func `a start with broken files uses the last good version`() async throws {
        try await ScratchStore.with { scratch in
            let good = "# recipe\n\n## show\n\nShown.\n\n- item: !bigint\n"
            try write(good, scratch)
            let version = try await start(scratch).held.version
            #expect(!version.isEmpty)
            try write(good + "- user-name: !string\n", scratch)
            let (held, problem) = try await start(scratch)
            #expect(held.version == version)
            #expect(held.definition(EventKey(category: "recipe", name: "show")) != nil)
            #expect(problem?.contains("recipe.md:8:") == true, "\(problem ?? "")")
        }
    }

    @Test func `a dictionary that is not in the settings any more defines nothing`() async throws {
        try await ScratchStore.with { scratch in
            try write("# recipe\n\n## show\n\nShown.\n", scratch)
            let name = try await start(scratch).held.options.name
            #expect(try await scratch.store.watchedSince(dictionary: name).count == 1)
            var none: [DictionaryReading] = []
            _ = await scratch.archive.begin(with: &none)
            #expect(try await scratch.store.watchedSince(dictionary: name).isEmpty)
        }
    }

    @Test func `a version that the store has no room for is kept once it has`() async throws {
        try await ScratchStore.with { scratch in
            try write("# recipe\n\n## show\n\nShown.\n", scratch)
            let nothing = EventDictionary(options: scratch.options, version: "", common: [], categories: [])
            var random = SeededGenerator(seed: 1)
            for _ in 0..<30 {
                let payloads = (0..<100).map { _ in
                    #"{"text":"\#(String(decoding: random.letters(8000), as: UTF8.self))"}"#
                }
                try await scratch.save(payloads, with: nothing)
            }
            try await scratch.reopened(maximumBytes: 2 << 20) { scratch in
                let version = try await start(scratch).held.version
                #expect(scratch.archive.isWaiting)
                #expect(try await scratch.store.versions(ofDictionary: "shop").isEmpty)
                #expect(scratch.log.lines.count == 1)
                #expect(scratch.log.lines[0].contains("which is tried again: the store"))
                #expect(!scratch.log.lines[0].contains("sink"), "there is none")
                while try await scratch.store.maintain(now: wallClock()) {}
                await scratch.archive.keepAgain()
                #expect(!scratch.archive.isWaiting && scratch.archive.problems == [])
                #expect(try await scratch.store.files(ofDictionary: "shop", version: version)?.count == 1)
                #expect(
                    scratch.log.lines.last == "notice: Version \(version) of dictionary shop is kept in the store now.")
            }
        }
    }

    @Test func `where there never was a good version, what has the error is undefined, and what is private stays so`()
        async throws
    {
        try await ScratchStore.with { scratch in
            let show = "## show\n\n- user-name: !string\n- mail: !string\n    - privacy: private\n"
            try write("# recipe\n\n\(show)\n## tap\n\nTapped.\n", scratch)
            let (held, problem) = try await start(scratch)
            #expect(problem != nil)
            #expect(held.categories.flatMap(\.definitions).map(\.key.name) == ["tap"])
            #expect(held.broken == [EventKey(category: "recipe", name: "show"): "recipe.md:5"])
            try await scratch.save(
                [payload("show", #""mail":"secret""#), payload("tap", #""other":1"#), #"{"mail":"secret"}"#], with: held
            )
            let events = try await scratch.events()
            #expect(events.map(\.resolution) == [.undefined, .violating, .unkeyed])
            #expect(events[0].findings?.reason == "its definition has an error: recipe.md:5")
            #expect(events[0].text == payload("show", #""mail":"<private>""#))
            #expect(events[2].text == #"{"mail":"<private>"}"#)
            #expect(try await scratch.store.versions(ofDictionary: "shop").map(\.version) == [held.version])
        }
    }

    private func payload(_ name: String, _ members: String) -> String {
        #"{"event_category":"recipe","event_name":"\#(name)",\#(members)}"#
    }

    @Test func `an event that was undefined because of an error is resolved once that is corrected`() async throws {
        try await ScratchStore.with { scratch in
            try write("# recipe\n\n## show\n\nShown.\n\n- item: !bgint\n", scratch)
            let broken = try await start(scratch).held
            try await scratch.save([payload("show", #""item":1"#)], with: broken)
            let undefined = try #require(try await scratch.events().first)
            #expect(undefined.resolution == .undefined && undefined.findings?.reason != nil)
            try write("# recipe\n\n## show\n\nShown.\n\n- item: !bigint\n", scratch)
            let (held, problem) = try await start(scratch)
            #expect(problem == nil && held.broken.isEmpty)
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(held)).reprocess())
            let event = try #require(try await scratch.events().first)
            #expect(event.resolution == .resolved && event.findings == nil)
        }
    }

    @Test func `a start with an error has all other edits in force, and the last good text of what has it`()
        async throws
    {
        try await ScratchStore.with { scratch in
            let good = "# recipe\n\n## show\n\nShown.\n\n- item: !bigint\n"
            try write(good, scratch)
            _ = try await start(scratch)
            try write(good.replacing("bigint", with: "bgint") + "\n## tap\n\nTapped.\n", scratch)
            let held = try await start(scratch).held
            let events = held.categories.flatMap(\.definitions)
            #expect(events.map(\.key.name) == ["show", "tap"])
            #expect(events.first?.parameters.first?.type == .bigint)
            #expect(held.broken.isEmpty)
        }
    }

    @Test func `a file that cannot be read is in force as it was, with the same version`() async throws {
        try await ScratchStore.with { scratch in
            try write("# recipe\n\n## show\n\nShown.\n", scratch)
            try write("# search\n\n## run\n\nRan.\n", scratch, as: "search.md")
            let version = try await start(scratch).held.version
            let file = scratch.folder.appending(path: "search.md")
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            let (held, problem) = try await start(scratch)
            #expect(problem?.contains("search.md:1:1: error [unreadable-file]") == true)
            #expect(held.version == version)
            #expect(held.category("search")?.definitions.count == 1)
        }
    }

    @Test func `a file that cannot be read is among the others' errors in its place`() async throws {
        try await ScratchStore.with { scratch in
            let lines = (0..<30).map { "- item\($0): !bgint\n" }.joined()
            try write("# recipe\n\n## show\n\nShown.\n\n\(lines)", scratch)
            let folder = scratch.folder.appending(path: "a.md")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let reading = DictionaryReading(scratch.options)
            #expect(reading.problems.map(\.file) == ["a.md"] + Array(repeating: "recipe.md", count: 30))
            #expect(reading.problem?.contains("a.md:1:1: error [unreadable-file]") == true)
        }
    }

    @Test func `without the files of the last version, what has no error is in force`() async throws {
        try await ScratchStore.with { scratch in
            try write("# recipe\n\n## show\n\nShown.\n\n- item: !bgint\n\n## tap\n\nTapped.\n", scratch)
            let last = EventDictionary(
                options: scratch.options, version: "0123456789abcdef", common: [], categories: [])
            // A version without files, as if they had been too large.
            try await scratch.store.keep(last, files: [], loadedMicroseconds: 1)
            let held = try await start(scratch).held
            #expect(held.categories.flatMap(\.definitions).map(\.key.name) == ["tap"])
            #expect(held.broken.count == 1)
        }
    }

    @Test func `a version that could not be kept yet is the last one, also for the next edit`() async throws {
        try await ScratchStore.with { scratch in
            let good = "# recipe\n\n## show\n\nShown.\n\n- item: !bigint\n"
            try write(good, scratch)
            var readings = [DictionaryReading(scratch.options)]
            let files = readings[0].files
            await scratch.store.close()
            let held = try #require(await scratch.archive.begin(with: &readings).first?.dictionary)
            #expect(scratch.archive.isWaiting && !files.isEmpty)
            let problems = scratch.archive.problems
            #expect(problems.map(\.code) == ["dictionary.not-kept"] && problems.map(\.subject) == ["shop"])
            try write(good.replacing("bigint", with: "bgint"), scratch)
            var reading = DictionaryReading(scratch.options)
            await scratch.archive.repair(&reading, inForce: held)
            #expect(reading.dictionary?.version == held.version)
            #expect(reading.files == files)
            #expect(await scratch.archive.last(scratch.options)?.version == held.version)
        }
    }

    @Test func `what could not be read at a start is read again, unless it is not in the settings any more`()
        async throws
    {
        try await ScratchStore.with { scratch in
            try write("# recipe\n\n## show\n\nShown.\n\n- item: !bgint\n", scratch)
            try await scratch.store.database.write {
                try $0.execute(sql: "ALTER TABLE dictionary_versions RENAME TO unreadable")
            }
            var readings = [DictionaryReading(scratch.options)]
            let loaded = LoadedDictionaries(await scratch.archive.begin(with: &readings), readings: readings)
            let folder = ExactString(scratch.options.path)
            #expect(loaded.contents(of: [folder]).map { $0.contents } == [nil])
            #expect(scratch.archive.problems.map(\.subject) == ["shop"])
            #expect(await scratch.archive.readAgain(inForce: loaded.dictionaries) == [])
            await scratch.archive.leave(allBut: [], at: wallClock())
            #expect(scratch.archive.problems == [])
            _ = await scratch.archive.begin(with: &readings)
            try await scratch.store.database.write {
                try $0.execute(sql: "ALTER TABLE unreadable RENAME TO dictionary_versions")
            }
            #expect(await scratch.archive.readAgain(inForce: loaded.dictionaries) == [folder])
            #expect(scratch.archive.problems == [])
        }
    }

    private static let mail = "- mail: !string\n    - privacy: private\n"

    @Test(arguments: [
        "## show\nText directly above the list.\n" + mail, "## show\n\n" + mail.replacing("!string", with: "!strng"),
        "## show\n\n" + mail.replacing("!string", with: "Mail 64"),
        "## show\n\n- item: !bigint\n\nMore.\n\n" + mail,
        "## show\n\n- item: !bigint\n\n## show\n\n" + mail,
        "## show\n\nS.\n\n" + mail.replacing("privacy", with: "Privacy"),
        "## show\n\n" + mail + "\n\u{0}", "## show\n\n" + mail + String(repeating: " ", count: 5 << 20),
    ])
    func `what is private in files of any fault is hidden from the first start on`(_ text: String) async throws {
        try await ScratchStore.with { scratch in
            try write("# recipe\n\n" + text, scratch)
            let (held, problem) = try await start(scratch)
            #expect(problem != nil)
            try await scratch.save([#"{"mail":"secret","item":1}"#], with: held)
            #expect(try await scratch.events().map(\.text) == [#"{"mail":"<private>","item":1}"#])
        }
    }

    @Test func `files that are no text hide as well what they call private`() async throws {
        try await ScratchStore.with { scratch in
            let bytes = Data("# recipe\n\n## show\n\n\(Self.mail)".utf8) + [0xFF, 0xFE]
            try bytes.write(to: scratch.folder.appending(path: "recipe.md"))
            #expect(try await start(scratch).held.protectedNames == ["mail": .private])
        }
    }

    @Test func `a start without the file of a private parameter still protects it, until it is public`() async throws {
        try await ScratchStore.with { scratch in
            let other = "# recipe\n\n## show\n\nShown.\n\n- item: !bigint\n"
            try write(other + Self.mail, scratch)
            #expect(try await start(scratch).held.inherited == [:])
            for _ in 0..<2 {
                try write(other, scratch)
                let held = try await start(scratch).held
                #expect(held.inherited == ["mail": .private])
                #expect(
                    scratch.log.lines.last?.contains("still protects what earlier versions of it called private: mail")
                        == true)
            }
            try write(other + "- user-name: !string\n", scratch)
            #expect(
                try await start(scratch).held.protectedNames == ["mail": .private], "in error, and the last good one")
            try write(other + "- mail: !string\n", scratch)
            #expect(try await start(scratch).held.protectedNames == [:])
            try write(other, scratch)
            #expect(try await start(scratch).held.protectedNames == [:], "it was made public")
        }
    }

    @Test func `what was protected stays so after a start at which the store could not say what that was`()
        async throws
    {
        try await ScratchStore.with { scratch in
            let other = "# recipe\n\n## show\n\nShown.\n\n- item: !bigint\n"
            try write(other + Self.mail, scratch)
            _ = try await start(scratch)
            try write(other, scratch)
            try await scratch.store.database.write {
                try $0.execute(sql: "ALTER TABLE protected_names RENAME TO unreadable")
            }
            #expect(try await start(scratch).held.protectedNames == [:])
            #expect(scratch.archive.isWaiting)
            try await scratch.store.database.write {
                try $0.execute(sql: "ALTER TABLE unreadable RENAME TO protected_names")
            }
            await scratch.archive.keepAgain()
            #expect(!scratch.archive.isWaiting)
            #expect(try await scratch.store.protectedNames(ofDictionary: "shop") == ["mail": .private])
            #expect(try await start(scratch).held.protectedNames == ["mail": .private])
        }
    }
}
