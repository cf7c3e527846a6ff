import Foundation

/// How long the reports take, over the socket.
struct ReportTimes {
    /// A filter that reports are made with, and how many events it leaves.
    struct Filter {
        var what: String
        var query: String
        var events: Int
        /// Whether it asks for names that only events with a key have.
        var isOfKeys: Bool
    }

    let client: SocketClient

    private static let kinds = ["undefined", "unseen", "violations", "obsolete", "unkeyed", "malformed"]
    private static let keyless = ["unkeyed", "malformed"]

    /// The slowest of them, and how long it takes in milliseconds.
    func slowest(_ filter: Filter) throws -> (kind: String, time: Double) {
        let kinds = Self.kinds.filter { !filter.isOfKeys || !Self.keyless.contains($0) }
        let times = try kinds.map { (kind: $0, time: try time($0, filter)) }
        let list = times.map { "\($0.kind) \(rounded($0.time))" }.joined(separator: ", ")
        say("  reports\(filter.what): \(list) ms")
        return times.max { $0.time < $1.time } ?? ("", .nan)
    }

    private func time(_ kind: String, _ filter: Filter) throws -> Double {
        let target = "/v1/reports/\(kind)?n=1000\(filter.query)"
        try check(try client.json(target), target, filter)
        return try Timing.median { _ = try client.data(target) }
    }

    private func check(_ report: [String: Any], _ target: String, _ filter: Filter) throws {
        let scope = report["scope"] as? [String: Any]
        let events = scope?["events"] as? [String: Int] ?? [:]
        let sum = events.values.reduce(0, +)
        guard sum == filter.events, report["rows"] is [Any] else {
            throw BenchError("\(target) is of \(sum) events, not of \(filter.events)")
        }
    }
}
