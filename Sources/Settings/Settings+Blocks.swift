import Model
import Predicates
import Yams

extension JournalOptions {
    init(_ top: SettingsMapping, _ paths: SettingsPaths, store: StoreOptions) {
        let block = top.block("journal", keys: ["directory", "namespace", "start", "max_field_size"])
        var location = JournalLocation.machine
        switch (block?.string("directory"), block?.string("namespace")) {
        case (let directory?, nil):
            if directory.isEmpty { block?.wrong("directory", "the path of a folder of journal files") }
            location = .directory(paths.resolve(directory))
        case (nil, let namespace?):
            if !JournalLocation.isNamespace(namespace) {
                block?.wrong(
                    "namespace", "a name as LogNamespace= in a unit has it, of at most 79 letters, digits and :-_.@")
            }
            location = .namespace(namespace)
        case (_?, _?): block?.wrong("namespace", "left out when journal.directory is set: only one journal is read")
        case (nil, nil): break
        }
        let longest = block?.bytes("max_field_size", in: 1 << 10...64 << 20) ?? 1 << 20
        // For a moment a payload is in the store twice; the filter of its values takes space too.
        if longest > store.maximumBytes / 8 {
            let most = ByteCount.text(store.maximumBytes / 8)
            block?.wrong("max_field_size", "smaller: at most an eighth of store.max_size, which is \(most)")
        }
        self.init(
            location: location, start: block?.startPoint("start") ?? .oldest, maximumFieldBytes: Int(longest))
    }
}

extension StoreOptions {
    init(_ top: SettingsMapping, _ paths: SettingsPaths) {
        let block = top.block("store", keys: ["path", "max_size", "max_age", "when_full"])
        self.init(
            path: paths.resolve(block?.string("path") ?? "/var/lib/gloss/events.sqlite"),
            maximumBytes: block?.bytes("max_size", in: 8 << 20...1 << 44) ?? 1 << 30,
            maximumAge: block?.duration("max_age", in: .seconds(60)...(.seconds(86_400 * 36_500)))
                ?? .seconds(86_400 * 30),
            whenFull: block?.choice("when_full", of: WhenFull.self) ?? .pause)
    }
}

extension ControlOptions {
    init(_ top: SettingsMapping, _ paths: SettingsPaths) {
        let keys = ["socket", "mode", "admin_group", "max_tails", "max_body_size", "max_tail_lag"]
        let block = top.block("control", keys: keys)
        var mode: UInt32 = 0o660
        // Without quotes, it has the same digits.
        if let node = block?.value("mode") {
            if let text = node.string, let parsed = UInt32(text, radix: 8), parsed <= 0o777, parsed & 0o600 == 0o600 {
                mode = parsed
            } else {
                block?.wrong("mode", "octal permission bits that let the daemon's own user in, such as \"0660\"")
            }
        }
        let socket = paths.resolve(block?.string("socket") ?? "/run/gloss/control.sock")
        if socket.utf8.count > 107 {
            block?.wrong("socket", "at most 107 bytes long, the limit for a Unix socket's path")
        }
        self.init(
            socket: socket,
            mode: mode,
            adminGroup: block?.string("admin_group"),
            maximumTails: block?.count("max_tails", in: 1...1000) ?? 32,
            maximumBodyBytes: Int(block?.bytes("max_body_size", in: 1 << 10...16 << 20) ?? 64 << 10),
            maximumTailLag: block?.count("max_tail_lag", in: 100...10_000_000) ?? 10_000)
    }
}

extension SinkOptions {
    private static let keys = [
        "name", "type", "url", "enabled", "start", "predicate", "compression", "batch", "backoff", "probe_interval",
        "timeout", "credential", "token_file", "ca_file", "headers",
    ]

