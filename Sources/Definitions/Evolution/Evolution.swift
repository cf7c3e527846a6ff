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
    /// Where parameters may be that stand side by side in payloads: with `parameters_at`, those of `common.md` are in another
    /// object than those of the event.
    private let places: [[Parameters.Level]]
    private(set) var findings: RuleFindings
    /// The places of the parameters that were compared: shared ones are parameters of many events.
    private var compared: Set<ExactString> = []
    /// The problems that were reported: what concerns shared parameters is found at each event.
    private var reported: Set<DefinitionProblem> = []

    init(new: EventDictionary, old: EventDictionary, after earlier: [DefinitionProblem]) {
        self.new = new
        self.old = old
        var privacy: [ExactString: Privacy] = [:]
        new.forEachParameter { privacy[$0.name] = max(privacy[$0.name] ?? .public, $0.privacy) }
        self.privacy = privacy
        let layouts = new.options.layouts
        places =
            (layouts.contains { $0.parametersAt == nil } ? [[.event, .category, .common]] : [])
            + (layouts.contains { $0.parametersAt != nil } ? [[.event, .category], [.common]] : [])
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
        let types = Dictionary(new.types.map { (ExactString($0.name), $0) }) { first, _ in first }
        for before in old.types {
            if let after = types[before.name], !before.members.isEmpty, !after.members.isEmpty {
                compare(before, after)
            }
        }
    }

    private mutating func compare(_ before: TypeDefinition, _ after: TypeDefinition) {
        if before.allowsExtra, !after.allowsExtra {
            extraRefused("`\(after.name)` does", after.file, after.line, at: after.name)
        }
        let members = Dictionary(after.members.map { (ExactString($0.name), $0) }) { first, _ in first }
        for member in before.members {
            if let now = members[member.name] {
                compare(member, of: before.file, now, of: after.file)
            } else {
                removed(member, from: "`\(member.name)` of `\(after.name)`", after.file, after.line, at: after.name)
            }
        }
        let names = Set(exact: before.members.map(\.name))
        for member in after.members where !names.contains(member.name) { added(member, after.file) }
    }

    private mutating func compare(_ before: DefinitionCategory, _ after: DefinitionCategory) {
        let events = Dictionary(after.definitions.map { (ExactString($0.key.name), $0) }) { first, _ in first }
        let file = after.file
        if before.sentAs != after.sentAs {
            sentNameChanged("the category", from: before.sentAs, to: after.sentAs, file, 1)
        }
        for event in before.definitions {
            let name = event.key.name
            guard let now = events[name] else {
                report(
                    .eventRemoved, file, 1, "`\(name)` is gone, and may still be sent: write `## [obsolete] \(name)`",
                    as: event.isObsolete ? .warning : .error)
                continue
            }
            if event.sentAs != now.sentAs {
                let severity: DefinitionProblem.Severity = event.isObsolete ? .warning : .error
                sentNameChanged(
                    "`\(name)`", from: event.sentAs, to: now.sentAs, file, now.line, at: name, as: severity)
            }
            if old.extra(in: event, of: before) == .all, new.extra(in: now, of: after) != .all {
                extraRefused(event, of: before, now, of: after)
            }
            for levels in places {
                let then = Parameters(own: event, of: before, in: old, levels)
                compare(then, Parameters(own: now, of: after, in: new, levels), event: now, file)
            }
        }
    }

    private mutating func sentNameChanged(
        _ what: String, from before: String, to after: String, _ file: String, _ line: Int, at subject: String? = nil,
        as severity: DefinitionProblem.Severity? = nil
    ) {
        let (before, after) = (Name.shown(before), Name.shown(after))
        let message = "\(what) was sent as `\(before)` and is sent as `\(after)` now: programs in use send `\(before)`"
        report(.sentNameChanged, file, line, "\(message), define another event", at: subject, as: severity)
    }

    /// Reports it where it is said: at the event, its category or `common.md`.
    private mutating func extraRefused(
        _ before: Definition, of category: DefinitionCategory, _ now: Definition, of current: DefinitionCategory
    ) {
        let name = now.key.name
        if now.allowsExtra != nil || before.allowsExtra != nil {
            extraRefused("`\(name)` does", current.file, now.line, at: name)
        } else if current.allowsExtra != nil || category.allowsExtra != nil {
            extraRefused("the events of this category do", current.file, 1)
        } else {
            extraRefused("events do", DictionaryParser.commonFile, 1)
        }
    }

    private mutating func extraRefused(_ what: String, _ file: String, _ line: Int, at subject: String? = nil) {
        let message = "\(what) not allow other parameters any more, and they may still be sent: write"
        report(.extraRefused, file, line, "\(message) `extra parameters: allowed`", at: subject)
    }

    private mutating func compare(_ then: Parameters, _ now: Parameters, event: Definition, _ file: String) {
        for (name, before) in then.byName.sorted(by: { $0.key < $1.key }) {
            if let after = now.byName[name] {
                compare(before.parameter, of: before.file(in: file), after.parameter, of: after.file(in: file))
            } else {
                removed(name.text, before, event: event, file)
            }
        }
        for (name, after) in now.byName.sorted(by: { $0.key < $1.key })
        where then.byName[name] == nil {
            added(after.parameter, after.file(in: file))
        }
    }

    private mutating func added(_ parameter: Parameter, _ file: String) {
        guard parameter.isRequired else { return }
        let name = parameter.name
        report(
            .parameterRequired, file, parameter.line,
            "`\(name)` is new and required, and programs in use do not send it: write "
                + "`\(name): \(parameter.type.text(isOptional: true))`", at: name)
    }

    private mutating func removed(_ name: String, _ before: Parameters.Placed, event: Definition, _ file: String) {
        let parameter = before.parameter
        switch before.level {
        case .event:
            let what = "`\(name)` of `\(event.key.name)`"
            removed(parameter, from: what, file, event.line, at: event.key.name)
        case .category: removed(parameter, from: "`\(name)`", file, 1)
        case .common:
            let file = DictionaryParser.commonFile
            removed(parameter, from: "`\(name)` of all events", file, 1, hint: " in \(file)")
        }
    }

    private mutating func removed(
        _ parameter: Parameter, from what: String, _ file: String, _ line: Int, at subject: String? = nil,
        hint: String = ""
    ) {
        let text = "[obsolete] \(parameter.name): \(parameter.typeText)"
        report(
            .parameterRemoved, file, line, "\(what) is gone, and may still be sent: write `- \(text)`\(hint)",
            at: subject, as: parameter.isObsolete ? .warning : .error)
    }

    private mutating func compare(_ before: Parameter, of old: String, _ after: Parameter, of file: String) {
        guard compared.insert("\(old):\(before.line) \(file):\(after.line)") else { return }
        var after = after
        after.privacy = max(after.privacy, privacy[ExactString(after.name)] ?? .public)
        for change in ParameterChange.changes(from: before, to: after) {
            report(change.rule, file, after.line, "`\(before.name)` \(change.message)", at: before.name)
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

extension TypeDefinition {
    /// Whether its values may have members that are not defined.
    fileprivate var allowsExtra: Bool { if case .object(let object) = meaning { object.allowsExtra } else { false } }
}

/// The parameters that an event may have on some levels, by name.
private struct Parameters {
    enum Level { case event, category, common }

    struct Placed {
        var parameter: Parameter
        var level: Level

        /// - Parameter category: the category's file.
        func file(in category: String) -> String { level == .common ? DictionaryParser.commonFile : category }
    }

    var byName: [ExactString: Placed] = [:]

    init(own event: Definition, of category: DefinitionCategory, in dictionary: EventDictionary, _ levels: [Level]) {
        for level in levels {
            switch level {
            case .event: add(event.parameters, level)
            case .category: add(category.parameters, level)
            case .common: add(dictionary.common, level)
            }
        }
    }

    private mutating func add(_ parameters: [Parameter], _ level: Level) {
        for parameter in parameters where byName[parameter.name] == nil {
            byName[parameter.name] = Placed(parameter: parameter, level: level)
        }
    }
}
