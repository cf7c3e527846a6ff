import TestSupport
import Testing

extension Trait where Self == IssueHandlingTrait {
    /// What fails says with which seed, wherever it does.
    static var namesSeed: Self {
        .compactMapIssues { issue in
            var issue = issue
            if let seed = FuzzBudget.seed { issue.comments.append("seed \(seed)") }
            return issue
        }
    }
}
