import Definitions
import JSON
import Model

/// The problems of the definitions that a command checks.
struct LintReport {
    struct Finding {
        /// The path as the user would write it.
        var path: String
        var problem: DefinitionProblem
    }

    /// The findings by path, line and column.
    private(set) var findings: [Finding] = []
    private(set) var fileCount = 0
    /// What else there is to say, one line each: which files were passed over.
    private(set) var notes: [String] = []

    var errors: Int { findings.count { $0.problem.severity == .error } }
    var warnings: Int { findings.count - errors }

    /// - Throws: `CommandFailure` when the earlier version cannot be read.
    mutating func add(_ set: DefinitionSet, against: String?) throws(CommandFailure) {
        let (dictionary, found) = DictionaryParser.read(set.files, options: set.options)
        var problems = set.unread
        // If nothing could be read, that is already reported.
        problems += set.files.isEmpty ? [] : found
        if let against, !set.files.isEmpty {
            let earlier = try EarlierVersion.files(of: set.options, at: against)
            let old = DictionaryParser.read(earlier, options: set.options).dictionary
            // A definition that seems removed from a file with errors may only be misspelled.
            let broken = Set(exact: problems.lazy.filter { $0.severity == .error }.map(\.file))
            let changes = Evolution.check(dictionary, against: old, after: problems)
            let sound = changes.filter {
                !broken.contains($0.file) && (!set.unread.hasErrors || $0.file != set.options.path)
            }
            // If common.md is gone, it has no lines.
            let placed = sound.map { problem in
                set.isKnown(problem.file)
                    ? problem
                    : DefinitionProblem(
                        problem.rule, problem.severity, file: set.options.path, message: problem.message)
            }
            problems += placed.located(in: set.files)
        }
        if let only = set.only {
            problems.removeAll { !only.contains($0.file) && $0.file != set.options.path }
            for name in only.map(\.text).sorted() where !set.isKnown(name) && !set.ignored.contains(name) {
                let message = "hidden files are not read: name it otherwise"
                problems.append(DefinitionProblem(.unreadableFile, file: name, message: message))
            }
        }
        let all = set.files.count + Set(exact: set.unread.map(\.file)).count
        fileCount += set.only?.count { !set.ignored.contains($0.text) } ?? all
        notes += set.notes
        findings += problems.map { Finding(path: set.path(of: $0), problem: set.shown($0)) }
        findings.sort { $0.problem.isBefore($1.problem, files: ($0.path, $1.path)) }
    }

    /// The counts, such as `3 errors, 2 warnings in 12 files`.
    var summary: String {
        "\(errors.counted("error")), \(warnings.counted("warning")) in \(fileCount.counted("file"))"
    }

    func text(_ format: LintFormat, on console: ToolConsole) -> String {
        switch format {
        case .text: findings.map { $0.line(inColour: console.showsColour) + "\n" }.joined()
        case .json: console.machineText(json())
        case .sarif: console.machineText(sarif())
        }
    }
}

extension LintReport.Finding {
    /// Returns the problem in the form of compilers: `definitions/a.md:3:4: error [rule]: …`.
    func line(inColour: Bool) -> String {
        let place = "\(path):\(problem.line):\(problem.column)"
        var severity = problem.severity.rawValue
        if inColour { severity = "\u{1B}[\(problem.severity == .error ? "31" : "33")m\(severity)\u{1B}[0m" }
        let message = SafeText.neutralised(problem.message)
        return "\(SafeText.neutralised(place)): \(severity) [\(problem.rule.rawValue)]: \(message)"
    }
}

extension ToolConsole {
    fileprivate var showsColour: Bool {
        isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}

extension LintReport {
    /// Returns one JSON object: the problems in the order of the text output, and their counts.
    func json() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("problems")
        writer.beginArray()
        for finding in findings {
            writer.beginObject()
            writer.key("file")
            writer.string(finding.path)
            writer.key("line")
            writer.integer(finding.problem.line)
            writer.key("column")
            writer.integer(finding.problem.column)
            writer.key("severity")
            writer.string(finding.problem.severity.rawValue)
            writer.key("rule")
            writer.string(finding.problem.rule.rawValue)
            writer.key("message")
            writer.string(finding.problem.message)
            writer.endObject()
        }
        writer.endArray()
        writer.key("errors")
        writer.integer(errors)
        writer.key("warnings")
        writer.integer(warnings)
        writer.key("files")
        writer.integer(fileCount)
        writer.endObject()
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
