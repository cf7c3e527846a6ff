import API
import Dictionaries
import Foundation
import Model
import Settings
import Store
import Synchronization
import TestSupport
import Testing

@testable import Daemon

/// Two dictionaries on real files; what is put in force is only recorded.
@Suite(.timeLimit(.minutes(1)))
struct ReloaderTests {
    /// Notes each step, in order.
    private final class Recorder: ReloadTarget {
        private struct Record {
            var steps: [String] = []
            var resolving: [DictionarySet] = []
            var reprocessing: [DictionarySet] = []
            var failsToReveal = false
            var onResolve: (@Sendable () async -> Void)?
            var onAnnouncement: (@Sendable () async -> Void)?
        }

        private struct Full: Error {}

        private let record = Mutex(Record())

        var steps: [String] { record.withLock { $0.steps } }
        /// What entries were resolved by, one after the other.
        var resolving: [DictionarySet] { record.withLock { $0.resolving } }
        /// What stored events were reprocessed by.
        var reprocessing: [DictionarySet] { record.withLock { $0.reprocessing } }

        func failToReveal() { record.withLock { $0.failsToReveal = true } }
        /// Calls `body` each time before entries are resolved by something else.
        func onResolve(_ body: @escaping @Sendable () async -> Void) { record.withLock { $0.onResolve = body } }

        /// Calls `body` each time before it is noted that stored events will be reprocessed.
        func onAnnouncement(_ body: @escaping @Sendable () async -> Void) {
            record.withLock { $0.onAnnouncement = body }
        }

        private func note(_ step: String) { record.withLock { $0.steps.append(step) } }

        private func names(_ dictionaries: DictionarySet) -> String {
            dictionaries.dictionaries.map(\.options.name).joined(separator: " ")
        }

        func willReveal() async throws {
            note("will reveal")
            if record.withLock({ $0.failsToReveal }) { throw Full() }
        }

        func deliver(by dictionaries: DictionarySet) async { note("deliver by \(names(dictionaries))") }
        func deliver(to sinks: [SinkOptions]) async { note("deliver to \(sinks.count) sinks") }

        func alert(by settings: Settings) async { note("alert by \(settings.alerts.count) alerts") }

        func resolve(by dictionaries: DictionarySet) async {
            await record.withLock { $0.onResolve }?()
            note("resolve by \(names(dictionaries))")
            record.withLock { $0.resolving.append(dictionaries) }
        }

        func read(by settings: Settings) { note("read by \(settings.sources.count) sources") }
        func waitUntilResolved() async { note("wait until resolved") }

        func willReprocess() async {
            await record.withLock { $0.onAnnouncement }?()
            note("will reprocess")
        }

        func reprocess(by dictionaries: DictionarySet) async {
            note("reprocess by \(names(dictionaries))")
            record.withLock { $0.reprocessing.append(dictionaries) }
        }

        func watch(_ folders: [String]) { note("watch \(folders.count) folders") }
    }

    private static let sqlite = Tool("/usr/bin/sqlite3", package: "sqlite3")
    private static let good = "# recipe\n\nRecipes.\n\n## show\n\nShown.\n\n- item: !bigint\n"
    private static let broken = good + "- user-name: !string\n"

    private struct Instance {
        let reloader: Reloader
        let recorder = Recorder()
        let store: EventStore
        let archive: DictionaryArchive
        let log = LogRecord()
        private let root: URL

        init(_ root: URL) async throws {
            self.root = root
            let path = root.appending(path: "gloss.yaml").path
            var configuration = try Configuration(path: path)
            store = try await EventStore(configuration.settings.store)
            archive = DictionaryArchive(store: store, logger: log.logger)
            let dictionaries = await archive.begin(with: &configuration.dictionaries)
            reloader = Reloader(
                path: path, configuration: configuration, dictionaries: dictionaries,
                key: [UInt8](repeating: 7, count: 32), archive: archive, target: recorder, logger: log.logger)
        }

        func folder(_ name: String) -> String { root.path + "/\(name)" }

        func reload(_ names: String...) async { await reloader.reload(folders: Set(exact: names.map(folder))) }

