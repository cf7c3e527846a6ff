import Foundation
import Model

@testable import Serve

/// The answer to a scrape, as Prometheus reads it: the names and labels of series with their values.
struct Scrape {
    let text: String
    /// By what stands before the value: `name{label="value"}`.
    private(set) var series: [ExactString: Double] = [:]

    init(_ reply: RawReply) {
        text = reply.text
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            series[ExactString(String(line[..<space]))] = Double(line[line.index(after: space)...])
        }
    }

    subscript(series name: String) -> Double? { series[ExactString(name)] }

    /// The names in `# TYPE`.
    var names: [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) }
    }
}

extension RunningServer {
    func scrape() async throws -> Scrape { Scrape(try await get("/metrics")) }
}
