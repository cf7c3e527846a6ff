import Model
import Resolve

/// How table tests write outcomes.
enum TableText {
    static func text(of outcome: Resolver.Outcome) -> String {
        var lines = [outcome.resolution.rawValue]
        if let key = outcome.kind.key { lines[0] += " \(key)" }
        if let dictionary = outcome.kind.dictionary { lines[0] += " of \(dictionary)" }
        for broken in outcome.findings?.violations ?? [] {
            lines.append("violation \(broken.rule.rawValue) \(broken.parameter): \(broken.expected) / \(broken.found)")
        }
        for warning in outcome.findings?.warnings ?? [] {
            lines.append("warning \(warning.rule.rawValue)\(warning.parameter.map { " \($0)" } ?? "")")
        }
        if let reason = outcome.findings?.reason { lines.append("reason \(reason)") }
        return lines.map { "\($0)\n" }.joined()
    }
}
