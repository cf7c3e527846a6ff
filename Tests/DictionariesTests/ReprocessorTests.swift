import API
import Definitions
import Foundation
import GRDB
import Model
import Resolve
import TestSupport
import Testing

@testable import Dictionaries
@testable import Store

/// Over a real store.
@Suite(.timeLimit(.minutes(1)))
struct ReprocessorTests {
    private let show = "## show\n\nShown.\n\n- item: !bigint\n"
    private let tap = "\n## tap\n\nTapped.\n\n- item: !bigint\n"

    private func payload(_ name: String, _ members: String) -> String {
        #"{"event_category":"recipe","event_name":"\#(name)",\#(members)}"#
    }

    @Test func `what was undefined is resolved or violating once its definition is there`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save(
                [
                    payload("show", #""item":1"#), payload("tap", #""item":18446744073709551617"#),
                    payload("tap", #""item":2"#), payload("tip", #""item":2"#), "plain",
                ], with: before)
            let now = try await scratch.dictionary(show + tap)
            let again = scratch.reprocessor(with: scratch.dictionarySet(now))
            #expect(await again.reprocess())
            let events = try await scratch.events()
            #expect(events.map(\.resolution) == [.resolved, .violating, .resolved, .undefined, .plain])
            #expect(events.map(\.kind.definitionsVersion) == [before, now, now, before, before].map(\.version))
            #expect(events[1].findings?.violations.map(\.rule) == [.range])
            #expect(events[1].text.contains("18446744073709551617"), "a number is kept to the digit")
            #expect(scratch.log.lines == ["notice: Reprocessed 2 stored events: 1 resolved, 1 violating"])
            #expect(await again.reprocess())
            #expect(scratch.log.lines.count == 1, "there is nothing left")
        }
    }

    @Test func `a violating event is resolved once its definition allows it, others stay untouched`() async throws {
        try await ScratchStore.with { scratch in
            let tap = tap.replacing("item", with: "place")
            let before = try await scratch.dictionary(show + tap)
            try await scratch.save(
                [payload("show", #""item":"a""#), payload("tap", #""place":"a""#)], with: before)
            let now = try await scratch.dictionary(show.replacing("!bigint", with: "!string") + tap)
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(now)).reprocess())
            let events = try await scratch.events()
            #expect(events.map(\.resolution) == [.resolved, .violating])
            #expect(events.map(\.kind.definitionsVersion) == [now.version, before.version])
            #expect(events[0].findings == nil)
        }
    }

    @Test func `what was wrong by a dictionary that is gone is only undefined`() async throws {
        try await ScratchStore.with { scratch in
            var before = try await scratch.dictionary(show)
            let tap = EventKey(category: "recipe", name: "tap")
            (before.broken, before.sentKeysOfBroken) = ([tap: "recipe.md:10"], [tap: tap])
            try await scratch.save(
                [payload("show", #""item":"a""#), payload("tap", #""item":1"#), payload("show", #""item":1"#)],
                with: before)
            #expect(try await scratch.events().map(\.resolution) == [.violating, .undefined, .resolved])
            #expect(try await scratch.events()[1].findings?.reason != nil)
            #expect(await scratch.reprocessor(with: scratch.dictionarySet()).reprocess())
            let events = try await scratch.events()
            #expect(events.map(\.resolution) == [.undefined, .undefined, .resolved])
            #expect(events.map(\.kind.dictionary) == [nil, nil, "shop"])
            #expect(events.prefix(2).allSatisfy { $0.findings == nil })
        }
    }

    @Test func `what was found out about a hidden value goes with its dictionary`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show + "    - privacy: private\n")
            try await scratch.save([payload("show", #""item":"a""#)], with: before)
            #expect(try await scratch.events().map(\.resolution) == [.violating])
            let again = scratch.reprocessor(with: scratch.dictionarySet())
            for _ in 1...2 { #expect(await again.reprocess()) }
            let event = try await scratch.events()[0]
            #expect(event.resolution == .undefined && event.kind.dictionary == nil && event.findings == nil)
            #expect(event.text == payload("show", #""item":"<private>""#))
            #expect(scratch.log.lines == ["notice: Reprocessed 1 stored event: 1 undefined"], "nothing is left")
        }
    }

    @Test func `many events are resolved in steps, and all of them`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save(
                (0..<1500).map { payload($0 % 3 == 0 ? "show" : "tap", "\"item\":\($0)") }, with: before)
            let now = try await scratch.dictionary(show + tap)
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(now)).reprocess())
            let events = try await scratch.events()
            #expect(events.count == 1500)
            #expect(events.allSatisfy { $0.resolution == .resolved })
            #expect(scratch.log.lines == ["notice: Reprocessed 1000 stored events: 1000 resolved"])
            #expect(try await scratch.store.statistics().reprocessed == 1000)
        }
    }

