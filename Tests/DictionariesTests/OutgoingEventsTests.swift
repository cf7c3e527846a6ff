import Model
import TestSupport
import Testing

@testable import Dictionaries

struct OutgoingEventsTests {
    private static let text = #"{"event_category":"recipe","event_name":"show","item":4711}"#

    private func event() -> Event {
        Event(
            id: 1, origin: .sample(), level: .notice, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1, entryHash: 1, resolution: .resolved,
            kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil), findings: nil,
            payload: Array(Self.text.utf8))
    }

    @Test func `what is private goes by the dictionarySet of the moment`() async throws {
        try await ScratchStore.with { scratch in
            let show = "## show\n\nShown.\n\n- item: !bigint\n"
            let isPublic = try await scratch.dictionary(show)
            let isPrivate = try await scratch.dictionary(show + "    - privacy: private\n")
            let outgoing = OutgoingEvents(scratch.dictionarySet(isPublic))
            #expect(outgoing.redacted(event()).text == Self.text)
            outgoing.use(scratch.dictionarySet(isPrivate))
            #expect(outgoing.redacted(event()).text == Self.text.replacing("4711", with: "\"<private>\""))
            outgoing.use(scratch.dictionarySet(isPrivate, privacy: .reveal))
            #expect(outgoing.redacted(event()).text == Self.text)
        }
    }
}
