import Model
import Foundation
import Synchronization

@testable import Control

/// One run of glossctl and what came of it.
struct Run {
    let status: Outcome
    let output: String
    let errors: String

    /// 2026-11-20 15:00:10 UTC, which the fixtures lie shortly before.
    static let now: UInt64 = 1_795_186_810_000_000

    /// - Parameters:
    ///   - width: of the terminal; `nil` for none.
    ///   - writeLimit: how many writes the reader of the output takes before it leaves.
    ///   - isReadSlowly: whether each write counts as one that took too long for the daemon.
    static func glossctl(
        _ arguments: String..., width: Int? = nil, environment: [String: String] = [:], input: String = "",
        zone: Zone = .utc, writeLimit: Int = .max
    ) async -> Run {
        await glossctl(
            arguments, width: width, environment: environment, input: input, zone: zone, writeLimit: writeLimit)
    }

    static func glossctl(
        _ arguments: [String], width: Int? = nil, errorWidth: Int? = nil, environment: [String: String] = [:],
        input: String = "", zone: Zone = .utc, writeLimit: Int = .max, isReadSlowly: Bool = false
    ) async -> Run {
        let output = Mutex<(bytes: [UInt8], writes: Int)>(([], 0))
        let errors = Mutex<[UInt8]>([])
        let input = Mutex(Array(input.utf8))
        let console = Console(
            environment: environment,
            output: ByteSink { bytes in
                try output.withLock { output in
                    guard output.writes < writeLimit else { throw ByteSink.Closed() }
                    output.writes += 1
                    output.bytes += bytes
                }
            },
            errors: ByteSink { bytes in errors.withLock { $0 += bytes } },
            input: {
                input.withLock { input in
                    defer { input.removeFirst(min(7, input.count)) }
                    return Array(input.prefix(7))
                }
            },
            terminalWidth: { width }, errorWidth: { errorWidth },
            longestPause: isReadSlowly ? .zero : ControlClient.usualPause, zone: zone, now: { now })
        let status = await Glossctl.run(arguments, on: console)
        return Run(
            status: status, output: String(decoding: output.withLock { $0.bytes }, as: UTF8.self),
            errors: String(decoding: errors.withLock { $0 }, as: UTF8.self))
    }

    /// What `body` writes to its console.
    static func collecting(_ body: (Console) async throws -> Void) async rethrows -> String {
        let output = Mutex<[UInt8]>([])
        try await body(
            Console(
                environment: [:], output: ByteSink { bytes in output.withLock { $0 += bytes } },
                errors: ByteSink { _ in }, now: { now }))
        return String(decoding: output.withLock { $0 }, as: UTF8.self)
    }
}
