import Model

/// The problems of one file.
struct ProblemList {
    let file: String
    private(set) var problems: [DefinitionProblem] = []
    private var count: Int
    private var hasErrors: Bool
    private var isFull: Bool
    private let limit: Int

    /// The most problems of a file, so that a completely wrong file does not give as many reports as it has lines.
    static let limit = 200

    /// - Parameter earlier: the problems that were already found in the file. They count toward the limit but are not
    ///   in `problems`.
    init(file: String, limit: Int = Self.limit, after earlier: [DefinitionProblem] = []) {
        self.file = file
        self.limit = limit
        count = earlier.count
        hasErrors = earlier.hasErrors
        isFull = earlier.contains { $0.rule == .tooManyProblems }
    }

    /// - Parameters:
    ///   - line: the line; 0 for the file as a whole.
    ///   - subject: the part of the line that the problem concerns.
    ///   - severity: the severity; `nil` for the rule's own.
    ///   - related: another place that the message refers to.
    mutating func add(
        _ rule: LintRule, _ line: Int, _ message: String, at subject: (some StringProtocol)? = String?.none,
        as severity: DefinitionProblem.Severity? = nil, related: String? = nil
    ) {
        var problem = DefinitionProblem(rule, severity, file: file, line: line, message: message)
        problem.related = related
        problem.subject = subject.map { String($0) }
        let isFirstError = problem.severity == .error && !hasErrors
        if count >= limit, !isFull {
            let message = "this file has more problems than the \(limit) that are listed"
            problems.append(DefinitionProblem(.tooManyProblems, file: file, message: message))
            isFull = true
        }
        // Warnings must not prevent the first error from being listed.
        guard count < limit || isFirstError else { return }
        hasErrors = hasErrors || problem.severity == .error
        problems.append(problem)
        count += 1
    }
}

/// The problems that rules across files and versions find. They count toward the same limit of a file as its parser's.
struct RuleFindings {
    private var lists: [ExactString: ProblemList]
    private let limit: Int

    /// - Parameters:
    ///   - limit: the most problems of a file.
    ///   - earlier: the problems that are already known; they are not in `problems`.
    init(limit: Int = ProblemList.limit, after earlier: [DefinitionProblem]) {
        self.limit = limit
        lists = [:]
        for (file, problems) in Dictionary(grouping: earlier, by: { ExactString($0.file) }) {
            lists[file] = ProblemList(file: file.text, limit: limit, after: problems)
        }
    }

    /// The problems, without an order of files.
    var problems: [DefinitionProblem] { lists.values.flatMap(\.problems) }

    mutating func add(
        _ rule: LintRule, _ file: String, _ line: Int, _ message: String, at subject: String? = nil,
        as severity: DefinitionProblem.Severity? = nil, related: String? = nil
    ) {
        lists[file, default: ProblemList(file: file, limit: limit)].add(
            rule, line, message, at: subject, as: severity, related: related)
    }
}
