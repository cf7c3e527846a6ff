import Foundation
import Model
import Testing

@testable import Control

@Suite struct MachineTextTests {
    /// Everything that a terminal may act on and JSON lets stand in a string, in two places.
    private static let hostile: [UInt8] = Array(
        "{\"m\":\"\u{9B}31m \u{202E}gnp \u{7F}\u{2028}\u{FEFF} 豚の角煮 🍲 e\u{301}\",\t\"k\u{85}\": [1,\r2]}".utf8)

    @Test func `on a terminal nothing is left that it acts on, and the JSON means the same`() throws {
        let shown = MachineText.forTerminal(Self.hostile)
        let text = String(decoding: shown, as: UTF8.self)
        #expect(!text.unicodeScalars.contains(where: SafeText.isUnsafe))
        #expect(
            text == #"{"m":"\u009b31m \u202egnp \u007f\u2028\ufeff 豚の角煮 🍲 e"# + "\u{301}\"," + #" "k\u0085": [1, 2]}"#)
        let parsed = try [Self.hostile, shown].map { bytes in
            try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
        }
        #expect(parsed[0] == parsed[1])
    }

    @Test func `bytes that are no UTF-8 become an escape, lines stay lines`() {
        let bytes = Array("[\n\"".utf8) + [0xFF, 0xC3] + Array("\u{1B}\"\n]\n".utf8)
        #expect(
            String(decoding: MachineText.forTerminal(bytes), as: UTF8.self)
                == "[\n\"" + #"\ufffd\ufffd\u001b"# + "\"\n]\n")
    }

    private static let line =
        Array(
            #"{"type":"event","id":1,"uid":"1","time":"2026-11-21T01:00:00Z","boot_id":"","cursor":"","host":"","#.utf8)
        + Array(
            #""subsystem":"s","category":"c","level":"info","resolution":"plain","violations":[],"warnings":[],"#.utf8)
        + Array("\"message\":\"\u{9B}31m\u{202E}x\"}".utf8)

    @Test(arguments: [
        ["show", "-o", "ndjson"], ["show", "-o", "json"], ["tail", "-o", "ndjson"], ["event", "10", "-o", "json"],
        ["status", "-o", "json"], ["definitions", "-o", "json"], ["search", "save", "-o", "json"],
        ["definitions", "show", "recipe_detail/tap_save_button", "-o", "json"],
        ["definitions", "versions", "-o", "json"], ["report", "undefined", "-o", "json"], ["gaps", "-o", "json"],
        ["gaps", "-o", "ndjson"], ["reload", "-o", "json"],
    ])
    func `every command's JSON is escaped on a terminal and untouched elsewhere`(arguments: [String]) async throws {
        func run(width: Int?) async throws -> String {
            let daemon = try FakeDaemon { request in
                switch request.target {
                case let target where target.hasPrefix("/v1/events?"): return .lines([Self.line])
                case let target where target.hasPrefix("/v1/gaps"):
                    let gap =
                        "{\"id\":1,\"after\":0,\"cause\":\"damaged\",\"time\":\"2026-11-21T01:00:00Z\","
                        + "\"message\":\"\u{9B}\u{202E}\"}"
                    return .document(Array("{\"gaps\":[\(gap)]}".utf8))
                default:
                    guard case .document(var body, _, _) = try? Fixture.answer(request, []) else {
                        return .document(Array("{\"x\":\"\u{9B}\u{202E}\"}".utf8))
                    }
                    // Each reply has a member more, which nobody reads.
                    if let brace = body.firstIndex(of: UInt8(ascii: "{")) {
                        body.insert(contentsOf: Array("\"\u{9B}\":\"\u{202E}\",".utf8), at: brace + 1)
                    }
                    return .document(body)
                }
            }
            defer { daemon.stop() }
            return await Run.glossctl(["--socket", daemon.socket] + arguments, width: width).output
        }
        let (piped, shown) = (try await run(width: nil), try await run(width: 80))
        #expect(piped.contains("\u{9B}") && piped.contains("\u{202E}"))
        #expect(shown.contains(#"\u009b"#) && shown.contains(#"\u202e"#))
        #expect(!shown.unicodeScalars.contains { SafeText.isUnsafe($0) && $0 != "\n" })
    }
}
