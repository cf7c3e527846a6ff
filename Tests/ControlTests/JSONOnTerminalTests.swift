import Model
import Testing

@testable import Control

@Suite struct JSONOnTerminalTests {
    private static let line =
        Array(
            #"{"type":"event","id":1,"uid":"1","time":"2026-11-21T01:00:00Z","boot_id":"","cursor":"","host":"","#.utf8)
        + Array(
            #""subsystem":"s","category":"c","level":"info","resolution":"plain","violations":[],"warnings":[],"#.utf8)
        + Array("\"message\":\"\u{9B}31m\u{202E}x\"}".utf8)

    @Test(arguments: [
        ["show", "-o", "ndjson"], ["show", "-o", "json"], ["tail", "--no-reconnect", "-o", "ndjson"],
        ["event", "10", "-o", "json"],
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
                        + "\"certainty\":\"exact\",\"message\":\"\u{9B}\u{202E}\"}"
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
