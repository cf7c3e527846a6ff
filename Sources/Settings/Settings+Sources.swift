import Model
import Yams

extension SourceRule {
    /// The rule that applies when the settings have no sources: every entry that has a subsystem.
    static let anySubsystem = SourceRule(
        conditions: [.init(field: "SUBSYSTEM", value: Glob("*"))], name: nil, text: "subsystem: *")

    /// - Parameter dictionaries: those of the settings, which its events may be looked up in.
    static func list(
        _ top: SettingsMapping, store: StoreOptions, dictionaries: [DictionaryOptions]
    ) -> [SourceRule] {
        guard top.value("sources") != nil else { return [anySubsystem] }
        var firsts: [ExactString: (place: Int, rule: SourceRule)] = [:]
        return top.list("sources").enumerated().compactMap { index, node in
            guard
                let block = SettingsMapping(node, path: "sources[\(index)]", keys: keys, problems: top.problems),
                let rule = Self(block, store)
            else { return nil }
            // Layouts, limits and the sources of stored events go by the text.
            guard let first = firsts[ExactString(rule.text)] else {
                firsts[ExactString(rule.text)] = (index, rule)
                rule.checkLayout(block, dictionaries)
                return rule
            }
            if rule == first.rule {
                block.problems.doubt("\(block.path) is left out: sources[\(first.place)] is the same")
            } else {
                let same = "sources[\(first.place)] has the same conditions; remove one of the two"
                block.problems.add("\(block.path) takes nothing: \(same)", at: node)
            }
            return nil
        }
    }

    private static let keys = [
        "subsystem", "category", "match", "as", "payload", "format", "key", "parameters_at", "level", "time", "keep",
        "share",
    ]

    private init?(_ block: SettingsMapping, _ store: StoreOptions) {
        var conditions: [Condition] = []
        var text: [String] = []
        for (key, field) in [("subsystem", "SUBSYSTEM"), ("category", "CATEGORY")] {
            guard let pattern = block.string(key) else { continue }
            // An entry without CATEGORY has the empty category, which "*" matches: no condition is needed then.
            if key == "subsystem" || pattern != "*" {
                conditions.append(Condition(field: field, value: Glob(pattern)))
            }
            text.append("\(key): \(Self.shown(pattern))")
        }
        for node in block.list("match") {
            guard let match = node.string, let (field, value) = Self.parts(match) else {
                block.wrong("match", "a list of FIELD=value, with the field's name as journalctl -o verbose shows it")
                continue
            }
            if field.hasPrefix("__") {
                block.wrong("match", "without \(field): names with __ are of an entry's address, not fields")
            }
            conditions.append(Condition(field: field, value: Glob(value)))
            text.append("\(field)=\(Self.shown(value))")
        }
        guard !conditions.isEmpty else {
            block.problems.add(
                "\(block.path) needs \"subsystem\" or \"match\": which entries does it take?", at: block.node)
            return nil
        }
        let (name, event) = Self.names(block)
        if block.value("subsystem") == nil && name == nil {
            block.problems.add(
                "\(block.path) needs \"as\": {subsystem: …, category: …}, what its events are to be called",
                at: block.node)
        }
        let retention = SourceRetention(
            maximumAge: block.duration("keep", in: .seconds(60)...(.seconds(86_400 * 36_500))),
            share: block.percentage("share"))
        if let most = retention.bytes(of: store.maximumBytes), most < store.smallestShare {
            let least = (store.smallestShare * 100 + store.maximumBytes - 1) / store.maximumBytes
            block.wrong("share", "larger: at least \(least)% of this store.max_size, so that two blocks have room")
        }
        self.init(
            conditions: conditions, name: name, payloadFields: Self.payloadFields(block),
            text: text.joined(separator: ", "),
            retention: retention)
        layout = LayoutOverride(block)
        let format = block.choice("format", of: PayloadFormat.self)
        if format != .json { layout.format = format }
        layout.level = LayoutOverride.payloadMember("level", of: block)
        layout.time = LayoutOverride.payloadMember("time", of: block)
        if layout.format?.hasPairs ?? false, block.value("parameters_at") != nil {
            block.wrong("parameters_at", "left out with this format, whose payloads have no objects in them")
        }
        if let event {
            if event.name != Self.anyName, block.value("key") != nil {
                block.wrong("key", "left out, because as.event says which event it is")
            }
            layout.category = .fixed(ExactString(event.category))
            if event.name != Self.anyName { layout.name = .fixed(ExactString(event.name)) }
        }
    }

