package import API
package import Model

extension Sample {
    /// What is stored instead of a hashed value: in tests, a number is its own hash.
    package static func hash(_ value: String) -> String {
        "<hash:\(String(repeating: "0", count: max(0, 32 - value.utf8.count)))\(value)>"
    }

    /// What a test says of one event that was sent.
    package struct Sent {
        package var key: EventKey?
        package var resolution = Resolution.resolved
        package var findings: Findings?
        package var payload = "{}"
        package var dictionary: String? = "shop"
        package var subsystem = "com.example.shop"
        package var category = "ActivityLog"
        package var version = "0123456789abcdef"

        package init(
            _ key: String, _ resolution: Resolution = .resolved, violations: [Violation] = [],
            warnings: [Warning] = [], payload: String = "{}"
        ) {
            self.key = EventKey(path: key)
            self.resolution = resolution
            self.payload = payload
            let found = Findings(violations: violations, warnings: warnings)
            findings = found.isEmpty ? nil : found
        }

        package func with(_ change: (inout Sent) -> Void) -> Sent {
            var changed = self
            change(&changed)
            return changed
        }
    }

    /// One millisecond apart, the first at `seqnum`.
    package static func batch(_ events: [Sent], from seqnum: UInt64 = 1) -> ResolvedBatch {
        var batch = ResolvedBatch(entriesRead: events.count)
        for (offset, event) in events.enumerated() {
            let start = batch.bytes.count
            batch.bytes += event.payload.utf8
            let cursor = cursor(seqnum + UInt64(offset))
            let entry = Entry(
                origin: origin(subsystem: event.subsystem, category: event.category), level: .notice, pid: 812,
                seqnum: cursor.seqnum,
                monotonicMicroseconds: cursor.monotonicMicroseconds,
                realtimeMicroseconds: cursor.realtimeMicroseconds, entryHash: entryHash(cursor.seqnum),
                payload: start..<batch.bytes.count)
            let kind = EventKind(
                dictionary: event.dictionary, definitionsVersion: event.dictionary.map { _ in event.version },
                key: event.key)
            batch.events.append(
                ResolvedEvent(entry: entry, resolution: event.resolution, kind: kind, findings: event.findings))
        }
        return batch
    }

    package static func definition(
        _ key: String, _ description: String = "", _ parameters: [Parameter] = [], obsolete: Bool = false
    ) -> Definition {
        let slash = key.firstIndex(of: "/") ?? key.endIndex
        return Definition(
            key: EventKey(category: String(key[..<slash]), name: String(key[slash...].dropFirst())),
            description: description, isObsolete: obsolete, parameters: parameters, line: 3)
    }

    /// - Parameter definitions: those of one category, if they stand together.
    package static func defining(
        _ definitions: [Definition], in name: String = "shop", common: [Parameter] = [],
        categoryParameters: [String: [Parameter]] = [:], links: [LinkTemplate] = []
    ) -> EventDictionary {
        let categories = Dictionary(grouping: definitions, by: \.key.category).map { name, definitions in
            DefinitionCategory(
                name: name, title: name, description: "", parameters: categoryParameters[name] ?? [],
                definitions: definitions)
        }
        return EventDictionary(
            options: DictionaryOptions(name: name, path: "/etc/gloss/\(name)", links: links),
            version: "0123456789abcdef", common: common, categories: categories.sorted { $0.name < $1.name })
    }
}

/// A dictionary with something for each report, and events that make a row of each kind.
extension Sample {
    package static let shop = defining(
        [
            definition(
                "recipe_detail/tap_save_button", "When the recipe was saved.\nNot when the dialog opens.",
                [
                    Parameter(name: "recipe_id", type: .bigint),
                    Parameter(name: "user_status", type: .string(), isOptional: true, isObsolete: true),
                ]),
            definition("recipe_detail/never_sent", "レシピを共有した時\nsecond line"),
            definition("recipe_detail/old_event", obsolete: true),
            definition("recipe_detail/older_event", obsolete: true),
            definition("search/run", "検索した時"),
        ],
        common: [Parameter(name: "user_id", type: .bigint)],
        categoryParameters: ["search": [Parameter(name: "col", type: .string(), isOptional: true, isObsolete: true)]],
        links: [
            LinkTemplate(name: "SQL", template: "https://sql.example.com/{category}/{event}"),
            LinkTemplate(name: "page", template: "https://example.com/?path={path}"),
        ])

    package static let loadedShop = LoadedDictionary(
        dictionary: shop, loadedAtMicroseconds: start, problem: "search.md:7: error: …",
        problems: [
            DefinitionProblemReply(
                file: "search.md", line: 7, column: 3, severity: .error, rule: "unknown-type", message: "…")
        ])

    package static let notABigint = Violation("recipe_id", .type("bigint", found: .string))
    package static let missing = Violation("user_id", .missing(type: "bigint", found: nil))

    /// Ids from 1 in a new store.
    package static let everyKind = [
        Sent("recipe_detail/tap_save_button", payload: #"{"recipe_id":12345678901234567890,"path":"/recipes/12"}"#),
        Sent("recipe_detail/tap_save_button", .violating, violations: [notABigint, missing]),
        Sent("recipe_detail/tap_save_button", .violating, violations: [notABigint]),
        Sent(
            "recipe_detail/tap_save_button", warnings: [.obsoleteParameter("user_status")],
            payload: #"{"recipe_id":1.50e3}"#),
        Sent("recipe_detail/old_event", warnings: [.obsoleteEvent]),
        Sent("search/run", warnings: [.obsoleteParameter("col")]),
        Sent("recipe_detail/tap_save_buton", .undefined),
        Sent("recipe_detail/tap_save_buton", .undefined),
        Sent("nothing/like_it_at_all", .undefined),
        Sent("somebody/elses", .undefined).with { $0.dictionary = nil },
    ]
}
