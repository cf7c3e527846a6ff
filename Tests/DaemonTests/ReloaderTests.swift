import API
import Foundation
import Model
import Serve
import Store
import Synchronization
import TestSupport
import Testing

@testable import Daemon

/// Two dictionaries on real files; what is put in force is only recorded.
@Suite(.timeLimit(.minutes(1)))
struct ReloaderTests {
    private final class Recorder: Sendable {
        private let lexicons = Mutex<[DictionarySet]>([])
        private let transitions = Mutex<[DictionarySet]>([])

        var explained: [DictionarySet] { lexicons.withLock { $0 } }
        /// What was in force while settings changed.
        var meanwhile: [DictionarySet] { transitions.withLock { $0 } }
        var applied: Int { meanwhile.count }

        var effects: Reloader.Effects {
            Reloader.Effects(
                apply: { _, meanwhile, dictionarySet in
                    self.transitions.withLock { $0.append(meanwhile) }
                    self.lexicons.withLock { $0.append(dictionarySet) }
                },
                explain: { dictionarySet in self.lexicons.withLock { $0.append(dictionarySet) } })
        }
    }

    private static let good = "# recipe\n\nRecipes.\n\n## show\n\nShown.\n\n- item: !bigint\n"
    private static let broken = good + "- user-name: !string\n"

    private struct Instance {
        let reloader: Reloader
        let recorder = Recorder()
        let scratch: ScratchStore

        init(_ scratch: ScratchStore) async throws {
            self.scratch = scratch
            let path = scratch.folder.appending(path: "gloss.yaml").path
            var configuration = try Configuration(path: path)
            let dictionaries = await scratch.archive.begin(with: &configuration.dictionaries)
            reloader = Reloader(
                path: path, configuration: configuration, dictionaries: dictionaries, key: scratch.key,
                archive: scratch.archive, logger: scratch.log.logger, effects: recorder.effects)
        }

        func folder(_ name: String) -> String { scratch.folder.path + "/\(name)" }

        func look(_ names: String...) async { await reloader.look(at: Set(exact: names.map(folder))) }

        var problems: [String?] { get async { await reloader.dictionaries.map(\.problem) } }
        var versions: [String] { get async { await reloader.dictionaries.map(\.dictionary.version) } }
    }

