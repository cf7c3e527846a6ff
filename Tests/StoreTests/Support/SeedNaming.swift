import TestSupport
import Testing

extension Trait where Self == IssueHandlingTrait {
    /// A trait that adds the seed to every failure, wherever it occurs.
    static var namesSeed: Self {
        .compactMapIssues { issue in
            var issue = issue
            if let seed = FuzzBudget.seed { issue.comments.append("seed \(seed)") }
            return issue
        }
    }
}
