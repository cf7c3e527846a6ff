import Foundation
import Model
import Testing

@testable import Serve

/// What is written about metrics elsewhere.
struct MetricsDocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// docs/metrics.md has one row for each metric.
    @Test func `the table of metrics is that of the code`() throws {
        let rows = Metric.all.map { metric in
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: " ")
            return
                "| `\(metric.name)` | \(metric.kind.rawValue) | \(metric.unit.rawValue) | \(labels) | \(metric.help) |"
        }
        let table = rows.joined(separator: "\n")
        #expect(try text("docs/metrics.md").contains("| --- | --- | --- | --- | --- |\n\(table)\n\n"), "\(table)")
    }

    @Test(arguments: ["docs/metrics.md", "config/grafana-dashboard.json", "config/prometheus/gloss-rules.yml"])
    func `every metric that a file names exists`(path: String) throws {
        let known = Set(
            Metric.all.flatMap { metric in
                metric.kind == .histogram
                    ? ["", "_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
            })
        let named = try text(path).matches(of: /\b(?:gloss|process)_[a-z_]*[a-z]\b/).map { String($0.output) }
        #expect(named.count > 3)
        #expect(Set(named).subtracting(known) == [], "\(path)")
    }

    @Test func `the dashboard is JSON, and its panels have queries and places of their own`() throws {
        let data = Data(try text("config/grafana-dashboard.json").utf8)
        let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(dashboard["title"] as? String == "Gloss" && dashboard["schemaVersion"] is Int)
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        var taken: Set<[Int]> = []
        for panel in panels {
            let title = panel["title"] as? String ?? ""
            let place = try #require(panel["gridPos"] as? [String: Int])
            let (x, y, width, height) = (place["x"] ?? -1, place["y"] ?? -1, place["w"] ?? 0, place["h"] ?? 0)
            #expect(x >= 0 && y >= 0 && x + width <= 24 && width > 0, "\(title)")
            for column in x..<x + width {
                for line in y..<y + height { #expect(taken.insert([column, line]).inserted, "\(title)") }
            }
            guard panel["type"] as? String != "row" else { continue }
            let targets = panel["targets"] as? [[String: Any]] ?? []
            #expect(!targets.isEmpty && targets.allSatisfy { ($0["expr"] as? String)?.isEmpty == false }, "\(title)")
        }
    }
}
