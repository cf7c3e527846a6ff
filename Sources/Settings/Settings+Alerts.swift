import JSON
package import Model
import Yams

extension AlertRule {
    private static let keys = ["name", "predicate", "when", "by", "show", "for", "every", "notify"]
    private static let longest = Duration.seconds(86_400 * 31)

    /// - Parameter notifiers: those that exist.
    static func list(
        _ top: SettingsMapping, _ predicates: [ExactString: ExactString], notifiers: [AlertNotifier]
    ) -> [AlertRule] {
        top.named("alerts", keys: keys) { block, name in
            let rule = Self(block, name: name, predicates)
            for name in rule?.notify ?? Self.notify(block) where !notifiers.contains(where: { $0.name == name.text }) {
                let known = notifiers.map(\.name).joined(separator: ", ")
                block.wrong(
                    "notify", "names of notifiers; \(known.isEmpty ? "there are none" : "there are \(known)")")
            }
            return rule
        }
    }

    /// Reads the rules of a text that has them as the settings do.
    /// - Parameters:
    ///   - file: what it is called, for messages.
    ///   - predicates: those that have names.
    /// - Returns: the rules, and the lines that their predicates are in.
    /// - Throws: `SettingsError` with every problem that was found, each with its line.
    package static func rules(
        yaml: String, file: String, predicates: [ExactString: ExactString]
    ) throws(SettingsError) -> [(rule: AlertRule, line: Int?)] {
        let problems = SettingsProblems(file: file)
        let root = try Settings.compose(yaml, file: file)
        let top = SettingsMapping(root, path: SettingsMapping.top, keys: Settings.keys, problems: problems)
        let rules = top.map { top in
            top.named("alerts", keys: keys) { block, name in
                Self(block, name: name, predicates).map { ($0, block.value("predicate")?.mark?.line) }
            }
        }
        guard problems.found.isEmpty else { throw SettingsError(problems: problems.found) }
        return rules ?? []
    }

    private init?(_ block: SettingsMapping, name: String, _ predicates: [ExactString: ExactString]) {
        guard block.required("predicate", "which events it is about, such as 'level >= error'") != nil,
            let predicate = block.predicate("predicate", predicates), let condition = Self.condition(block)
        else { return nil }
        let by = Self.keys("by", Self.mostKeys, "[event, user]", block)
        let show = Self.keys("show", Self.mostShown, "[message, user]", block)
        // A first event does not last.
        for key in ["for", "every"] where condition == .first && block.value(key) != nil {
            block.wrong(key, "left out with when: first")
        }
        self.init(
            name: name, predicate: predicate, condition: condition, by: by, show: show,
            holdTime: block.duration("for", in: .zero...Self.longest) ?? .zero,
            every: block.duration("every", in: .seconds(1)...Self.longest), notify: Self.notify(block))
    }

    private static func notify(_ block: SettingsMapping) -> [ExactString] {
        block.texts("notify", "a list of names of notifiers").map { ExactString($0) }
    }

    /// The most keys by which causes are distinguished; one more may be counted.
    private static let mostKeys = 3
    private static let mostShown = 8

    private static func keys(_ name: String, _ most: Int, _ example: String, _ block: SettingsMapping) -> [ExactString]
    {
        let list = block.list(name)
        let keys = list.compactMap(\.text).map { ExactString($0) }
        if keys.count < list.count || keys.count > most || Set(keys).count < keys.count {
            block.wrong(name, "a list of at most \(most) keys, such as \(example)")
        }
        return keys
    }

    private static func condition(_ block: SettingsMapping) -> Condition? {
        let form = """
            {count: 10, within: 5m}, {growth: 3, count: 20, within: 10m}, {distinct: user, count: 5, within: 10m}, \
            {absent: 15m}, or first
            """
        if block.value("when")?.string == "first" { return .first }
        guard block.value("when") != nil,
            let when = block.block("when", keys: ["count", "growth", "distinct", "within", "absent"])
        else {
            if block.value("when") == nil { block.wrong("when", form) }
            return nil
        }
        func count() -> Int { when.count("count", in: 1...1_000_000) ?? 1 }
        if when.value("absent") != nil {
            for key in ["count", "growth", "distinct", "within"] where when.value(key) != nil {
                when.wrong(key, "left out with absent")
            }
            return when.duration("absent", in: .seconds(1)...longest).map { .absent($0) }
        }
        guard let within = when.duration("within", in: .seconds(1)...longest) else {
            if when.value("within") == nil { block.wrong("when", form) }
            return nil
        }
        if when.value("growth") != nil {
            if when.value("distinct") != nil { when.wrong("distinct", "left out with growth") }
            guard let factor = when.value("growth")?.float, factor > 1, factor <= 1_000_000 else {
                when.wrong("growth", "a number larger than 1: how many times as many events as in the time before")
                return nil
            }
            return .growth(factor, count: count(), within: within)
        }
        if let key = when.string("distinct") {
            // So many values are distinguished.
            let least = when.count("count", in: 1...1000) ?? 1
            return .distinct(ExactString(key), count: least, within: within)
        }
        guard when.value("count") != nil else {
            block.wrong("when", form)
            return nil
        }
        return .count(count(), within: within)
    }
}

