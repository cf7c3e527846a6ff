/// One figure of ours beside the same of what one would use otherwise.
struct BenchResult {
    var what: String
    var ours: String
    var other: String
    var otherName: String
    /// By how much ours is better; `nil` where there is nothing to compare with.
    var ratio: Double?
    var target: String
}

struct ResultTable {
    private var results: [BenchResult] = []

    mutating func add(_ more: [BenchResult]) { results += more }

    /// A Markdown table, with columns that also line up in a terminal.
    var text: String {
        let head = ["what", "Gloss", "other", "which is", "ratio", "to reach"]
        let rows = results.map { result in
            [
                result.what, result.ours, result.other, result.otherName,
                result.ratio.map { "\(($0 * 100).rounded() / 100)" } ?? "", result.target,
            ]
        }
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = "| " + widths.map { String(repeating: "-", count: $0) }.joined(separator: " | ") + " |"
        return ([line(head), rule] + rows.map(line)).joined(separator: "\n")
    }
}
