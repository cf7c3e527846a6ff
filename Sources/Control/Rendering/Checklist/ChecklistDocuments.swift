import API
import Model

/// A run as a task list, for a pull request.
struct ChecklistMarkdown {
    let report: ChecklistReport

    var text: String {
        var text = "### \(MarkdownText.escaped(report.heading))\n\n"
        text += report.items.map { task($0, isCode: true) }.joined()
        for funnel in zip(report.checklist.funnels, report.funnels) { text += task(funnel.1) + steps(funnel.0) }
        text += report.orders.map { task($0) }.joined()
        if !report.reasons.isEmpty { text += "\n" }
        for reason in report.reasons { text += "- **\(MarkdownText.escaped(reason.text))**\n" }
        if let looked = report.looked { text += "\n\(MarkdownText.escaped(looked))\n" }
        return text
    }

    private func task(_ part: ChecklistReport.Part, isCode: Bool = false) -> String {
        let name = isCode ? MarkdownText.code(part.name) : MarkdownText.escaped(part.name)
        var line = "- [\(part.result == .done ? "x" : " ")] \(name)"
        if !part.text.isEmpty {
            let text = MarkdownText.escaped(part.text)
            line += part.result == .done ? " \(text)" : " **\(text)**"
        }
        if let warning = part.warning { line += ", **\(MarkdownText.escaped(warning))**" }
        if let sample = part.sample, part.result == .failed || part.warning != nil { line += ", event \(sample)" }
        return line + "\n"
    }

    private func steps(_ funnel: ChecklistReply.Funnel) -> String {
        funnel.steps.map { "  - \(MarkdownText.escaped($0.name)): \(Quantity.count($0.reached))\n" }.joined()
    }
}

/// A run as a JUnit report: a test for each part, and one for each reason why the result is not certain.
/// - Source: https://github.com/testmoapp/junitxml
struct ChecklistJUnit {
    let report: ChecklistReport

    var text: String {
        let (parts, reasons) = (report.parts, report.reasons)
        let failures = parts.count { $0.result != .done }
        let counts = "tests=\"\(parts.count + reasons.count)\" failures=\"\(failures)\" errors=\"\(reasons.count)\""
        let name = Self.escaped(report.checklist.name)
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(counts)>\n"
        text += "  <testsuite name=\"\(name)\" \(counts) timestamp=\"\(report.checklist.startedAt)\">\n"
        for part in parts {
            let head = "    <testcase classname=\"\(name)\" name=\"\(Self.escaped(part.name))\""
            switch part.result {
            case .done:
                let output = part.warning.map { "><system-out>\(Self.escaped($0))</system-out></testcase>\n" }
                text += head + (output ?? "/>\n")
            case .missing, .failed:
                text +=
                    head
                    + "><failure type=\"\(part.result.rawValue)\" message=\"\(Self.escaped(part.text))\"/></testcase>\n"
            }
        }
        for reason in reasons {
            text += "    <testcase classname=\"\(name)\" name=\"gate \(reason.name.rawValue)\">"
            text += "<error type=\"\(reason.name.rawValue)\" message=\"\(Self.escaped(reason.text))\"/></testcase>\n"
        }
        if let looked = report.looked { text += "    <system-out>\(Self.escaped(looked))</system-out>\n" }
        return text + "  </testsuite>\n</testsuites>\n"
    }

    /// - Source: XML 1.0, 2.2 and 2.4
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in SafeText.neutralised(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// A run as annotations of a GitHub workflow.
/// - Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
struct ChecklistAnnotations {
    let report: ChecklistReport

    var text: String {
        let title = "checklist \(report.checklist.name)"
        var lines = report.parts.filter { $0.result != .done }.map { part in
            line("error", title, part.text.isEmpty ? part.name : "\(part.name): \(part.text)")
        }
        lines += report.reasons.map { line("error", title, $0.text) }
        lines += report.parts.compactMap { part in
            part.warning.map { line("warning", title, "\(part.name): \($0)") }
        }
        lines.append(line("notice", title, [report.heading, report.looked].compactMap(\.self).joined(separator: ". ")))
        return lines.joined()
    }

    private func line(_ command: String, _ title: String, _ message: String) -> String {
        "::\(command) title=\(Self.escaped(title, isProperty: true))::\(Self.escaped(message, isProperty: false))\n"
    }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        let safe = SafeText.neutralised(text).replacing("%", with: "%25")
        return isProperty ? safe.replacing(":", with: "%3A").replacing(",", with: "%2C") : safe
    }
}
