import Foundation
import TestSupport
import Testing

/// What teams send today, each in a folder of `Fixtures/samples`: the settings with sources and dictionaries, the definitions,
/// and entries with what comes of them.
@Suite(.timeLimit(.minutes(5)))
struct SampleTests {
    static let names = ["segment", "snowplow", "nginx", "daifuku", "python", "text"]

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
                    let payload = event["payload"] as? [String: Any]
                    let personal = ["Hanako", "hanako", "taro", "ハナコ"].filter { "\(event)".contains($0) }
                    #expect(personal.isEmpty || payload == nil, "\(event)")
                }
                #expect(try await instance.glossctl("status").status == 0)
            }
        }
    }

    private func generate(_ language: String, _ sample: String, into folder: URL) async throws {
        let made = try await dictionaryTool(
            "generate", language, "--config", settings(sample), "--output", folder.path)
        #expect(made.status == 0, "\(made.text)\(made.errors)")
    }

    @Test(arguments: names)
    func `the code of its events compiles`(sample: String) async throws {
        try await GlossInstance.with { instance in
            let swift = instance.folder.appending(path: "swift")
            try await generate("swift", sample, into: swift)
            let files = try FileManager.default.contentsOfDirectory(atPath: swift.path)
                .filter { $0.hasSuffix(".swift") }.map { swift.appending(path: $0).path }
            let check = try await GlossInstance.run(
                "/usr/bin/env", ["swiftc", "-typecheck", "-swift-version", "6"] + files,
                environment: ["TMPDIR": instance.folder.path])
            #expect(check.status == 0 && !files.isEmpty, "\(check.errors)")

            let python = instance.folder.appending(path: "events")
            try await generate("python", sample, into: python)
            let types = try await GlossInstance.run(
                "/usr/bin/mypy", ["--strict", "--cache-dir=/dev/null", python.path])
            #expect(types.status == 0, "\(types.text)")
        }
    }

    private static let validator = """
        import json, sys, jsonschema
        schema = json.load(open(sys.argv[1]))
        validator = jsonschema.validators.validator_for(schema)(schema)
        for line in sys.stdin:
            print("valid" if validator.is_valid(json.loads(line)) else "invalid")
        """

    /// What only a rule of the settings says of nginx's lines is in no schema, nor are pairs.
    @Test(arguments: names.filter { !["nginx", "text"].contains($0) })
    func `its schema accepts what resolves, and refuses what violates`(sample: String) async throws {
        let entries = try entries(sample).filter { ["resolved", "violating"].contains($0.resolution) }
        try #require(entries.contains { $0.resolution == "violating" })
        try await GlossInstance.with { instance in
            try await generate("json-schema", sample, into: instance.folder.appending(path: "schemas"))
            let verdicts = try await GlossInstance.run(
                "/usr/bin/python3", ["-c", Self.validator, instance.path("schemas/events.schema.json")],
                input: entries.map { "\($0.object)\n" }.joined())
            #expect(
                verdicts.lines == entries.map { $0.resolution == "resolved" ? "valid" : "invalid" },
                "\(verdicts.errors)")
        }
    }

    /// The resolution with the key, the violations in order, and what the program says, one on each line.
    private func summary(_ event: [String: Any]) -> String {
        let key = event["event"] as? [String: String]
        let name = key.map { "\($0["category"] ?? "")/\($0["name"] ?? "")" } ?? ""
        let violations = (event["violations"] as? [[String: Any]] ?? []).map { violation in
            "\(violation["rule"] ?? "") \(violation["parameter"] ?? "")"
        }
        let first = [event["resolution"] as? String ?? "", name].filter { !$0.isEmpty }.joined(separator: " ")
        let warnings = (event["warnings"] as? [[String: Any]] ?? []).map { "warning \($0["rule"] ?? "")" }
        let program = ["level", "time"].compactMap { name in event["program_\(name)"].map { "\(name) \($0)" } }
        return ([first] + violations.sorted() + warnings + program).map { "\($0)\n" }.joined()
    }
}

extension TableFile.Part {
    fileprivate var resolution: Substring { expected?.prefix { !$0.isWhitespace } ?? "" }

    /// The JSON object in the text.
    fileprivate var object: Substring {
        text[(text.firstIndex(of: "{") ?? text.startIndex)...(text.lastIndex(of: "}") ?? text.startIndex)]
    }
}