extension AlertNotifier {
    /// The keys that all types have.
    private static let commonKeys = ["name", "type", "template"]
    private static let webhookKeys = [
        "url", "url_credential", "url_file", "credential", "token_file", "ca_file", "headers", "timeout", "backoff",
    ]
    private static let commandKeys = ["command", "timeout"]
    private static let keys = commonKeys + webhookKeys + commandKeys

    static func list(_ top: SettingsMapping, _ paths: SettingsPaths) -> [AlertNotifier] {
        top.named("notifiers", keys: keys) { block, name in
            guard let type = block.required("type", "webhook, command or journal") else { return nil }
            let kind: Kind?
            switch type {
            case "webhook":
                kind = webhook(block, name, paths)
                refuse(block, type, except: webhookKeys)
            case "command":
                kind = command(block)
                refuse(block, type, except: commandKeys)
            case "journal":
                kind = .journal
                refuse(block, type, except: [])
            default:
                block.wrong("type", "webhook, command or journal")
                kind = nil
            }
            let template = block.string("template")
            if let template, let problem = problem(template, isJSON: type == "webhook") {
                block.wrong("template", problem)
            }
            return kind.map { AlertNotifier(name: name, kind: $0, template: template) }
        }
    }

    /// Reports the keys of other types. It does not repeat what they are set to: an address may be secret.
    private static func refuse(_ block: SettingsMapping, _ type: String, except own: [String]) {
        for key in Set(keys).subtracting(commonKeys + own).sorted() {
            guard let node = block.value(key) else { continue }
            block.problems.add("\(block.path).\(key) must be left out with type: \(type)", at: node)
        }
    }

    private static func problem(_ template: String, isJSON: Bool) -> String? {
        if let problem = AlertTemplate.problem(template) { return problem }
        guard isJSON else { return nil }
        // A notice may have an event, and then what it shows of it.
        let isObject = [Int64?.none, 1].allSatisfy { event in
            let sample = AlertNotice(
                alert: "a", state: .test, cause: [.init(key: "k", value: "\"\n")], text: "t", time: 0, since: 0,
                event: event)
            let notice = event == nil ? sample : sample.showing(sample.cause)
            let text = Array(AlertTemplate.text(template, notice, isJSON: true).utf8)
            return (try? JSONScanner.members(of: text)) != nil
        }
        return !isObject
            ? "a JSON object in whose strings {{…}} stands, such as '{\"text\": \"{{text}}\"}'" : nil
    }

    private static func webhook(_ block: SettingsMapping, _ name: String, _ paths: SettingsPaths) -> Kind? {
        let file = block.secretFile("url_credential", or: "url_file", paths)
        let url = block.string("url")
        if url != nil, let other = ["url_credential", "url_file"].first(where: { block.value($0) != nil }) {
            block.wrongSecret("url", "left out when \"\(other)\" is set: there is one of the two")
            return nil
        }
        guard url != nil || file != nil else {
            // What is no text was reported.
            if ["url", "url_credential", "url_file"].allSatisfy({ block.value($0) == nil }) {
                block.wrongSecret(
                    "url",
                    "an address that begins with https:// or http://; a secret one is in url_credential or url_file")
            }
            return nil
        }
        if let url, !url.isWebAddress {
            block.wrongSecret("url", "an address that begins with https:// or http://")
        }
        return .webhook(SinkOptions(webhook: block, name: name, url: url ?? "", paths), urlFile: file)
    }

    private static func command(_ block: SettingsMapping) -> Kind? {
        let nodes = block.items("command") ?? []
        let arguments = nodes.compactMap(\.string)
        guard arguments.count == nodes.count, arguments.first?.hasPrefix("/") ?? false else {
            block.wrong("command", "a list: the path of a program, and its arguments; there is no shell")
            return nil
        }
        return .command(arguments.map { ExactString($0) }, timeout: block.timeout)
    }
}