    private static func write(_ text: String, to path: String, _ scratch: ScratchStore) throws {
        let file = scratch.folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func withReloader(_ body: (Instance, (String, String) throws -> Void) async throws -> Void) async throws {
        try await ScratchStore.with { scratch in
            try Self.write(
                """
                sources: [{subsystem: "com.example.*"}]
                dictionaries:
                  - {name: one, path: one, subsystem: "com.example.one"}
                  - {name: two, path: two, subsystem: "com.example.two"}
                store: {path: events.sqlite}
                """, to: "gloss.yaml", scratch)
            for name in ["one", "two"] { try Self.write(Self.good, to: "\(name)/recipe.md", scratch) }
            let instance = try await Instance(scratch)
            try await body(instance) { try Self.write($0, to: $1, scratch) }
        }
    }

    @Test func `a changed file puts its dictionary in force, and keeps its version`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try write(Self.good + "\n## tap\n\nTapped.\n", "one/recipe.md")
            await instance.look("one")
            let after = await instance.versions
            #expect(after[0] != before[0])
            #expect(after[1] == before[1])
            #expect(instance.recorder.explained.map { $0.dictionaries.map(\.version) } == [after])
            #expect(instance.recorder.applied == 0)
            let kept = try await instance.scratch.store.versions(ofDictionary: "one").map(\.version)
            #expect(kept == [after[0], before[0]])
            let files = try await instance.scratch.store.files(ofDictionary: "one", version: after[0])
            #expect(files?.map(\.name) == ["recipe.md"])
        }
    }

    @Test func `files that are what they were change nothing`() async throws {
        try await withReloader { instance, write in
            try write(Self.good, "one/recipe.md")
            await instance.look("one", "two")
            #expect(instance.recorder.explained.isEmpty)
            #expect(instance.scratch.log.lines.isEmpty)
        }
    }

    @Test func `a broken edit keeps the last good one, tells where, and does not concern the other`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try write(Self.broken, "one/recipe.md")
            try write(Self.good + "\n## tap\n\nTapped.\n", "two/recipe.md")
            await instance.look("one", "two")
            let after = await instance.versions
            #expect(after[0] == before[0])
            #expect(after[1] != before[1])
            let loaded = await instance.reloader.dictionaries
            #expect(loaded[0].problem?.contains("/one/recipe.md:10:3: error [") == true, "\(loaded[0].problem ?? "")")
            #expect(loaded[0].problems.contains { $0.line == 10 && $0.severity == .error })
            #expect(loaded[1].problem == nil)
        }
    }

    @Test func `the same fault is told once, and that it is mended as well`() async throws {
        try await withReloader { instance, write in
            for _ in 0..<2 {
                try write(Self.broken, "one/recipe.md")
                await instance.look("one")
            }
            // Another content with the same fault.
            try write(Self.broken.replacing("Recipes.", with: "Recipes!"), "one/recipe.md")
            await instance.look("one")
            #expect(instance.scratch.log.lines.count { $0.hasPrefix("error: Dictionary one stays as it was") } == 1)
            try write(Self.good, "one/recipe.md")
            await instance.look("one")
            #expect(instance.scratch.log.lines.last == "notice: Dictionary one is mended.")
            #expect(await instance.problems == [nil, nil])
            #expect(instance.recorder.explained.isEmpty, "its content is what is in force already")
        }
    }

    @Test func `a folder that is gone is a problem, not an empty dictionary`() async throws {
        try await withReloader { instance, _ in
            let before = await instance.versions
            try FileManager.default.removeItem(atPath: instance.folder("one"))
            await instance.look("one")
            #expect(await instance.versions == before)
            let problem = await instance.problems[0]
            #expect(problem?.contains("the folder cannot be read: No such file") == true, "\(problem ?? "")")
        }
    }

    private static let mail = "- mail: !string?\n    - privacy: private\n"

    @Test func `a file that is away for a moment takes no protection with it`() async throws {
        try await withReloader { instance, write in
            try write("# user\n\nUsers.\n\n## join\n\nJoined.\n\n" + Self.mail, "one/user.md")
            await instance.look("one")
            try FileManager.default.removeItem(atPath: instance.folder("one/user.md"))
            await instance.look("one")
            #expect(
                instance.recorder.explained.map { $0.dictionaries[0].protectedNames } == [
                    ["mail": .private], ["mail": .private],
                ])
            let kept = try await instance.scratch.store.protectedNames(ofDictionary: "one")
            #expect(kept == ["mail": .private])
            _ = try await instance.reloader.reload()
            #expect(instance.recorder.explained.last?.dictionaries[0].protectedNames == ["mail": .private])
            #expect(instance.scratch.log.lines.contains { $0.contains("Dictionary one still protects") })
        }
    }

    @Test func `what a broken edit calls private is hidden at once, and only while it is broken`() async throws {
        try await withReloader { instance, write in
            try write(Self.broken + Self.mail, "one/recipe.md")
            await instance.look("one")
            let explained = instance.recorder.explained
            #expect(explained.map { $0.dictionaries[0].protectedNames["mail"] } == [.private])
            #expect(await instance.problems[0] != nil)
            try write(Self.good, "one/recipe.md")
            await instance.look("one")
            #expect(instance.recorder.explained.last?.dictionaries[0].protectedNames == [:])
            #expect(instance.recorder.explained.count == 2)
        }
    }

    @Test func `a reload is all or nothing, also when only one dictionary is broken`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try write(Self.broken, "one/recipe.md")
            try write(Self.good + "\n## tap\n\nTapped.\n", "two/recipe.md")
            await #expect(throws: Problem.self) { try await instance.reloader.reload() }
            #expect(await instance.versions == before)
            #expect(await instance.problems[0] != nil)
            // The watcher's look has it in force nevertheless: it did not ask for everything.
            await instance.look("two")
            #expect(await instance.versions[1] != before[1])
        }
    }

    @Test func `a reload that names a broken folder says so, and the folder in force has no problem`() async throws {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings.replacing("path: one", with: "path: three"), "gloss.yaml")
            try write(Self.broken, "three/recipe.md")
            let refusal = await #expect(throws: Problem.self) { try await instance.reloader.reload() }
            #expect(refusal?.detail?.contains("/three/recipe.md:10:3: error [") == true, "\(refusal?.detail ?? "")")
            let loaded = await instance.reloader.dictionaries
            #expect(loaded.map(\.dictionary.options.path) == [instance.folder("one"), instance.folder("two")])
            #expect(loaded.map(\.problem) == [nil, nil])
        }
    }

    @Test func `each error of a refused reload is one line, whatever its file is called`() async throws {
        try await withReloader { instance, write in
            try write(Self.broken, "one/x\nerror: y\u{1B}[31m.md")
            let refusal = await #expect(throws: Problem.self) { try await instance.reloader.reload() }
            let lines = (refusal?.detail ?? "").split(separator: "\n")
            #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("/") && $0.contains(#"/one/x; error: y\u001b"#) })
        }
    }

    @Test func `a dictionary that goes is there until nothing is read by the settings of before any more`() async throws
    {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            let without = settings.split(separator: "\n").filter { !$0.contains("name: one") }
            try write(without.joined(separator: "\n"), "gloss.yaml")
            let reply = try await instance.reloader.reload()
            #expect(reply.changes == ["dictionary one is gone"])
            let names = { (dictionarySet: DictionarySet) in dictionarySet.dictionaries.map(\.options.name) }
            #expect(instance.recorder.meanwhile.map(names) == [["two", "one", "two"]], "those of now come first")
            #expect(instance.recorder.explained.map(names) == [["two"]])
        }
    }

    @Test func `nothing is put in force while the daemon stops`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try write(Self.good + "\n## tap\n\nTapped.\n", "one/recipe.md")
            instance.reloader.stop()
            await instance.look("one")
            let problem = await #expect(throws: Problem.self) { try await instance.reloader.reload() }
            #expect(problem?.status == 503)
            #expect(await instance.versions == before)
            #expect(instance.recorder.explained.isEmpty && instance.recorder.applied == 0)
            #expect(instance.scratch.log.lines.isEmpty)
        }
    }

    @Test(arguments: [
        ("store: {path: other.sqlite}", 409, "store"), ("store: {path: events.sqlite, size: 1}", 422, "unknown key"),
    ])
    func `a change that needs a restart is told from a mistake`(store: String, status: Int, says: String) async throws {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings.replacing("store: {path: events.sqlite}", with: store), "gloss.yaml")
            let problem = await #expect(throws: Problem.self) { try await instance.reloader.reload() }
            #expect(problem?.status == status)
            #expect(problem?.detail?.contains(says) == true)
            #expect(instance.recorder.applied == 0)
        }
    }

    @Test func `privacy can be changed by a reload`() async throws {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings + "\nprivacy: reveal\n", "gloss.yaml")
            let reply = try await instance.reloader.reload()
            #expect(reply.changes == ["privacy: reveal instead of protect"])
            #expect(instance.recorder.explained.map(\.privacy) == [.reveal])
            #expect(await instance.reloader.privacy == .reveal)
            #expect(instance.scratch.log.lines.contains { $0.hasPrefix("warning: privacy is set to reveal") })
        }
    }
}
