/// The problems of one file while it is parsed.
struct ProblemList {
    let file: String
    private(set) var problems: [DefinitionProblem] = []
    private var hasErrors = false

    /// A file of nothing but mistakes must not become as many reports as it has lines.
    static let limit = 200

    init(file: String) {
        self.file = file
    }

    /// - Parameters:
    ///   - subject: what of the line it is about.
    ///   - severity: `nil` for the rule's own.
    mutating func add(
        _ rule: LintRule, _ line: Int, _ message: String, at subject: (some StringProtocol)? = String?.none,
        as severity: DefinitionProblem.Severity? = nil
    ) {
        var problem = DefinitionProblem(rule, severity, file: file, line: line, message: message)
        problem.subject = subject.map { String($0) }
        let isFirstError = problem.severity == .error && !hasErrors
        // Warnings must not use up the room of the first error.
        guard problems.count < Self.limit || isFirstError else { return }
        hasErrors = hasErrors || problem.severity == .error
        problems.append(problem)
        if problems.count == Self.limit {
            let message = "this file has more problems than the \(Self.limit) that are listed"
            problems.append(DefinitionProblem(.tooManyProblems, file: file, line: line, message: message))
        }
    }
}