    /// Reports a part of the key that would have to be a string and an object. The source says at least one of the two.
    private func checkLayout(_ block: SettingsMapping, _ dictionaries: [DictionaryOptions]) {
        let covering = dictionaries.filter { $0.mayCover(self) }
        let used = covering.prefix((covering.firstIndex { $0.coversAll(self) } ?? covering.count) + 1)
        var bases = used.map { ($0.layout, ", here or in dictionary \($0.name),") }
        if bases.isEmpty { bases = [(.usual, "")] }
        for (base, place) in bases where base.contradiction == nil {
            guard let key = layout.applied(to: base).contradiction else { continue }
            if block.value("key") != nil {
                block.wrong("key", "without \(key): key or parameters_at\(place) has it as an object as well")
            } else {
                block.wrong("parameters_at", "outside \(key), which is a part of the key")
            }
            return
        }
    }

    /// The name in `as: {event: …}` that leaves the name to the key.
    private static let anyName = "*"

    private static func names(_ block: SettingsMapping) -> (Name?, event: EventKey?) {
        guard let names = block.block("as", keys: ["subsystem", "category", "event"]) else { return (nil, nil) }
        let event = names.string("event").flatMap { text in
            let parts = text.parts(at: "/").map { EventKey(category: String($0.before), name: String($0.after)) }
            guard let parts, !parts.category.isEmpty, !parts.name.isEmpty, parts.category != Self.anyName else {
                names.wrong("event", "CATEGORY/NAME, or CATEGORY/\(Self.anyName) for the name in the key")
                return EventKey?.none
            }
            return parts
        }
        // Entries that are taken by their subsystem have one.
        let isNamed = names.value("subsystem") != nil || names.value("category") != nil
        if !isNamed, block.value("subsystem") != nil, names.value("event") != nil { return (nil, event) }
        guard let subsystem = names.required("subsystem", "the subsystem that its events are to have") else {
            return (nil, event)
        }
        return (Name(subsystem: subsystem, category: names.string("category") ?? ""), event)
    }

    private static func payloadFields(_ block: SettingsMapping) -> [ExactString] {
        guard let node = block.value("payload") else { return ["MESSAGE"] }
        let names = node.sequence.map { $0.map(\.text) } ?? [node.text]
        let fields = names.compactMap(\.self).filter(isFieldName)
        if fields.isEmpty || fields.count < names.count || Set(exact: fields).count < fields.count {
            block.wrong(
                "payload", "a journal field's name, such as MESSAGE, or a list of them: the first that is there counts")
        }
        return fields.map { ExactString($0) }
    }

    private static func parts(_ match: String) -> (field: String, value: String)? {
        guard let parts = match.parts(at: "="), isFieldName(String(parts.before)) else { return nil }
        return (String(parts.before), String(parts.after))
    }

    /// Returns a value as the rule's text has it: between quotes if it might be read as two conditions.
    private static func shown(_ value: String) -> String {
        value.parts(at: ", ") == nil && !value.utf8.contains(UInt8(ascii: "\"")) ? value : YAMLText.quoted(value)
    }

    /// - Source: systemd.journal-fields(7): uppercase letters, digits and underscores, at most 64.
    static func isFieldName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isDigit || $0.isCapital || $0 == UInt8(ascii: "_") }
    }
}

extension DictionaryOptions {
    private static let keys = [
        "name", "path", "subsystem", "category", "ignore", "key", "parameters_at", "types", "name_length", "reserved",
        "extra_parameters", "links",
    ]