        /// What needs a table fails while it has another name.
        func rename(_ table: String, to name: String) throws {
            try ReloaderTests.sqlite.run([store.options.path, "ALTER TABLE \(table) RENAME TO \(name)"])
        }

        var problems: [String?] { get async { await reloader.dictionaries.map(\.problem) } }
        var versions: [String] { get async { await reloader.dictionaries.map(\.dictionary.version) } }
    }

    private static func write(_ text: String, to path: String, in root: URL) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func withReloader(_ body: (Instance, (String, String) throws -> Void) async throws -> Void) async throws {
        try await withTemporaryFolder { root in
            try Self.write(
                """
                sources: [{subsystem: "com.example.*"}]
                dictionaries:
                  - {name: one, path: one, subsystem: "com.example.one"}
                  - {name: two, path: two, subsystem: "com.example.two"}
                store: {path: events.sqlite}
                """, to: "gloss.yaml", in: root)
            for name in ["one", "two"] { try Self.write(Self.good, to: "\(name)/recipe.md", in: root) }
            let instance = try await Instance(root)
            try await body(instance) { try Self.write($0, to: $1, in: root) }
            // SQLite must not remove its files while the folder is removed: some of it would stay.
            await instance.store.close()
        }
    }

    @Test func `a changed file puts its dictionary in force, and keeps its version`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try write(Self.good + "\n## tap\n\nTapped.\n", "one/recipe.md")
            await instance.reload("one")
            let after = await instance.versions
            #expect(after[0] != before[0])
            #expect(after[1] == before[1])
            #expect(instance.recorder.reprocessing.map { $0.dictionaries.map(\.version) } == [after])
            #expect(!instance.recorder.steps.contains { $0.hasPrefix("read by") })
            let kept = try await instance.store.versions(ofDictionary: "one").map(\.version)
            #expect(kept == [after[0], before[0]])
            let files = try await instance.store.files(ofDictionary: "one", version: after[0])
            #expect(files?.map(\.name) == ["recipe.md"])
        }
    }

    @Test func `files that are what they were change nothing`() async throws {
        try await withReloader { instance, write in
            try write(Self.good, "one/recipe.md")
            await instance.reload("one", "two")
            #expect(instance.recorder.reprocessing.isEmpty)
            #expect(instance.log.lines.isEmpty)
        }
    }

    @Test func `a broken edit keeps the last good one, says where, and does not affect the other`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try write(Self.broken, "one/recipe.md")
            try write(Self.good + "\n## tap\n\nTapped.\n", "two/recipe.md")
            await instance.reload("one", "two")
            let after = await instance.versions
            #expect(after[0] == before[0])
            #expect(after[1] != before[1])
            let loaded = await instance.reloader.dictionaries
            #expect(loaded[0].problem?.contains("/one/recipe.md:10:3: error [") == true, "\(loaded[0].problem ?? "")")
            #expect(loaded[0].problems.contains { $0.line == 10 && $0.severity == .error })
            #expect(loaded[1].problem == nil)
        }
    }

    @Test func `the same fault is logged once, and that it is fixed as well`() async throws {
        try await withReloader { instance, write in
            for _ in 0..<2 {
                try write(Self.broken, "one/recipe.md")
                await instance.reload("one")
            }
            // Another content with the same fault.
            try write(Self.broken + "\n", "one/recipe.md")
            await instance.reload("one")
            let errors = instance.log.lines.filter { $0.hasPrefix("error: ") }
            #expect(errors.count == 1)
            #expect(
                errors.first?.hasPrefix(
                    "error: Dictionary one: what its errors concern stays as it was, or is not in force: ") == true)
            try write(Self.good, "one/recipe.md")
            await instance.reload("one")
            #expect(instance.log.lines.last == "notice: Dictionary one is fixed.")
            #expect(await instance.problems == [nil, nil])
            #expect(instance.recorder.reprocessing.isEmpty, "its content is what is in force already")
        }
    }

    @Test func `a folder that is gone is a problem, not an empty dictionary`() async throws {
        try await withReloader { instance, _ in
            let before = await instance.versions
            try FileManager.default.removeItem(atPath: instance.folder("one"))
            await instance.reload("one")
            #expect(await instance.versions == before)
            let problem = await instance.problems[0]
            #expect(problem?.contains("the folder cannot be read: No such file") == true, "\(problem ?? "")")
        }
    }

    private static let mail = "- mail: !string?\n    - privacy: private\n"

    @Test func `a file that is away for a moment takes no protection with it`() async throws {
        try await withReloader { instance, write in
            try write("# user\n\nUsers.\n\n## join\n\nJoined.\n\n" + Self.mail, "one/user.md")
            await instance.reload("one")
            try FileManager.default.removeItem(atPath: instance.folder("one/user.md"))
            await instance.reload("one")
            #expect(
                instance.recorder.reprocessing.map { $0.dictionaries[0].protectedNames } == [
                    ["mail": .private], ["mail": .private],
                ])
            let kept = try await instance.store.protectedNames(ofDictionary: "one")
            #expect(kept == ["mail": .private])
            _ = try await instance.reloader.reload()
            #expect(instance.recorder.reprocessing.last?.dictionaries[0].protectedNames == ["mail": .private])
            #expect(instance.log.lines.contains { $0.contains("Dictionary one still protects") })
        }
    }

    @Test func `what a broken edit calls private is hidden at once, and only while it is broken`() async throws {
        try await withReloader { instance, write in
            try write(Self.broken + Self.mail, "one/recipe.md")
            await instance.reload("one")
            let reprocessing = instance.recorder.reprocessing
            #expect(reprocessing.map { $0.dictionaries[0].protectedNames["mail"] } == [.private])
            #expect(await instance.problems[0] != nil)
            // While the rest of an edit with errors is in force, it protects as well.
            let more = "\n## tap\n\nTapped.\n"
            try write(Self.broken + Self.mail + more, "one/recipe.md")
            await instance.reload("one")
            let withMore = instance.recorder.reprocessing.last?.dictionaries[0]
            #expect(withMore?.protectedNames["mail"] == .private)
            #expect(withMore?.categories[0].definitions.count == 2)
            try write(Self.good + more, "one/recipe.md")
            await instance.reload("one")
            #expect(instance.recorder.reprocessing.last?.dictionaries[0].protectedNames == [:])
            #expect(instance.recorder.reprocessing.count == 3)
        }
    }

    @Test func `an error keeps only its definition as it was: other edits of the same file are in force`() async throws
    {
        try await withReloader { instance, write in
            let more = "\n## tap\n\nTapped.\n\n## swipe\n\n- x: !nothing\n"
            try write(Self.broken + more, "one/recipe.md")
            await instance.reload("one")
            let loaded = await instance.reloader.dictionaries[0]
            #expect(loaded.dictionary.categories[0].definitions.map(\.key.name) == ["show", "tap"])
            #expect(loaded.dictionary.broken.mapValues(\.text) == [EventKey(path: "recipe/swipe"): "recipe.md:18"])
            #expect(loaded.problems.count { $0.severity == .error } == 2)
            #expect(instance.recorder.reprocessing.map { $0.dictionaries[0].version } == [loaded.dictionary.version])
            // The same with the error elsewhere: only the place that events show is another.
            try write(Self.broken + more.replacing("- x", with: "Swiped.\n\n- x"), "one/recipe.md")
            await instance.reload("one")
            #expect(
                instance.recorder.reprocessing.last?.dictionaries[0].broken.values.map(\.text) == ["recipe.md:20"])
        }
    }

    @Test(.enabled(if: sqlite.reasonToSkip == nil, "\(sqlite.reasonToSkip ?? "")"))
    func `while the last version cannot be read, it stays in force, and afterwards all other edits are`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try instance.rename("dictionary_versions", to: "unreadable")
            try write(Self.broken + "\n## tap\n\nTapped.\n", "one/recipe.md")
            try write(Self.broken, "two/recipe.md")
            await instance.reload("one", "two")
            // What is in force already needs no version.
            try write(Self.good, "two/recipe.md")
            await instance.reload("two")
            for _ in 0..<2 { await instance.reloader.tryVersionsAgain() }
            #expect(await instance.versions == before)
            #expect(await instance.problems.map { $0 == nil } == [false, true])
            #expect(instance.archive.problems.map(\.subject) == ["one", "two"])
            #expect(instance.log.lines.count { $0.contains("The last good version of dictionary one cannot be") } == 1)
            try instance.rename("unreadable", to: "dictionary_versions")
            for _ in 0..<2 { await instance.reloader.tryVersionsAgain() }
            let loaded = await instance.reloader.dictionaries[0]
            #expect(loaded.dictionary.categories[0].definitions.map(\.key.name) == ["show", "tap"])
            #expect(loaded.problem != nil && instance.archive.problems == [])
            #expect(instance.recorder.reprocessing.map { $0.dictionaries[0].version } == [loaded.dictionary.version])
        }
    }

    @Test(.enabled(if: sqlite.reasonToSkip == nil, "\(sqlite.reasonToSkip ?? "")"))
    func `a dictionary that is gone defines nothing, also if its last version is kept later`() async throws {
        try await withReloader { instance, write in
            try instance.rename("protected_names", to: "unreadable")
            try write(Self.good + "\n## tap\n\nTapped.\n", "one/recipe.md")
            await instance.reload("one")
            let version = await instance.versions[0]
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            let without = settings.split(separator: "\n").filter { !$0.contains("name: one") }
            try write(without.joined(separator: "\n"), "gloss.yaml")
            _ = try await instance.reloader.reload()
            try instance.rename("unreadable", to: "protected_names")
            await instance.reloader.tryVersionsAgain()
            #expect(try await instance.store.versions(ofDictionary: "one").first?.version == version)
            #expect(try await instance.store.watchedSince(dictionary: "one").isEmpty)
            #expect(instance.archive.problems == [])
        }
    }

    @Test func `a reload applies everything but the definitions with errors, and lists these`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try write(Self.broken + "\n## tap\n\nTapped.\n", "one/recipe.md")
            try write(Self.good + "\n## tap\n\nTapped.\n", "two/recipe.md")
            let reply = try await instance.reloader.reload()
            #expect(reply.errors.count == 1)
            #expect(reply.errors.first?.contains("/one/recipe.md:10:3: error [half-read-name]") == true)
            #expect(reply.changes.count == 2)
            let after = await instance.versions
            #expect(after[0] != before[0] && after[1] != before[1])
            #expect(reply.dictionaries.map(\.version) == after)
            #expect(reply.dictionaries.map(\.definitions) == [2, 2])
            #expect(await instance.problems.map { $0 == nil } == [false, true])
            #expect(instance.log.lines.count { $0.hasPrefix("error: Dictionary one: ") } == 1)
            try write(Self.good + "\n## tap\n\nTapped.\n", "one/recipe.md")
            #expect(try await instance.reloader.reload().errors == [])
            #expect(instance.log.lines.contains("notice: Dictionary one is fixed."))
        }
    }

    @Test func `a reload that names a folder that cannot be read is refused, and the folder in force has no problem`()
        async throws
    {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings.replacing("path: one", with: "path: three"), "gloss.yaml")
            let refusal = await #expect(throws: Problem.self) { try await instance.reloader.reload() }
            #expect(refusal?.status == 422)
            #expect(
                refusal?.detail?.contains("/three:1:1: error [unreadable-file]: ") == true, "\(refusal?.detail ?? "")")
            let loaded = await instance.reloader.dictionaries
            #expect(loaded.map(\.dictionary.options.path) == [instance.folder("one"), instance.folder("two")])
            #expect(loaded.map(\.problem) == [nil, nil])
            let problems = await instance.reloader.problems
            #expect(problems.map(\.code) == ["settings.refused"])
            #expect(problems.first?.what.contains("/three:1:1: error [unreadable-file]: ") == true)
            try write(settings, "gloss.yaml")
            _ = try await instance.reloader.reload()
            #expect(await instance.reloader.problems == [])
        }
    }

    @Test func `a reload that names a folder with an error has the rest of it in force`() async throws {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings.replacing("path: one", with: "path: three"), "gloss.yaml")
            try write(Self.broken, "three/recipe.md")
            try write("# search\n\nSearch.\n\n## run\n\nIt ran.\n", "three/search.md")
            let reply = try await instance.reloader.reload()
            #expect(reply.errors.first?.contains("/three/recipe.md:10:3: error [") == true, "\(reply.errors)")
            let loaded = await instance.reloader.dictionaries
            #expect(loaded.map(\.dictionary.options.path) == [instance.folder("three"), instance.folder("two")])
            #expect(loaded[0].dictionary.categories.map(\.name) == ["recipe", "search"])
            #expect(loaded[0].problem != nil)
        }
    }

    @Test func `each error of a reload is one line, whatever its file is called`() async throws {
        try await withReloader { instance, write in
            try write(Self.broken, "one/x\nerror: y\u{1B}[31m.md")
            let lines = try await instance.reloader.reload().errors
            #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("/") && $0.contains(#"/one/x; error: y\u001b"#) })
            #expect(lines.allSatisfy { !$0.contains("\n") })
        }
    }

    /// A tail that asked by the previous ones would miss what is resolved by the new ones.
    @Test(arguments: [true, false])
    func `what is in force is replaced, and counted, before anything is resolved by it`(
        isRequested: Bool
    ) async throws {
        try await withReloader { instance, write in
            let (reloader, versions) = (instance.reloader, await instance.versions)
            let found = Mutex<[(replacements: Int, isNew: Bool)]>([])
            instance.recorder.onResolve {
                let isNew = await reloader.dictionaries.map(\.dictionary.version) != versions
                found.withLock { $0.append((reloader.replacements, isNew)) }
            }
            let before = reloader.replacements
            try write(Self.good + "- count: !smallint\n", "one/recipe.md")
            if isRequested { _ = try await reloader.reload() } else { await instance.reload("one") }
            let steps = found.withLock { $0 }
            #expect(steps.count == (isRequested ? 2 : 1))
            #expect(steps.allSatisfy { $0.isNew && $0.replacements > before })
            #expect(steps.last?.replacements == reloader.replacements)
        }
    }

    /// If glossd ended in between, stored events would name a version that nobody knows.
    @Test(arguments: [true, false])
    func `a version is kept before anything is resolved by it`(isRequested: Bool) async throws {
        try await withReloader { instance, write in
            let (store, versions) = (instance.store, await instance.versions)
            let found = Mutex<[Bool]>([])
            instance.recorder.onResolve {
                let kept = try? await store.versions(ofDictionary: "one").map(\.version)
                found.withLock { $0.append(kept?.count == 2 && kept?.last == versions[0]) }
            }
            try write(Self.good + "- count: !smallint\n", "one/recipe.md")
            if isRequested { _ = try await instance.reloader.reload() } else { await instance.reload("one") }
            #expect(found.withLock { $0 } == (isRequested ? [true, true] : [true]))
        }
    }

    /// Who waits until stored events are as the definitions say would not wait otherwise.
    @Test(arguments: [true, false])
    func `that events will be reprocessed is said before other definitions are in force`(
        isRequested: Bool
    ) async throws {
        try await withReloader { instance, write in
            let (reloader, versions) = (instance.reloader, await instance.versions)
            let found = Mutex<[Bool]>([])
            instance.recorder.onAnnouncement {
                let isOld = await reloader.dictionaries.map(\.dictionary.version) == versions
                found.withLock { $0.append(isOld) }
            }
            try write(Self.good + "- count: !smallint\n", "one/recipe.md")
            if isRequested { _ = try await reloader.reload() } else { await instance.reload("one") }
            #expect(found.withLock { $0 } == [true])
            #expect(await instance.versions != versions)
        }
    }

    @Test func `a dictionary that goes is in force until nothing is read by the previous settings any more`()
        async throws
    {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            let without = settings.split(separator: "\n").filter { !$0.contains("name: one") }
            try write(without.joined(separator: "\n"), "gloss.yaml")
            let reply = try await instance.reloader.reload()
            #expect(reply.changes == ["dictionary one is gone"])
            #expect(
                instance.recorder.steps == [
                    "deliver by two", "deliver to 0 sinks", "alert by 0 alerts", "will reprocess",
                    "resolve by two one two", "read by 1 sources", "wait until resolved",
                    "resolve by two", "deliver by two", "reprocess by two", "watch 1 folders",
                ])
        }
    }

    @Test func `private values are revealed only once that is remembered, and hidden before anything else`()
        async throws
    {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings + "\nprivacy: reveal\n", "gloss.yaml")
            _ = try await instance.reloader.reload()
            #expect(instance.recorder.steps.first == "will reveal")
            #expect(instance.recorder.resolving.map(\.privacy) == [.reveal, .reveal])
            let count = instance.recorder.steps.count
            try write(settings, "gloss.yaml")
            _ = try await instance.reloader.reload()
            #expect(instance.recorder.steps[count] == "deliver by one two", "sinks get no private value from here on")
            #expect(instance.recorder.resolving.map(\.privacy).suffix(2) == [.protect, .protect])
            #expect(instance.recorder.reprocessing.map(\.privacy) == [.reveal, .protect])
        }
    }

    @Test func `what cannot be remembered is not revealed`() async throws {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings + "\nprivacy: reveal\n", "gloss.yaml")
            instance.recorder.failToReveal()
            await #expect(throws: (any Error).self) { try await instance.reloader.reload() }
            #expect(instance.recorder.steps == ["will reveal"])
            #expect(await instance.reloader.privacy == .protect)
        }
    }

    @Test func `a single dictionary is in force for entries and sinks before stored events are reprocessed`()
        async throws
    {
        try await withReloader { instance, write in
            try write(Self.good + "\n## tap\n\nTapped.\n", "one/recipe.md")
            await instance.reload("one")
            #expect(
                instance.recorder.steps == [
                    "will reprocess", "resolve by one two", "deliver by one two", "reprocess by one two",
                ])
        }
    }

    @Test func `nothing is put in force while the daemon stops`() async throws {
        try await withReloader { instance, write in
            let before = await instance.versions
            try write(Self.good + "\n## tap\n\nTapped.\n", "one/recipe.md")
            instance.reloader.stop()
            await instance.reload("one")
            let problem = await #expect(throws: Problem.self) { try await instance.reloader.reload() }
            #expect(problem?.status == 503)
            #expect(await instance.versions == before)
            #expect(instance.recorder.reprocessing.isEmpty)
            #expect(instance.log.lines.isEmpty)
        }
    }

    @Test(arguments: [
        ("store: {path: other.sqlite}", 409, "store"),
        ("store: {path: events.sqlite, max_size: 64MiB}", 409, "gloss.yaml: store; restart glossd"),
        ("store: {path: events.sqlite, size: 1}", 422, "unknown key"),
    ])
    func `a change that needs a restart is not reported as a mistake`(store: String, status: Int, says: String)
        async throws
    {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings.replacing("store: {path: events.sqlite}", with: store), "gloss.yaml")
            let problem = await #expect(throws: Problem.self) { try await instance.reloader.reload() }
            #expect(problem?.status == status)
            #expect(problem?.detail?.contains(says) == true)
            let hint = await instance.reloader.problems.first?.hint
            #expect(hint?.hasPrefix("If it says that a restart is needed, restart the unit.") == true)
            #expect(!instance.recorder.steps.contains { $0.hasPrefix("read by") })
        }
    }

    @Test func `privacy can be changed by a reload`() async throws {
        try await withReloader { instance, write in
            let settings = try String(contentsOfFile: instance.folder("gloss.yaml"), encoding: .utf8)
            try write(settings + "\nprivacy: reveal\n", "gloss.yaml")
            let reply = try await instance.reloader.reload()
            #expect(reply.changes == ["privacy: reveal instead of protect"])
            #expect(instance.recorder.reprocessing.map(\.privacy) == [.reveal])
            #expect(await instance.reloader.privacy == .reveal)
            #expect(instance.log.lines.contains { $0.hasPrefix("warning: privacy is set to reveal") })
        }
    }
}
