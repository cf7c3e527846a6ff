import Model
import Yams

extension SourceRule {
    /// The rule that applies when the settings have no sources: every entry that has a subsystem.
    static let anySubsystem = SourceRule(
        conditions: [.init(field: "SUBSYSTEM", value: Glob("*"))], name: nil, text: "subsystem: *")

    static func list(_ top: SettingsMapping, store: StoreOptions) -> [SourceRule] {
        guard top.value("sources") != nil else { return [anySubsystem] }
        return top.list("sources").enumerated().compactMap { index, node in
            SettingsMapping(
                node, path: "sources[\(index)]",
                keys: ["subsystem", "category", "match", "as", "payload", "keep", "share"],
                problems: top.problems
            ).flatMap { Self($0, store) }
        }
    }

    private init?(_ block: SettingsMapping, _ store: StoreOptions) {
        var conditions: [Condition] = []
        var text: [String] = []
        for (key, field) in [("subsystem", "SUBSYSTEM"), ("category", "CATEGORY")] {
            guard let pattern = block.string(key) else { continue }
            // An entry without CATEGORY has the empty category, which "*" matches: no condition is needed then.
            if key == "subsystem" || pattern != "*" {
                conditions.append(Condition(field: field, value: Glob(pattern)))
            }
            text.append("\(key): \(pattern)")
        }
        for node in block.list("match") {
            guard let match = node.string, let condition = Self.condition(match) else {
                block.wrong("match", "a list of FIELD=value, with the field's name as journalctl -o verbose shows it")
                continue
            }
            conditions.append(condition)
            text.append(match)
        }
        guard !conditions.isEmpty else {
            block.problems.add(
                "\(block.path) needs \"subsystem\" or \"match\": which entries does it take?", at: block.node)
            return nil
        }
        let name = Self.name(block)
        if block.value("subsystem") == nil && name == nil {
            block.problems.add(
                "\(block.path) needs \"as\": {subsystem: …, category: …}, what its events are to be called",
                at: block.node)
        }
        let payload = block.string("payload") ?? "MESSAGE"
        if !Self.isFieldName(payload) { block.wrong("payload", "a journal field's name, such as MESSAGE") }
        let retention = SourceRetention(
            maximumAge: block.duration("keep", in: .seconds(60)...(.seconds(86_400 * 36_500))),
            share: block.percentage("share"))
        if let most = retention.bytes(of: store.maximumBytes), most < store.smallestShare {
            let least = (store.smallestShare * 100 + store.maximumBytes - 1) / store.maximumBytes
            block.wrong("share", "larger: at least \(least)% of this store.max_size, so that two blocks have room")
        }
        self.init(
            conditions: conditions, name: name, payloadField: payload, text: text.joined(separator: ", "),
            retention: retention)
    }

    private static func name(_ block: SettingsMapping) -> Name? {
        guard let names = block.block("as", keys: ["subsystem", "category"]),
            let subsystem = names.required("subsystem", "the subsystem that its events are to have")
        else { return nil }
        return Name(subsystem: subsystem, category: names.string("category") ?? "")
    }

    private static func condition(_ text: String) -> Condition? {
        guard let parts = text.parts(at: "=") else { return nil }
        let field = String(parts.before)
        guard isFieldName(field) else { return nil }
        return Condition(field: field, value: Glob(String(parts.after)))
    }

    /// - Source: systemd.journal-fields(7): uppercase letters, digits and underscores, at most 64.
    private static func isFieldName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || $0 == 95 }
    }
}

extension DictionaryOptions {
    private static let keys = [
        "name", "path", "subsystem", "category", "ignore", "key", "types", "name_length", "reserved",
        "extra_parameters", "links",
    ]

    static func list(_ top: SettingsMapping, _ paths: SettingsPaths) -> [DictionaryOptions] {
        top.named("dictionaries", keys: keys) { block, name in
            guard let path = block.required("path", "the folder of its Markdown files") else { return nil }
            var options = DictionaryOptions(name: name, path: paths.resolve(path))
            if let pattern = block.string("subsystem") { options.subsystem = Glob(pattern) }
            if let pattern = block.string("category") { options.category = Glob(pattern) }
            if block.value("key") != nil {
                let key = block.list("key").compactMap(\.string)
                if key.count == 2, key[0] != key[1] {
                    (options.categoryKey, options.nameKey) = (key[0], key[1])
                } else {
                    block.wrong("key", "the two payload keys that hold event category and event name")
                }
            }
            if block.value("ignore") != nil {
                let patterns = block.list("ignore")
                options.ignore = patterns.compactMap(\.string).map { Glob($0) }
                if options.ignore.count < patterns.count { block.wrong("ignore", "a list of names of files") }
            }
            options.types = types(block)
            options.maximumNameLength = block.count("name_length", in: 1...256) ?? options.maximumNameLength
            if block.value("reserved") != nil {
                let names = block.list("reserved")
                options.reservedNames = names.compactMap(\.string)
                if options.reservedNames.count < names.count { block.wrong("reserved", "a list of names") }
            }
            options.extraParameters = extraParameters(block)
            options.links = links(block)
            return options
        }
    }

    private static func extraParameters(_ block: SettingsMapping) -> ExtraParameters {
        guard let node = block.value("extra_parameters") else { return .named([]) }
        let names = (node.sequence ?? []).compactMap(\.string)
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
            if let unknown = places.first(where: { !LinkTemplate.places.contains($0) }) {
                block.problems.add(
                    "\(block.path).links.\(name) has the unknown placeholder {\(unknown)}: there are "
                        + LinkTemplate.places.map { "{\($0)}" }.joined(separator: ", "), at: node)
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
        guard let scheme = ["https://", "http://"].first(where: address.hasPrefix) else { return nil }
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
