import Model

/// The problems that rules across files and versions find. Those of a file go on where its parser stopped: they share one
/// limit.
struct RuleFindings {
    private var lists: [ExactString: ProblemList]

    /// - Parameter earlier: what is known already; it is not among `problems`.
    init(after earlier: [DefinitionProblem]) {
        lists = [:]
        for (file, problems) in Dictionary(grouping: earlier, by: { ExactString($0.file) }) {
            lists[file] = ProblemList(file: file.text, after: problems)
        }
    }

    /// In no order of files.
    var problems: [DefinitionProblem] { lists.values.flatMap(\.problems) }

    mutating func add(
        _ rule: LintRule, _ file: String, _ line: Int, _ message: String, at subject: String? = nil,
        as severity: DefinitionProblem.Severity? = nil, related: String? = nil
    ) {
        lists[file, default: ProblemList(file: file)].add(
            rule, line, message, at: subject, as: severity, related: related)
    }
}
