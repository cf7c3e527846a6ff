import API
import Model
import SQL

extension SQLCatalog {
    /// Adds to a problem with a statement what may have been meant, if that can be told from what SQLite says.
    func explained(_ problem: Problem, in statement: String) -> Problem {
        // Behind the first line is where in the statement it is.
        let lines = problem.detail?.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false) ?? []
        guard let first = lines.first, let hint = hint(String(first), statement) else { return problem }
        var problem = problem
        problem.detail = ([first + "; " + hint] + lines.dropFirst()).joined(separator: "\n")
        return problem
    }

    private func hint(_ text: String, _ statement: String) -> String? {
        if let name = Self.rest(of: text, behind: "no such table: ") {
            let near = similar(to: name)
            return near.isEmpty ? "glossctl sql .tables lists them" : Self.meant(near)
        }
        if let name = Self.rest(of: text, behind: "no such column: ") { return hint(column: name, statement) }
        if let name = Self.rest(of: text, behind: "no such function: ") {
            let isQuantile = ["median", "percentile", "quantile"].contains { name.lowercased().hasPrefix($0) }
            return isQuantile ? "glossctl stats --of PARAMETER shows medians and percentiles" : nil
        }
        if let word = Self.rest(of: text, behind: "near \"")?.prefix(while: { $0 != "\"" }) {
            if ["show", "describe", "desc"].contains(word.lowercased()) {
                return "glossctl sql .tables lists the tables, and '.schema TABLE' shows the columns of one"
            }
            return word == "/" ? "tables are named with _ in place of /, such as checkout_paid" : nil
        }
        return nil
    }

    private func hint(column: String, _ statement: String) -> String? {
        if statement.contains("\"\(column)\"") {
            return "texts are in single quotes: '\(column)'"
        }
        let parts = column.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if let payload = parts.firstIndex(where: { $0.lowercased() == "payload" }), payload < parts.count - 1 {
            let path = parts[(payload + 1)...].joined(separator: ".")
            return "values in payloads are json_extract(payload, '$.\(path)')"
        }
        let name = parts.last ?? column
        let used = tables(of: statement)
        let having = tables(withColumn: name)
        if !having.isEmpty {
            let isOfEvents = used.contains { $0.name == "events" }
            return "\(having.joined(separator: ", ")) \(having.count == 1 ? "has" : "have") it"
                + (isOfEvents ? "; events has json_extract(payload, '$.\(name)')" : "")
        }
        let wanted = name.unicodeScalars.map(\.value)
        let near = EditDistance.threeNearest(among: Set(used.flatMap(\.columns).map(\.name).map { ExactString($0) })) {
            EditDistance.between(wanted, $0.text.unicodeScalars.map(\.value), limit: max(1, wanted.count / 4))
        }
        return near.isEmpty ? nil : Self.meant(near.map(\.text))
    }

    private static func meant(_ names: [String]) -> String { "did you mean \(names.joined(separator: ", "))?" }

    private static func rest(of text: String, behind start: String) -> String? {
        text.hasPrefix(start) ? String(text.dropFirst(start.count)) : nil
    }
}
