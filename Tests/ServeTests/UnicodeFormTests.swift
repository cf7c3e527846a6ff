import TestSupport
import API
import Model
import Store
import Testing

@testable import Serve

private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

/// Over the API, too, texts that are equal by Unicode and differ in bytes are two texts.
struct UnicodeFormTests {
    private static let dictionary = Sample.defining(
        [
            Sample.definition("a/\(composed)", "composed"),
            Sample.definition("a/\(decomposed)", "decomposed"),
            Sample.definition("b/\(composed)", "composed"),
        ],
        common: [
            Parameter(name: composed, type: .string(), role: .user),
            Parameter(name: "device", type: .string(), role: .device),
        ])

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `a definition is found by the bytes of its name`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            for (name, says) in [("caf%C3%A9", "composed"), ("cafe%CC%81", "decomposed")] {
                let reply = try await server.get("/v1/dictionaries/shop/definitions/a/\(name)")
                #expect(reply.status == 200)
                #expect(String(decoding: reply.body, as: UTF8.self).contains("\"\(says)\""))
            }
            #expect(try await server.get("/v1/dictionaries/shop/definitions/b/cafe%CC%81").status == 404)
            let page = try await server.get("/v1/dictionaries/shop/definitions?after=a/cafe%CC%81")
            #expect(page.status == 200)
            #expect(try await server.get("/v1/dictionaries/shop/definitions?after=b/cafe%CC%81").status == 422)
        }
    }

    @Test(arguments: [
        ("user=caf%C3%A9", ["event 1"]), ("user=cafe%CC%81", ["event 2"]), ("device=cafe%CC%81", ["event 4"]),
        ("where=cafe%CC%81=x", ["event 5"]), ("subsystem=caf%C3%A9", ["event 6"]),
        ("user=caf%C3%A9&user=cafe%CC%81", ["event 2", "event 1"]), ("where=who=%CC%81", ["event 7"]),
    ])
    func `users, devices, parameters and subsystems are asked for by bytes`(
        query: String, found: [String]
    ) async throws {
        let sent = [
            Sample.Sent("a/x", payload: #"{"\#(composed)":"\#(composed)"}"#),
            Sample.Sent("a/x", payload: #"{"\#(composed)":"\#(decomposed)"}"#),
            Sample.Sent("a/x", payload: #"{"device":"\#(composed)"}"#),
            Sample.Sent("a/x", payload: #"{"device":"\#(decomposed)"}"#),
            Sample.Sent("a/x", payload: #"{"\#(decomposed)":"x"}"#),
            Sample.Sent("a/x").with { $0.subsystem = composed },
            Sample.Sent("a/x", payload: "{\"who\":\"\u{301}\"}").with { $0.subsystem = decomposed },
        ]
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            try await server.store.save(Sample.batch(sent), journal: "machine")
            #expect(try await server.get("/v1/events?\(query)").summaries() == found)
        }
    }

    @Test func `reports keep the forms of names apart`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let sent = [
                Sample.Sent("a/\(composed)"), Sample.Sent("b/\(decomposed)", .undefined),
                Sample.Sent("b/\(composed)x", .undefined), Sample.Sent("b/\(decomposed)x", .undefined),
                Sample.Sent("a/\(composed)", .violating, violations: [missing(composed), missing(decomposed)]),
            ]
            try await server.store.save(Sample.batch(sent), journal: "machine")
            let undefined = try await server.report(UndefinedRow.self, .undefined)
            #expect(
                Set(undefined.rows.map { bytes($0.name) })
                    == [bytes(decomposed), bytes("\(composed)x"), bytes("\(decomposed)x")])
            let unseen = try await server.report(UnseenRow.self, .unseen)
            #expect(unseen.rows.map { $0.category + "/" + $0.description } == ["a/decomposed", "b/composed"])
            let violations = try await server.report(ViolationRow.self, .violations)
            #expect(Set(violations.rows.map { $0.parameter.map(bytes) }) == [bytes(composed), bytes(decomposed)])
        }
    }

    @Test func `unkeyed events with different forms of a name have different shapes`() async throws {
        try await withServer { server in
            let sent = [composed, decomposed, decomposed].map { name in
                Sample.Sent("", .unkeyed, payload: #"{"\#(name)":1}"#).with { $0.key = nil }
            }
            try await server.store.save(Sample.batch(sent), journal: "machine")
            let shapes = try await server.report(KeylessRow.self, .unkeyed).rows.first?.shapes ?? []
            #expect(shapes.map { $0.members.map(bytes) } == [[bytes(decomposed)], [bytes(composed)]])
            #expect(shapes.map(\.events) == [2, 1])
        }
    }

    private func missing(_ parameter: String) -> Violation {
        Violation(parameter, .missing(type: "string", found: nil))
    }
}
