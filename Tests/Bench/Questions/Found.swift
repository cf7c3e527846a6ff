import Foundation

/// What an answer has in it, as far as it has to be the same for everyone who is asked.
struct Found: Equatable {
    /// How many events, groups, values or rows there are.
    var count: Int
    /// How many events the groups have, the largest first.
    private var sizes: [Int] = []
    private var rows: Set<Substring> = []

    /// - Parameter run: that of `glossctl`, which prints a head before groups and rows.
    init(glossctl run: CommandRun, _ answer: Question.Answer) throws {
        // 1 says that nothing was found.
        guard run.status == 0 || run.status == 1 && run.lines == 0 else {
            throw BenchError("glossctl ended with status \(run.status)")
        }
        let lines = Self.lines(run.output)
        switch answer {
        case .events, .values: count = run.lines
        case .table: count = max(0, run.lines - 1)
        case .text: count = lines.count { !$0.hasPrefix(Self.indent) }
        case .sheets: count = lines.count { $0.hasPrefix("Event ") }
        case .groups:
            let head = lines.first?.split(separator: ",") ?? []
            guard let column = head.firstIndex(of: "count") else { throw BenchError("glossctl printed no groups") }
            sizes = lines.dropFirst().map { line in
                let cells = line.split(separator: ",", omittingEmptySubsequences: false)
                return cells.indices.contains(column) ? Int(cells[column]) ?? -1 : -1
            }.sorted(by: >)
            count = sizes.count
        case .rows:
            rows = Set(lines.dropFirst())
            count = max(0, run.lines - 1)
        }
    }

    /// - Parameter run: that of a program that prints no head.
    init(other run: CommandRun, _ answer: Question.Answer) throws {
        count = run.lines
        switch answer {
        case .events, .table, .values: break
        case .text, .sheets: count = Self.lines(run.output).count { !$0.isEmpty && $0.first != " " }
        case .groups: sizes = Self.lines(run.output).map(Self.firstNumber).sorted(by: >)
        case .rows: rows = Set(Self.lines(run.output))
        }
    }

    /// Longer than what is before the ids of events, which are aligned.
    private static let indent = String(repeating: " ", count: 20)

    /// Programs quote CSV differently.
    private static func lines(_ output: Data) -> [Substring] {
        let text = output.filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\r") }
        return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    private static func firstNumber(_ line: Substring) -> Int {
        Int(line.drop { $0 == " " }.prefix { $0.isNumber }) ?? -1
    }
}
