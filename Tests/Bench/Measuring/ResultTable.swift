/// One figure of Gloss beside the same figure of the alternative.
struct BenchResult {
    var what: String
    var ours: String
    /// Empty where there is nothing to compare with, as is its name.
    var other: String
    var otherName: String
    /// By how much ours is better.
    var ratio: Double?
    var goal: String

    init(
        _ what: String, _ ours: String, beside other: (figure: String, name: String) = ("", ""), ratio: Double? = nil,
        goal: String = ""
    ) {
        self.what = what
        self.ours = ours
        (self.other, otherName) = other
        self.ratio = ratio
        self.goal = goal
    }

    /// A time in milliseconds, beside another one.
    init(milliseconds what: String, _ ours: Double, beside other: (time: Double, name: String)? = nil, goal: String) {
        let beside = other.map { (figure: rounded($0.time), name: $0.name) } ?? ("", "")
        self.init("\(what), ms", rounded(ours), beside: beside, ratio: other.map { $0.time / ours }, goal: goal)
    }
}

struct ResultTable {
    private static let head = ["what", "Gloss", "other", "which is", "ratio", "to reach"]
    private var results: [BenchResult] = []

    var isEmpty: Bool { results.isEmpty }

    mutating func add(_ more: [BenchResult]) { results += more }

    var text: String { markdownTable([Self.head] + results.map(\.cells)) }
}

/// A Markdown table, with columns that also line up in a terminal. The first row is its head.
func markdownTable(_ rows: [[String]]) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
        let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        return "| " + padded.joined(separator: " | ") + " |"
    }
    let rule = line(widths.map { String(repeating: "-", count: $0) })
    return ([line(rows[0]), rule] + rows[1...].map(line)).joined(separator: "\n")
}

extension BenchResult {
    fileprivate var cells: [String] {
        [what, ours, other, otherName, ratio.map { "\(($0 * 100).rounded() / 100)" } ?? "", goal]
    }
}