    /// - Parameter predicates: those that have names.
    static func list(
        _ top: SettingsMapping, _ paths: SettingsPaths, store: StoreOptions, predicates: [ExactString: ExactString]
    ) -> [SinkOptions] {
        // A batch that is saved takes room twice, in the log and in the database, and several sinks have one each.
        let largest = store.maximumBytes / 32
        return top.named("sinks", keys: keys) { block, name in
            let sink = Self(block, name: name, paths, predicates, largestBatch: largest)
            if let sink, Int64(sink.maximumBatchBytes) > largest {
                block.wrong("batch", "smaller: max_bytes may be at most a 32nd of store.max_size, here \(largest)B")
            }
            return sink
        }
    }

    private init?(
        _ block: SettingsMapping, name: String, _ paths: SettingsPaths, _ predicates: [ExactString: ExactString],
        largestBatch: Int64
    ) {
        if let type = block.required("type", "the kind of sink; \"http\" sends NDJSON by POST"), type != "http" {
            block.wrong("type", "\"http\"")
        }
        guard let url = block.required("url", "where the events go, such as https://logs.example.com/ingest") else {
            return nil
        }
        if !url.isWebAddress {
            block.wrongSecret("url", "an address that begins with https:// or http://")
        }
        let batch = block.block("batch", keys: ["max_events", "max_bytes", "max_age"])
        self.init(name: name, url: url)
        isEnabled = block.bool("enabled") ?? isEnabled
        start = block.startPoint("start") ?? start
        predicate = block.predicate("predicate", predicates)
        compression = block.choice("compression", of: Compression.self) ?? compression
        maximumBatchEvents = batch?.count("max_events", in: 1...100_000) ?? maximumBatchEvents
        let usualBytes = min(Int64(maximumBatchBytes), largestBatch)
        maximumBatchBytes = Int(batch?.bytes("max_bytes", in: 1 << 10...64 << 20) ?? usualBytes)
        maximumBatchAge = batch?.duration("max_age", in: .zero ... .seconds(3600)) ?? maximumBatchAge
        probeInterval = block.duration("probe_interval", in: .seconds(1) ... .seconds(86_400)) ?? probeInterval
        readRequests(block, paths)
    }

    /// The options of requests to a webhook.
    init(webhook block: SettingsMapping, name: String, url: String, _ paths: SettingsPaths) {
        self.init(name: name, url: url)
        (compression, backoffCap) = (.none, .seconds(60))
        readRequests(block, paths)
    }

    /// Reads what requests of sinks and of webhooks have in common.
    private mutating func readRequests(_ block: SettingsMapping, _ paths: SettingsPaths) {
        let backoff = block.block("backoff", keys: ["base", "cap"])
        let base = backoff?.duration("base", in: .milliseconds(1) ... .seconds(3600))
        let cap = backoff?.duration("cap", in: .milliseconds(1) ... .seconds(86_400))
        // One that is not written does not contradict the other.
        backoffBase = base ?? min(backoffBase, cap ?? backoffCap)
        backoffCap = cap ?? max(backoffBase, backoffCap)
        if backoffCap < backoffBase {
            backoff?.wrong("cap", "at least as long as base, which is \(DurationText.text(backoffBase))")
        }
        timeout = block.timeout
        tokenFile = block.secretFile("credential", or: "token_file", paths)
        caFile = block.string("ca_file").map(paths.resolve)
        headers = Self.headers(block)
    }

    private static func headers(_ block: SettingsMapping) -> [ExactString: ExactString] {
        var headers: [ExactString: ExactString] = [:]
        for (name, node) in block.pairs("headers") {
            if ["authorization", "proxy-authorization", "cookie"].contains(name.lowercased()) {
                block.wrong("headers", "without \(name): secrets are not in the settings; use credential or token_file")
            } else if headers.keys.contains(where: { $0.text.lowercased() == name.lowercased() }) {
                block.wrong("headers", "without a second \(name): case makes no difference in names of headers")
            } else if let value = node.string, isHeaderValue(value), isToken(name) {
                headers[name] = ExactString(value)
            } else {
                block.wrong("headers", "a block of HTTP header names and their one-line values")
            }
        }
        return headers
    }

