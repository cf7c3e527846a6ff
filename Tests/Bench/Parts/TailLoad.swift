import Foundation
import TestSupport

/// Events that hardly get smaller by packing, a thousand a second. Of each stage they are of another kind, which is defined
/// when the next begins.
struct TailLoad: Sendable {
    let journald: PrivateJournald
    let definitions: URL

    private static let stage = Duration.seconds(2)
    private static let pause = Duration.milliseconds(10)
    private static let perPause = 10

    /// Writes the definitions that hold before the first stage.
    func prepare() throws {
        try DefinitionText.common.write(
            to: definitions.appending(path: "common.md"), atomically: true, encoding: .utf8)
        try define(0)
    }

    /// Until its task is cancelled.
    func run() async throws {
        for stage in 1... {
            let end = ContinuousClock.now + Self.stage
            while ContinuousClock.now < end {
                for _ in 0..<Self.perPause { try send(stage: stage) }
                try await Task.sleep(for: Self.pause)
            }
            try define(stage)
        }
    }

    func send(stage: Int) throws {
        try journald.send([
            "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": payload(stage),
        ])
    }

    private func payload(_ stage: Int) -> String {
        let noise = (0..<90).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }.joined()
        return """
            {"event_category":"load","event_name":"stage_\(stage)","user_id":1234567890,\
            "session_id":"0b6ab3c0-6f8e-4c5e-9d57-100000000000","platform":"ios","noise":"\(noise)"}
            """
    }

    /// All stages up to this one.
    private func define(_ stage: Int) throws {
        let events = (0...stage).map { "\n## stage_\($0)\nOf the load.\n\n- noise: !string\n" }
        try "# load\n\(events.joined())".write(
            to: definitions.appending(path: "load.md"), atomically: true, encoding: .utf8)
    }
}
