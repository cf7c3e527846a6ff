/// The problems that rules across files find.
struct RuleFindings {
    private(set) var problems: [DefinitionProblem] = []
    private var hasErrors = false

    private static let limit = 1000

    mutating func add(
        _ rule: LintRule, _ file: String, _ line: Int, _ message: String, at subject: String? = nil,
        as severity: DefinitionProblem.Severity? = nil
    ) {
        var problem = DefinitionProblem(rule, severity, file: file, line: line, message: message)
        problem.subject = subject
        let isFirstError = problem.severity == .error && !hasErrors
        // Enough to work with; one error more must always get in, since it decides.
        guard problems.count < Self.limit || isFirstError else { return }
        hasErrors = hasErrors || problem.severity == .error
        problems.append(problem)
    }
}