    static func list(_ top: SettingsMapping, _ paths: SettingsPaths) -> [DictionaryOptions] {
        top.named("dictionaries", keys: keys) { block, name in
            guard let path = block.required("path", "the folder of its Markdown files") else { return nil }
            var options = DictionaryOptions(name: name, path: paths.resolve(path))
            if let pattern = block.string("subsystem") { options.subsystem = Glob(pattern) }
            if let pattern = block.string("category") { options.category = Glob(pattern) }
            options.layout = LayoutOverride(block).applied(to: options.layout)
            if let key = options.layout.contradiction {
                block.wrong("key", "without \(key): key or parameters_at has it as an object as well")
            }
            if block.value("ignore") != nil {
                options.ignore += block.texts("ignore", "a list of names of files").map { Glob($0) }
            }
            options.types = types(block)
            options.maximumNameLength = block.count("name_length", in: 1...256) ?? options.maximumNameLength
            if block.value("reserved") != nil {
                options.reservedNames = block.texts("reserved", "a list of names")
            }
            options.extraParameters = extraParameters(block)
            options.links = links(block)
            return options
        }
    }

    /// Gives dictionaries the layouts of sources whose events they may cover, and sources the journal fields that keys need.
    static func connect(_ dictionaries: inout [DictionaryOptions], _ sources: inout [SourceRule]) {
        for source in sources.indices {
            let (rule, text) = (sources[source], ExactString(sources[source].text))
            // Of events that no dictionary covers, the key is found as well.
            var layouts = [rule.layout.applied(to: .usual)]
            for index in dictionaries.indices where dictionaries[index].mayCover(rule) {
                let layout = rule.layout.applied(to: dictionaries[index].layout)
                layouts.append(layout)
                if !rule.layout.isEmpty { dictionaries[index].layoutOfSource[text] = layout }
            }
            sources[source].keyFields = Set(layouts.flatMap(\.journalFields)).sorted()
        }
    }

    fileprivate func mayCover(_ rule: SourceRule) -> Bool {
        if let name = rule.name { return subsystem.matches(name.subsystem) && category.matches(name.category) }
        return patterns(for: rule).allSatisfy { pattern, values in
            values.isEmpty || values.contains { $0.overlaps(pattern) }
        }
    }

    /// Whether it covers all events of a rule that it may cover.
    fileprivate func coversAll(_ rule: SourceRule) -> Bool {
        rule.name != nil
            || patterns(for: rule).allSatisfy { pattern, values in
                let isCovered = values.allSatisfy { $0.exactText.map { pattern.matches($0) } ?? ($0 == pattern) }
                return pattern.pattern == "*" || !values.isEmpty && isCovered
            }
    }

    /// Its patterns, each with the values that a rule takes entries by.
    private func patterns(for rule: SourceRule) -> [(pattern: Glob, values: [Glob])] {
        [(SenderField.subsystem, subsystem), (.category, category)].map { field, pattern in
            (pattern, rule.conditions.filter { $0.field == field.journalName }.map(\.value))
        }
    }

    private static func extraParameters(_ block: SettingsMapping) -> ExtraParameters {
        guard let node = block.value("extra_parameters") else { return .named([]) }
        let names = (node.sequence ?? []).compactMap(\.text)
        if node.string == "allowed" { return .all }
        if node.string != "refused", names.isEmpty || names.count < node.sequence?.count ?? 0 {
            block.wrong("extra_parameters", "refused, allowed, or a list of the names that are allowed")
        }
        return .named(names.map { ExactString($0) })
    }

