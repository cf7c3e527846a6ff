package import Model

/// Finds changes between two versions of a dictionary after which events of the old version may break the new one, or
/// stored events are no longer described.
package enum Evolution {
    /// - Parameter earlier: the other problems of the new dictionary's files, which count toward the same limit.
    /// - Returns: problems at the new dictionary's lines. A removed definition is reported at its event or file, or at
    ///   the folder when the file is gone.
    package static func check(
        _ new: EventDictionary, against old: EventDictionary, after earlier: [DefinitionProblem] = []
    ) -> [DefinitionProblem] {
        var comparison = DictionaryComparison(new: new, old: old, after: earlier)
        comparison.run()
        return comparison.findings.problems.inOrder
    }
}

struct DictionaryComparison {
    private let new: EventDictionary
    private let old: EventDictionary
    /// Privacy goes by name: the strictest annotation of each name in the new version.
    private let privacy: [ExactString: Privacy]
    private(set) var findings: RuleFindings
    /// The problems that were reported. Shared parameters are compared for each event but reported once.
    private var reported: Set<DefinitionProblem> = []

    init(new: EventDictionary, old: EventDictionary, after earlier: [DefinitionProblem]) {
        self.new = new
        self.old = old
        let parameters = new.common + new.categories.flatMap { $0.parameters + $0.definitions.flatMap(\.parameters) }
        privacy = Dictionary(parameters.map { (ExactString($0.name), $0.privacy) }, uniquingKeysWith: max)
        findings = RuleFindings(after: earlier)
    }

    mutating func run() {
        for before in old.categories where !before.definitions.isEmpty {
            guard let after = new.category(before.name) else {
                let count = before.definitions.count == 1 ? "its event" : "its \(before.definitions.count) events"
                report(
                    .categoryRemoved, new.options.path, 0,
                    "\(before.name).md is gone, and \(count) with it: keep the file and write `## [obsolete] name`")
                continue
            }
            compare(before, after)
        }
    }

    private mutating func compare(_ before: DefinitionCategory, _ after: DefinitionCategory) {
        let events = Dictionary(after.definitions.map { (ExactString($0.key.name), $0) }) { first, _ in first }
        let file = "\(after.name).md"
        for event in before.definitions {
            let name = event.key.name
            guard let now = events[name] else {
                report(
                    .eventRemoved, file, 1, "`\(name)` is gone, and may still be sent: write `## [obsolete] \(name)`",
                    as: event.isObsolete ? .warning : .error)
                continue
            }
            let then = Parameters(own: event, of: before, in: old)
            compare(then, Parameters(own: now, of: after, in: new), event: now, file)
        }
    }

    private mutating func compare(_ then: Parameters, _ now: Parameters, event: Definition, _ file: String) {
        for (name, before) in then.byName.sorted(by: { $0.key < $1.key }) {
            if let after = now.byName[name] {
                compare(before.parameter, after, file)
            } else {
                removed(name.text, before, event: event, file)
            }
        }
        for (name, after) in now.byName.sorted(by: { $0.key < $1.key })
        where then.byName[name] == nil && after.parameter.isRequired {
            report(
                .parameterRequired, after.file(in: file), after.parameter.line,
                "`\(name)` is new and required, and programs in use do not send it: write "
                    + "`\(name): \(after.parameter.typeText(isOptional: true))`", at: name.text)
        }
    }

    private mutating func removed(_ name: String, _ before: Parameters.Placed, event: Definition, _ file: String) {
        let text = "[obsolete] \(name): \(before.parameter.typeText(isOptional: before.parameter.isOptional))"
        let severity: DefinitionProblem.Severity = before.parameter.isObsolete ? .warning : .error
        let message = "is gone, and may still be sent: write `- \(text)`"
        switch before.level {
        case .event:
            report(
                .parameterRemoved, file, event.line, "`\(name)` of `\(event.key.name)` \(message)", at: event.key.name,
                as: severity)
        case .category: report(.parameterRemoved, file, 1, "`\(name)` \(message)", as: severity)
        case .common:
            let file = DictionaryParser.commonFile
            report(.parameterRemoved, file, 1, "`\(name)` of all events \(message) in \(file)", as: severity)
        }
    }

    private mutating func compare(_ before: Parameter, _ placed: Parameters.Placed, _ file: String) {
        var after = placed.parameter
        after.privacy = max(after.privacy, privacy[ExactString(after.name)] ?? .public)
        for change in ParameterChange.changes(from: before, to: after) {
            report(
                change.rule, placed.file(in: file), placed.parameter.line, "`\(before.name)` \(change.message)",
                at: before.name)
        }
    }

    private mutating func report(
        _ rule: LintRule, _ file: String, _ line: Int, _ message: String, at subject: String? = nil,
        as severity: DefinitionProblem.Severity? = nil
    ) {
        let problem = DefinitionProblem(rule, severity, file: file, line: line, message: message)
        guard reported.insert(problem).inserted else { return }
        findings.add(rule, file, line, message, at: subject, as: severity)
    }
}

/// All parameters that an event may have, by name.
private struct Parameters {
    enum Level { case event, category, common }

    struct Placed {
        var parameter: Parameter
        var level: Level

        /// - Parameter category: the category's file.
        func file(in category: String) -> String { level == .common ? DictionaryParser.commonFile : category }
    }

    var byName: [ExactString: Placed] = [:]

    init(own event: Definition, of category: DefinitionCategory, in dictionary: EventDictionary) {
        add(event.parameters, .event)
        add(category.parameters, .category)
        add(dictionary.common, .common)
    }

    private mutating func add(_ parameters: [Parameter], _ level: Level) {
        for parameter in parameters where byName[parameter.name] == nil {
            byName[parameter.name] = Placed(parameter: parameter, level: level)
        }
    }
}
