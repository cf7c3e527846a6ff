import API
import Model

/// The state of a dictionary, and what is wrong with its files.
struct DictionaryFacts {
    let style: Style

    /// The most problems that are listed; lint lists all.
    private static let mostProblems = 5

    func facts(_ dictionary: DictionaryStatus) -> [TextFacts.Fact] {
        let loaded =
            dictionary.loadedAt.map { "loaded " + CivilTime.text($0.microseconds, style.zone, decimals: 0) }
            ?? "never loaded"
        let count = Quantity.count(dictionary.definitions, "definition")
        var facts: [TextFacts.Fact] = [
            (dictionary.name, "\(count) from \(dictionary.path), \(loaded)", .plain)
        ]
        if let problem = dictionary.problem {
            let state = "definitions with errors are in force as they were, or not at all"
            facts.append(("", dictionary.loadedAt == nil ? "not loaded" : state, .bad))
            // If errors are listed, the problem is one of them.
            if !dictionary.problems.contains(where: { $0.severity == .error }) { facts.append(("", problem, .bad)) }
        }
        for problem in dictionary.problems.prefix(Self.mostProblems) {
            facts.append(("", Self.text(problem), problem.severity == .error ? .bad : .warning))
        }
        let more = dictionary.problems.count + dictionary.problemsOmitted - Self.mostProblems
        if more > 0 {
            facts.append(("", "and \(Quantity.count(more)) more: glossctl lint \(dictionary.path)", .warning))
        }
        return facts
    }

    /// In the form of compilers and of glossctl lint: `recipe_detail.md:12:3: error [list-in-paragraph]: …`.
    private static func text(_ problem: DefinitionProblemReply) -> String {
        let column = problem.column > 0 ? ":\(problem.column)" : ""
        let place = problem.file + (problem.line > 0 ? ":\(problem.line)\(column)" : "")
        return "\(place): \(problem.severity.rawValue) [\(problem.rule)]: \(problem.message)"
    }
}
