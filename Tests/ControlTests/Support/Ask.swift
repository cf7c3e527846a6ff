import Foundation

@testable import Control

/// Runs glossctl against a daemon that answers `answer`; also gives what the daemon was asked.
func ask(
    _ arguments: String..., width: Int? = nil, errorWidth: Int? = nil, environment: [String: String] = [:],
    writeLimit: Int = .max, isReadSlowly: Bool = false,
    answer: @escaping @Sendable (FakeDaemon.Request) throws -> FakeDaemon.Reply
) async throws -> (Run, [FakeDaemon.Request]) {
    let daemon = try FakeDaemon { request in
        (try? answer(request)) ?? .problem(500, "the test has no answer to \(request.target)")
    }
    defer { daemon.stop() }
    let run = await Run.glossctl(
        ["--socket", daemon.socket] + arguments, width: width, errorWidth: errorWidth, environment: environment,
        writeLimit: writeLimit, isReadSlowly: isReadSlowly)
    return (run, daemon.requests)
}

/// The lines as a stream has them.
func joined(_ lines: some Collection<[UInt8]>) -> [UInt8] {
    Array(lines.map { $0 + [UInt8(ascii: "\n")] }.joined())
}

extension Fixture {
    /// Answers with the fixtures, and with `lines` for events.
    static func answer(_ request: FakeDaemon.Request, _ lines: [[UInt8]]) throws -> FakeDaemon.Reply {
        switch request.target {
        case "/v1/status": .document(try bytes("status-running.json"))
        case "/v1/dictionaries": .document(try bytes("dictionaries.json"))
        case "/v1/dictionaries/shop/definitions/recipe_detail/tap_save_button":
            .document(try bytes("definition.json"))
        case let target where target.hasPrefix("/v1/dictionaries/shop/definitions?search="):
            .document(try bytes("search.json"))
        case let target where target.hasPrefix("/v1/dictionaries/shop/definitions?"):
            .document(try bytes("definitions.json"))
        case "/v1/dictionaries/shop/versions": .document(try bytes("versions.json"))
        case let target where target.hasPrefix("/v1/reports/"):
            .document(try bytes("report-\(target.dropFirst(12).prefix { $0 != "?" }).json"))
        case "/v1/alerts/history?n=20": .document(try bytes("notices.json"))
        case "/v1/events/10": .document(try bytes("event-10.json"))
        case let target where target.hasPrefix("/v1/events/"): .problem(404, "there is no event with this id")
        case let target where target.hasPrefix("/v1/events"): .lines(lines)
        default: .problem(404, "not found")
        }
    }
}