    /// - Source: RFC 9110, section 5.6.2
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy(\.isTokenByte)
    }

    /// Whether it has no control characters except the tab.
    /// - Source: RFC 9110, section 5.5
    private static func isHeaderValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

extension SettingsMapping {
    /// Predicates by their names.
    func predicates() -> [ExactString: ExactString] {
        var predicates: [ExactString: ExactString] = [:]
        let pairs = pairs("predicates")
        let names = Set(exact: pairs.map(\.0))
        for (name, node) in pairs {
            guard NamedPredicates.isName(name), let text = node.string else {
                problems.add(
                    "predicates must be a block of names (at most 64 letters, digits, - and _) and predicates",
                    at: node)
                continue
            }
            do throws(PredicateError) {
                try Self.check(text, names)
                predicates[ExactString(name)] = ExactString(text)
            } catch {
                problems.add("predicates.\(name): \(error)", at: node)
            }
        }
        let named = NamedPredicates(predicates)
        for (name, node) in pairs {
            guard let text = predicates[ExactString(name)] else { continue }
            do throws(PredicateError) {
                _ = try named.expanded(text.text)
            } catch {
                problems.add("predicates.\(name): \(error)", at: node)
            }
        }
        return predicates
    }

    /// A predicate with the texts of the names in it. The dictionaries may know its parameters or not.
    /// - Parameter named: predicates that have names.
    func predicate(_ key: String, _ named: [ExactString: ExactString]) -> String? {
        guard let text = string(key) else { return nil }
        do throws(PredicateError) {
            try Self.check(text, Set(named.keys))
            return try NamedPredicates(named).expanded(text)
        } catch {
            wrong(key, "a predicate: \(error.reason)")
            return nil
        }
    }

    private static func check(_ predicate: String, _ names: Set<ExactString>) throws(PredicateError) {
        var unknown: PredicateSyntax.Word?
        try PredicateParser.parse(predicate).forEachName { word in
            if !names.contains(word.text) { unknown = unknown ?? word }
        }
        if let unknown { throw PredicateError("there is no @\(unknown.text)", in: predicate, at: unknown.range) }
    }

    /// How long an attempt may take.
    var timeout: Duration { duration("timeout", in: .milliseconds(100) ... .seconds(600)) ?? .seconds(30) }

    /// The file of a secret: a credential of the unit, or one that the settings name.
    func secretFile(_ credential: String, or file: String, _ paths: SettingsPaths) -> String? {
        let (name, path) = (string(credential), string(file))
        if let name, name.isEmpty || name == "." || name == ".." || name.contains("/") {
            wrong(credential, "the name of a credential (LoadCredential= in the unit), not a path")
        }
        if path?.isEmpty == true { wrong(file, "the path of a file") }
        if name != nil, path != nil {
            wrong(file, "left out when \"\(credential)\" is set: there is one of the two")
        }
        return name.map(paths.credential) ?? path.map(paths.resolve)
    }

    /// A list of blocks that each have a name of their own.
    func named<Item>(_ key: String, keys: [String], _ make: (SettingsMapping, String) -> Item?) -> [Item] {
        var names: Set<ExactString> = []
        return list(key).enumerated().compactMap { index, node in
            guard let block = SettingsMapping(node, path: "\(key)[\(index)]", keys: keys, problems: problems),
                let name = block.required("name", "a name of its own, of letters, digits, - and _")
            else { return nil }
            if !name.utf8.allSatisfy(\.isNameByte) || name.utf8.count > 64 {
                block.wrong("name", "at most 64 letters, digits, - and _")
            }
            if !names.insert(name) {
                block.wrong("name", "a name that no other of the \(key) has")
            }
            return make(block, name)
        }
    }
}

extension String {
    /// Whether it begins with https:// or http://, in upper or lower case.
    var isWebAddress: Bool { webScheme != nil }

    /// The https:// or http:// that it begins with, in lower case.
    var webScheme: String? { ["https://", "http://"].first { lowercased().hasPrefix($0) } }
}
