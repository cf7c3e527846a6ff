import API
import Foundation
import Model
import TestSupport
import Testing

@testable import Daemon
@testable import Journal
@testable import Store

struct StatusProblemTests {
    @Test func `what is not read of the journal is a problem, with what to do`() throws {
        var health = JournalHealth()
        health.problems = [
            .init(path: "/j/m/system.journal", reason: "permission denied"),
            .init(path: "/j/m/user.journal~", reason: "damaged"),
            .init(path: "/j", reason: "there are no journal files in it"),
        ]
        health.polling = "no watch is left"
        let progress = IntakeProgress(nil)
        progress.note(JournalCondition(health: health))
        let problems = StatusProblem.of(intake: progress.snapshot, dictionaries: [], sinks: [])
        #expect(
            problems.map(\.what) == [
                "Not read: /j/m/system.journal: permission denied", "Not read: /j/m/user.journal~: damaged",
                "Not read: /j: there are no journal files in it",
                "The journal is only polled, every 2 s: no watch is left",
            ])
        let hints = problems.compactMap(\.hint)
        let wanted = ["journalctl --verify", "journalctl --verify", "journal.directory", "fs.inotify"]
        #expect(hints.count == 4 && zip(hints, wanted).allSatisfy { $0.contains($1) }, "\(hints)")
    }

    @Test func `definitions with errors are a problem that says how many are not in force`() {
        func problem(
            version: String = "0123456789abcdef", broken: Int, leftOut: [ExactString] = []
        ) -> String? {
            var dictionary = EventDictionary(
                options: DictionaryOptions(name: "shop", path: "definitions"), version: version, common: [],
                categories: [])
            for number in 0..<broken { dictionary.broken[EventKey(category: "a", name: "\(number)")] = "a.md:3" }
            dictionary.filesLeftOut = leftOut
            let loaded = LoadedDictionary(dictionary: dictionary, loadedAtMicroseconds: 0, problem: "a.md:3: error")
            let progress = IntakeProgress(nil)
            return StatusProblem.of(intake: progress.snapshot, dictionaries: [loaded], sinks: []).first?.what
        }
        #expect(
            problem(broken: 0)
                == "Dictionary shop has errors; what they concern stays in force as it was: a.md:3: error")
        #expect(problem(broken: 1) == "Dictionary shop has errors; 1 definition is not in force: a.md:3: error")
        #expect(problem(broken: 2) == "Dictionary shop has errors; 2 definitions are not in force: a.md:3: error")
        #expect(
            problem(broken: 0, leftOut: ["acct.md"])
                == "Dictionary shop has errors; what they concern in acct.md is not in force: a.md:3: error")
        #expect(
            problem(broken: 2, leftOut: ["acct.md", "types/\n.md"])
                == "Dictionary shop has errors; 2 definitions are not in force, nor is what they concern in 2 files: "
                + "a.md:3: error")
        #expect(problem(version: "", broken: 0) == "Dictionary shop is not loaded: a.md:3: error")
    }

    @Test(arguments: [
        (StoreError(kind: .full, description: "full"), "store.full"),
        (StoreError(kind: .full, description: "full", isOfDisk: true), "store.disk-full"),
        (StoreError(kind: .disk, description: "the disk cannot be written"), "store.failed"),
    ])
    func `why reading is paused has a code of its own`(paused: StoreError, code: String) async throws {
        try await withTemporaryFolder { folder in
            let store = try await EventStore(
                StoreOptions(
                    path: folder.appending(path: "events.sqlite").path, maximumBytes: 64 << 20, maximumAge: nil,
                    whenFull: .pause))
            #expect(StatusProblem.of(store: store, paused: paused).map(\.code) == [code])
            await store.close()
        }
    }

    private func sink(_ state: SinkStatus.State, retryingFor time: Duration? = nil) -> SinkActivity {
        SinkActivity(
            name: "upstream", url: "https://logs.example.com/", state: state, lastError: "connection refused",
            retryingFor: time)
    }

    @Test func `a sink that is retrying is a problem from five minutes on`() throws {
        #expect(sink(.retrying, retryingFor: .seconds(299)).statusProblem == nil)
        let problem = try #require(sink(.retrying, retryingFor: .seconds(300)).statusProblem)
        #expect(problem.what == "Sink upstream has been retrying for 5 minutes: connection refused")
        #expect(problem.hint == Diagnostic.sinkRetrying.advice, "diagnostics advises the same")
        #expect(
            sink(.retrying, retryingFor: .seconds(7 * 86_400)).statusProblem?.what
                == "Sink upstream has been retrying for 168 hours: connection refused")
    }

    @Test func `a sink that waits for the store does not blame the upstream`() throws {
        #expect(sink(.paused, retryingFor: .seconds(299)).statusProblem == nil)
        let problem = try #require(sink(.paused, retryingFor: .seconds(300)).statusProblem)
        #expect(problem.what == "Sink upstream has been waiting for the store for 5 minutes")
    }

    @Test func `a held sink is a problem at once, and one that works or is switched off is none`() {
        #expect(sink(.held).statusProblem?.what == "Sink upstream is held: connection refused")
        #expect(sink(.ok).statusProblem == nil)
        #expect(sink(.disabled).statusProblem == nil)
    }
}