    @Test func `a newer change in the middle ends it, and what is left is done afterwards`() async throws {
        // On a busy machine the change may come behind the end.
        for _ in 0..<20 where try await isDoneByNewerChange() { return }
        Issue.record("a change never came in the middle")
    }

    /// - Returns: whether the newer change came in the middle.
    private func isDoneByNewerChange() async throws -> Bool {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save((0..<1500).map { payload("tap", "\"item\":\($0)") }, with: before)
            let now = try await scratch.dictionary(show + tap)
            let newest = try await scratch.dictionary(show + tap + "- place: !string?\n")
            let again = scratch.reprocessor(with: scratch.dictionarySet(now))
            async let first = again.reprocess()
            await again.use(scratch.dictionarySet(newest))
            #expect(await first)
            #expect(await again.reprocess())
            let events = try await scratch.events()
            #expect(events.count == 1500 && events.allSatisfy { $0.resolution == .resolved })
            return events.contains { $0.kind.definitionsVersion == newest.version }
        }
    }

    @Test func `a value that has become private is replaced wherever its name stands`() async throws {
        try await ScratchStore.with { scratch in
            let text = "## show\n\nShown.\n\n- item: !bigint\n- mail: !string?\n"
            let before = try await scratch.dictionary(text)
            try await scratch.save(
                [
                    payload("show", #""item":1,"mail":"secret@example.com""#),
                    payload("show", #""item":2"#),
                    payload("show", #""item":"x","mail":"secret@example.com""#),
                    payload("other", #""mail":"secret@example.com""#),
                    #"{"mail":"secret@example.com"}"#,
                    #"{"mail":"secret@example.com","#,
                ], with: before)
            let now = try await scratch.dictionary(text + "    - privacy: private\n")
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(now)).reprocess())
            let events = try await scratch.events()
            #expect(
                events.map(\.resolution) == [.resolved, .resolved, .violating, .undefined, .unkeyed, .malformed])
            #expect(events.allSatisfy { !$0.text.contains("secret") }, "\(events.map(\.text))")
            #expect(events[0].text == payload("show", #""item":1,"mail":"<private>""#))
            #expect(events[1].text == payload("show", #""item":2"#))
            #expect(events[5].findings?.reason?.isEmpty == false)
        }
    }

    @Test func `a value that has become private is replaced also where its definition lets no parameter have the name`()
        async throws
    {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save(
                [payload("show", #""item":{"mail":"secret@example.com"},"item":1"#)], with: before)
            #expect(try await scratch.events().map(\.resolution) == [.resolved])
            let now = try await scratch.dictionary(
                show + "\n## join\n\nJoined.\n\n- mail: !string\n    - privacy: private\n")
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(now)).reprocess())
            let event = try #require(try await scratch.events().first)
            #expect(event.resolution == .resolved && event.kind.definitionsVersion == now.version)
            #expect(!event.text.contains("secret"), "\(event.text)")
        }
    }

    @Test func `a hash does not stay where a value has become private`() async throws {
        try await ScratchStore.with { scratch in
            let text = show + "    - privacy: hash\n"
            let before = try await scratch.dictionary(text)
            try await scratch.save([payload("show", #""item":4711"#), payload("tap", #""item":4711"#)], with: before)
            #expect(try await scratch.events().allSatisfy { $0.text.contains("<hash:") })
            let now = try await scratch.dictionary(text.replacing("hash", with: "private"))
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(now)).reprocess())
            #expect(
                try await scratch.events().map(\.text) == [
                    payload("show", #""item":"<private>""#), payload("tap", #""item":"<private>""#),
                ])
        }
    }

    @Test func `what was found out about a hidden value outlives a definition that is away for a moment`() async throws
    {
        try await ScratchStore.with { scratch in
            let text = show + "\n## join\n\nJoined.\n\n- mail: !string\n    - privacy: private\n"
            let before = try await scratch.dictionary(text)
            try await scratch.save([payload("join", #""mail":7"#)], with: before)
            let first = try await scratch.events()
            #expect(first.map(\.resolution) == [.violating])
            for text in [show, text, show + tap, text] {
                let now = try await scratch.dictionary(text)
                #expect(await scratch.reprocessor(with: scratch.dictionarySet(now)).reprocess())
                let events = try await scratch.events()
                #expect(events.map(\.resolution) == [.violating])
                #expect(events[0].findings == first[0].findings)
            }
            let fixed = try await scratch.dictionary(text.replacing("!string", with: "!bigint"))
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(fixed)).reprocess())
            #expect(try await scratch.events().map(\.resolution) == [.resolved])
        }
    }

    @Test func `in reveal nothing is replaced`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save([payload("show", #""item":1"#)], with: before)
            let now = try await scratch.dictionary(show + "    - privacy: hash\n")
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(now, privacy: .reveal)).reprocess())
            #expect(try await scratch.events().map(\.text) == [payload("show", #""item":1"#)])
        }
    }

    @Test func `what was stored in reveal is protected once that is over, and never again`() async throws {
        try await ScratchStore.with { scratch in
            let dictionary = try await scratch.dictionary(show + "    - privacy: hash\n")
            try await scratch.store.noteRevealed()
            try await scratch.save(
                [payload("show", #""item":4711"#), payload("tap", #""item":4711"#), payload("tap", #""other":1"#)],
                with: dictionary, .reveal)
            #expect(try await scratch.events().prefix(2).allSatisfy { $0.text.contains("4711") })
            let again = scratch.reprocessor(with: scratch.dictionarySet(dictionary))
            let service = Task { try await again.run() }
            while try await scratch.store.firstRevealed() != nil { try await Task.sleep(for: .milliseconds(10)) }
            service.cancel()
            try await service.value
            let texts = try await scratch.events().prefix(2).map(\.text)
            #expect(texts.allSatisfy { !$0.contains("4711") && $0.contains("<hash:") }, "\(texts)")
            let logged = scratch.log.lines.filter { $0.contains("Reprocessed ") }
            #expect(
                logged == ["notice: Reprocessed 2 stored events: 1 resolved, 1 undefined"], "the third is as it was")
            #expect(scratch.log.lines.last?.contains("is protected now") == true)
        }
    }

    @Test
    func `what was stored in reveal is not called protected while its dictionary is gone, and is when it is back`()
        async throws
    {
        try await ScratchStore.with { scratch in
            let dictionary = try await scratch.dictionary(show + "    - privacy: hash\n")
            try await scratch.store.noteRevealed()
            try await scratch.save([payload("show", #""item":4711"#)], with: dictionary, .reveal)
            let again = scratch.reprocessor(with: scratch.dictionarySet())
            let service = Task { try await again.run() }
            while scratch.log.lines.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            #expect(scratch.log.lines.first?.contains("events of dictionary shop") == true, "\(scratch.log.lines)")
            #expect(try await scratch.store.firstRevealed() == 1)
            await again.use(scratch.dictionarySet())
            await again.use(scratch.dictionarySet(dictionary))
            while try await scratch.store.firstRevealed() != nil { try await Task.sleep(for: .milliseconds(10)) }
            service.cancel()
            try await service.value
            #expect(try await scratch.events().allSatisfy { $0.text.contains("<hash:") })
            #expect(scratch.log.lines.count { $0.contains("events of dictionary shop") } == 1)
        }
    }

    @Test func `what was stored before reveal may have lost its dictionary, and all is protected`() async throws {
        try await ScratchStore.with { scratch in
            let dictionary = try await scratch.dictionary(show + "    - privacy: hash\n")
            try await scratch.save([payload("show", #""item":4711"#)], with: dictionary)
            for _ in 0..<2 { try await scratch.store.noteRevealed() }
            #expect(try await scratch.store.firstRevealed() == 2)
            try await scratch.store.noteRevealed(from: 3)
            let again = scratch.reprocessor(with: scratch.dictionarySet())
            let service = Task { try await again.run() }
            while try await scratch.store.firstRevealed() != nil { try await Task.sleep(for: .milliseconds(10)) }
            service.cancel()
            try await service.value
            #expect(scratch.log.lines.count == 1 && scratch.log.lines[0].contains("is protected now"))
            #expect(await again.problems == [])
        }
    }

    @Test func `what was stored in reveal is protected when a version comes back that calls it private`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show + "    - privacy: hash\n")
            try await scratch.store.noteRevealed()
            try await scratch.save([payload("show", #""item":4711"#)], with: before, .reveal)
            let open = try await scratch.dictionary(show)
            let again = scratch.reprocessor(with: scratch.dictionarySet(open))
            let service = Task { try await again.run() }
            while try await scratch.store.firstRevealed() != nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await scratch.events()[0].text.contains("4711"), "nothing calls it private")
            await again.use(scratch.dictionarySet(before))
            while try await scratch.events()[0].text.contains("4711") { try await Task.sleep(for: .milliseconds(10)) }
            service.cancel()
            try await service.value
        }
    }

    @Test func `what was resolved before a change and is saved long after it is found, and until then not forgotten`()
        async throws
    {
        try await ScratchStore.with { scratch in
            let dictionary = try await scratch.dictionary(show + "    - privacy: hash\n")
            let again = scratch.reprocessor(with: scratch.dictionarySet(dictionary, privacy: .reveal))
            try await again.willReveal()
            let service = Task { try await again.run() }
            scratch.batches.willRead()
            scratch.batches.didResolve()
            try await scratch.save([payload("show", #""item":4711"#)], with: dictionary, .reveal)
            await again.use(scratch.dictionarySet(dictionary))
            while try await scratch.events()[0].text.contains("4711") { try await Task.sleep(for: .milliseconds(10)) }
            // The first look is over, and the store has been full all the time.
            #expect(try await scratch.store.firstRevealed() == 1)
            try await scratch.save([payload("show", #""item":4712"#)], with: dictionary, .reveal)
            scratch.batches.didSave()
            while try await scratch.store.firstRevealed() != nil { try await Task.sleep(for: .milliseconds(10)) }
            service.cancel()
            try await service.value
            #expect(try await scratch.events().allSatisfy { $0.text.contains("<hash:") })
        }
    }

    @Test func `a malformed event gets no key, although it parses without its private values`() async throws {
        try await ScratchStore.with { scratch in
            let text = #"{"event_category":"recipe","event_name":"show","item":4711"#
            let before = try await scratch.dictionary(show)
            try await scratch.save([text], with: before)
            let stored = try await scratch.events()[0]
            // As if what was wrong with it had stood in a value that is gone.
            let rest = ReprocessedEvent(
                id: stored.id, resolution: .malformed, kind: stored.kind, findings: stored.findings,
                payload: Array(#"\#(text),"mail":"<private>"}"#.utf8))
            #expect(try await scratch.store.replace([rest]).values.reduce(0, +) == 1)
            let now = try await scratch.dictionary(show + "    - privacy: private\n")
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(now)).reprocess())
            let event = try await scratch.events()[0]
            #expect(event.kind.definitionsVersion == now.version)
            #expect(event.kind.key == nil)
            #expect(event.resolution == .malformed)
            #expect(!event.text.contains("4711"))
        }
    }

    @Test func `a line that journald split is still recognised`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save([payload("tap", #""item":1"#)], with: before, flaws: .split)
            let now = try await scratch.dictionary(show + tap)
            #expect(await scratch.reprocessor(with: scratch.dictionarySet(now)).reprocess())
            let event = try #require(try await scratch.events().first)
            #expect(event.resolution == .resolved)
            #expect(event.findings?.warnings.map(\.rule) == [.cut])
        }
    }

    @Test func `a store that cannot be read is reported once and tried again`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save([payload("tap", #""item":1"#)], with: before)
            let now = try await scratch.dictionary(show + tap)
            let secret = try await scratch.dictionary(show + "    - privacy: private\n")
            let again = scratch.reprocessor(with: scratch.dictionarySet(now))
            #expect(await again.problems == [])
            await scratch.store.close()
            #expect(await !again.reprocess())
            #expect(await !again.reprocess())
            #expect(await again.problems.map(\.code) == ["store.not-reprocessed"])
            #expect(scratch.log.lines.count == 1)
            #expect(scratch.log.lines[0].hasPrefix("error: Stored events could not be reprocessed: "))
            // The status shows it beside what is wrong with the store.
            await again.use(scratch.dictionarySet(secret))
            let problems = await again.problems
            #expect(problems.map(\.code) == ["privacy.not-protected"])
            #expect(problems.first?.what.contains("may still be readable in them: ") == true, "\(problems)")
        }
    }

    @Test(arguments: [
        "UPDATE block_data SET data = x'00'", "UPDATE blocks SET names = x'00'",
        "UPDATE block_data SET data = substr(data, 1, length(data) - 500) || zeroblob(500)",
    ])
    func `a damaged block is passed over, named, and tried again`(damage: String) async throws {
        try await ScratchStore.with { scratch in
            let text = show + "- mail: !string?\n"
            let before = try await scratch.dictionary(text)
            try await scratch.save(
                (0..<9000).map { payload("show", #""item":\#($0),"mail":"secret\#($0)@example.com""#) }, with: before)
            try await scratch.store.database.write { db in try db.execute(sql: "\(damage) WHERE first_id = 4097") }
            let now = try await scratch.dictionary(text + "    - privacy: private\n")
            let again = scratch.reprocessor(with: scratch.dictionarySet(now))
            for _ in 0..<2 { #expect(await again.reprocess()) }
            let healthy = try await scratch.events(before: 4097) + scratch.events(after: 8192)
            #expect(healthy.count == 9000 - 4096 && healthy.allSatisfy { $0.text.contains("<private>") })
            let problems = await again.problems
            #expect(problems.map(\.code) == ["privacy.not-protected"])
            #expect(problems.first?.what.contains("4097 to 8192") == true, "\(problems)")
            #expect(problems.first?.what.contains("may still be readable in it") == true, "\(problems)")
            #expect(scratch.log.lines.count { $0.contains("passed over") && $0.contains("4097 to 8192") } == 1)
            #expect(scratch.log.lines.count == 2, "\(scratch.log.lines)")
            // As when it has become too old.
            try await scratch.store.database.write { db in try PackedBlockTable.remove(4097, db) }
            #expect(await again.reprocess())
            #expect(await again.problems == [])
        }
    }

    @Test func `blocks are reprocessed while one of the newest events is damaged`() async throws {
        try await ScratchStore.with { scratch in
            let text = show + "- mail: !string?\n"
            let before = try await scratch.dictionary(text)
            try await scratch.save(
                (0..<5000).map { payload("show", #""item":\#($0),"mail":"secret\#($0)@example.com""#) }, with: before)
            try await scratch.store.database.write { db in
                try db.execute(sql: "UPDATE open_events SET pid = coalesce(pid, 0) + 1 WHERE id = 4500")
            }
            let now = try await scratch.dictionary(text + "    - privacy: private\n")
            let again = scratch.reprocessor(with: scratch.dictionarySet(now))
            for _ in 0..<2 { #expect(await again.reprocess()) }
            let packed = try await scratch.events(before: 4097)
            #expect(packed.count == 4096 && packed.allSatisfy { $0.text.contains("<private>") })
            let problems = await again.problems
            #expect(problems.map(\.code) == ["privacy.not-protected"])
            #expect(problems.first?.what.contains("may still be readable in it") == true, "\(problems)")
            #expect(problems.first?.what.contains("of the newest events is damaged") == true, "\(problems)")
            #expect(scratch.log.lines.count { $0.contains("passed over") } == 1)
        }
    }

    @Test func `a damaged block without values to protect is no problem of privacy`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save((0..<5000).map { payload("tap", "\"item\":\($0)") }, with: before)
            try await scratch.store.database.write { db in try db.execute(sql: "UPDATE block_data SET data = x'00'") }
            let again = scratch.reprocessor(with: scratch.dictionarySet(try await scratch.dictionary(show + tap)))
            #expect(await again.reprocess())
            #expect(await again.problems.map(\.code) == ["store.not-reprocessed"])
            #expect(try await scratch.events(after: 4096).allSatisfy { $0.resolution == .resolved })
        }
    }

    @Test func `what was stored in reveal is not called protected while a block of it is damaged`() async throws {
        try await ScratchStore.with { scratch in
            let dictionary = try await scratch.dictionary(show + "    - privacy: hash\n")
            try await scratch.store.noteRevealed()
            try await scratch.save((0..<5000).map { payload("show", "\"item\":\($0)") }, with: dictionary, .reveal)
            try await scratch.store.database.write { db in try db.execute(sql: "UPDATE block_data SET data = x'00'") }
            let again = scratch.reprocessor(with: scratch.dictionarySet(dictionary))
            let service = Task { try await again.run() }
            while await again.problems.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await scratch.store.firstRevealed() == 1)
            try await scratch.store.database.write { db in try PackedBlockTable.remove(1, db) }
            await again.use(scratch.dictionarySet(dictionary))
            while try await scratch.store.firstRevealed() != nil { try await Task.sleep(for: .milliseconds(10)) }
            service.cancel()
            try await service.value
            #expect(try await scratch.events(after: 4096).allSatisfy { $0.text.contains("<hash:") })
            #expect(await again.problems == [])
        }
    }

    @Test func `the progress is there from the start and from each change until nothing is left`() async throws {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save([payload("tap", #""item":1"#)], with: before)
            let again = scratch.reprocessor(with: scratch.dictionarySet(before))
            #expect(await again.progress == .init(done: 0, total: 0))
            let service = Task { try await again.run() }
            while await again.progress != nil { try await Task.sleep(for: .milliseconds(10)) }
            // A batch that earlier definitions have resolved is not saved yet.
            scratch.batches.didResolve()
            await again.use(scratch.dictionarySet(try await scratch.dictionary(show + tap)))
            #expect(await again.progress != nil)
            while try await scratch.events()[0].resolution != .resolved { try await Task.sleep(for: .milliseconds(10)) }
            try await Task.sleep(for: .milliseconds(100))
            #expect(await again.progress != nil)
            try await scratch.save([payload("tap", #""item":2"#)], with: before)
            scratch.batches.didSave()
            while await again.progress != nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await scratch.events().allSatisfy { $0.resolution == .resolved })
            service.cancel()
            try await service.value
        }
    }

    @Test func `the progress is there once a change is announced, and a pass before the change does not end it`()
        async throws
    {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save([payload("tap", #""item":1"#)], with: before)
            let now = scratch.dictionarySet(try await scratch.dictionary(show + tap))
            let again = scratch.reprocessor(with: now)
            await again.willChange()
            let service = Task { try await again.run() }
            while try await scratch.events()[0].resolution != .resolved { try await Task.sleep(for: .milliseconds(10)) }
            try await Task.sleep(for: .milliseconds(100))
            #expect(await again.progress != nil)
            await again.use(now)
            while await again.progress != nil { try await Task.sleep(for: .milliseconds(10)) }
            await again.willChange()
            #expect(await again.progress == .init(done: 0, total: 0))
            service.cancel()
            try await service.value
        }
    }

    @Test func `as a service it does what is left at the start and after each change, until it is cancelled`()
        async throws
    {
        try await ScratchStore.with { scratch in
            let before = try await scratch.dictionary(show)
            try await scratch.save([payload("tap", #""item":1"#), payload("tip", #""item":1"#)], with: before)
            let now = try await scratch.dictionary(show + tap)
            let again = scratch.reprocessor(with: scratch.dictionarySet(now))
            let service = Task { try await again.run() }
            while try await scratch.events()[0].resolution != .resolved { try await Task.sleep(for: .milliseconds(10)) }
            let newest = try await scratch.dictionary(show + tap + tap.replacing("tap", with: "tip"))
            await again.use(scratch.dictionarySet(newest))
            while try await scratch.events()[1].resolution != .resolved { try await Task.sleep(for: .milliseconds(10)) }
            service.cancel()
            try await service.value
        }
    }
}