    private static func links(_ block: SettingsMapping) -> [LinkTemplate] {
        block.pairs("links").compactMap { name, node in
            guard let template = node.string, let host = host(of: template) else {
                block.problems.add(
                    "\(block.path).links.\(name) must be an address that begins with https:// or http://, such as "
                        + "\"https://git.example.com/search?q={event}\"", at: node)
                return nil
            }
            let places = template.matches(of: #/\{([^{}]*)\}/#).map { String($0.output.1) }
            if let unknown = places.first(where: { LinkTemplate.Place(rawValue: $0) == nil }) {
                block.problems.add(
                    "\(block.path).links.\(name) has the unknown placeholder {\(unknown)}: there are "
                        + LinkTemplate.Place.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", "), at: node)
            }
            if host.contains("{") {
                block.problems.add(
                    "\(block.path).links.\(name) has a placeholder in the host of the address, \(host): "
                        + "placeholders are allowed in path, query and fragment, such as \"https://git.example.com/search?q={event}\"",
                    at: node)
            }
            if template.replacing(#/\{[^{}]*\}/#, with: "").contains(where: { "{}".contains($0) }) {
                block.problems.add(
                    "\(block.path).links.\(name) has an unmatched brace: write %7B or %7D",
                    at: node)
            }
            return LinkTemplate(name: name, template: template)
        }
    }

    /// Returns host and port of an address; `nil` when it is not an address or has no host.
    private static func host(of address: String) -> Substring? {
        guard let scheme = address.webScheme else { return nil }
        let host = address.unicodeScalars.dropFirst(scheme.count).prefix { !"/?#".unicodeScalars.contains($0) }
        return host.isEmpty ? nil : Substring(host)
    }

    private static func types(_ block: SettingsMapping) -> [ExactString: CustomType] {
        var types: [ExactString: CustomType] = [:]
        for (name, node) in block.pairs("types") {
            if let list = node.sequence {
                let values = list.compactMap(\.string)
                if values.isEmpty || values.count < list.count {
                    block.problems.add("\(block.path).types.\(name) must list texts, at least one", at: node)
                } else if Set(exact: values).count < values.count {
                    block.problems.add("\(block.path).types.\(name) lists a value twice: remove one", at: node)
                }
                types[name] = .values(values.map { ExactString($0) })
            } else if let text = node.string, let type = ParameterType(builtIn: text) {
                types[name] = .same(as: type)
            } else {
                let known = (ParameterType.builtInNames + ["any"]).joined(separator: ", ")
                block.problems.add(
                    "\(block.path).types.\(name) must be a built-in type (\(known)) or a list of allowed values",
                    at: node)
            }
        }
        return types
    }
}

extension LayoutOverride {
    /// Reads `key` and `parameters_at`.
    init(_ block: SettingsMapping) {
        self.init()
        if block.value("key") != nil {
            let key = (block.items("key") ?? []).map { $0.text.flatMap(Self.part) }
            let parts = key.compactMap(\.self)
            if parts.count == key.count, (1...2).contains(parts.count), Set(parts).count == parts.count {
                (category, name) = (parts.count == 1 ? .definingFile : parts[0], parts[parts.count - 1])
            } else {
                block.wrong("key", Self.keyForm)
            }
        }
        if let node = block.value("parameters_at") {
            parametersAt = node.text.flatMap(Self.path)
            if parametersAt == nil {
                block.wrong("parameters_at", "the member with the parameters, such as properties or data.order")
            }
        }
    }

    /// Reads the member of the payload that a key of the settings names: `payload.NAME`.
    fileprivate static func payloadMember(_ key: String, of block: SettingsMapping) -> MemberPath? {
        guard let node = block.value(key) else { return nil }
        let path = node.text.flatMap { $0.rest(after: "payload.") }.flatMap { Self.path(String($0)) }
        if path == nil { block.wrong(key, "a member of the payload, such as payload.\(key) or payload.log.\(key)") }
        return path
    }

    private static let keyForm =
        """
        a list of the places of event category and event name, or only of the name: members of the payload, such as event \
        or context.event, or journal fields, such as \(KeyPart.journalPrefix)EVENT_NAME
        """

    private static func part(_ text: String) -> KeyPart? {
        guard let field = text.rest(after: KeyPart.journalPrefix) else { return path(text).map { .member($0) } }
        return SourceRule.isFieldName(String(field)) ? .journalField(ExactString(String(field))) : nil
    }

    private static func path(_ text: String) -> MemberPath? {
        let path = MemberPath(text)
        return path.steps.contains("") || path.steps.count > maximumSteps ? nil : path
    }

    /// Deeper than any payload that people write.
    private static let maximumSteps = 16
}
