import Foundation
import TestSupport
import Testing

/// What teams send today, each in a folder of `Fixtures/samples`: the settings with sources and dictionaries, the definitions,
/// and entries with what comes of them.
@Suite(.timeLimit(.minutes(5)))
struct SampleTests {
    static let names = ["segment", "snowplow", "nginx", "daifuku"]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/samples")

    private func entries(_ sample: String) throws -> [TableFile.Part] {
        let text = try String(contentsOf: Self.folder.appending(path: "\(sample)/entries.txt"), encoding: .utf8)
        let table = TableFile(name: sample, text: text)
        try #require(!table.parts.isEmpty)
        return table.parts
    }

    private func dictionaryTool(_ arguments: String...) async throws -> GlossInstance.Output {
        try await GlossInstance.run(GlossInstance.programs.appending(path: "gloss-dictionary").path, arguments)
    }

    private func settings(_ sample: String) -> String { Self.folder.appending(path: "\(sample)/gloss.yaml").path }

    @Test(arguments: names)
    func `its definitions are in order`(sample: String) async throws {
        let lint = try await dictionaryTool("lint", "--strict", "--config", settings(sample))
        #expect(lint.status == 0, "\(lint.text)\(lint.errors)")
        #expect(lint.text.isEmpty)
    }

    @Test(.enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"), arguments: names)
    func `its entries resolve, and violate where they should`(sample: String) async throws {
        let entries = try entries(sample)
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try FileManager.default.copyItem(
                    at: Self.folder.appending(path: "\(sample)/definitions"),
                    to: instance.folder.appending(path: "definitions"))
                let own = try String(contentsOfFile: settings(sample), encoding: .utf8)
                let rest = [
                    "journal: {namespace: \(journald.namespace)}", "store: {path: events.sqlite}",
                    "control: {socket: control.sock}",
                ]
                try instance.write(own + rest.joined(separator: "\n"), to: "gloss.yaml")
                try await instance.startDaemonAndWait()
                for entry in entries {
                    let fields = entry.name.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1) }
                    let message = entry.text.split(separator: "\n").joined(separator: "\n")
                    try journald.send(
                        fields.map { (String($0[0]), Array($0[1].utf8)) }
                            + [("MESSAGE", Array(message.utf8))])
                }
                try await eventually("all are stored: \(instance.text(of: "glossd.log"))") {
                    try await instance.events().count == entries.count
                }
                for (entry, event) in zip(entries, try await instance.events()) {
                    #expect(summary(event) == entry.expected, "\(entry.text)")
                }
                #expect(try await instance.glossctl("status").status == 0)
            }
        }
    }

    /// The resolution with the key, and the violations in order, one on each line.
    private func summary(_ event: [String: Any]) -> String {
        let key = event["event"] as? [String: String]
        let name = key.map { "\($0["category"] ?? "")/\($0["name"] ?? "")" } ?? ""
        let violations = (event["violations"] as? [[String: Any]] ?? []).map { violation in
            "\(violation["rule"] ?? "") \(violation["parameter"] ?? "")"
        }
        let first = [event["resolution"] as? String ?? "", name].filter { !$0.isEmpty }.joined(separator: " ")
        return ([first] + violations.sorted()).map { "\($0)\n" }.joined()
    }
}
