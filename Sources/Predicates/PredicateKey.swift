package import Model

/// A key that predicates have for what every event may have. `allCases` is the only list of these keys: the reader, the errors,
/// and the table in docs/predicates.md (by a test) follow it. Beside them are the parameters: `payload.NAME`, or the name alone.
package struct PredicateKey: Sendable, CaseIterable {
    package enum Meaning: Sendable {
        case number(Predicate.NumberKey)
        case text(Predicate.TextKey)
        case uid, cursor
        case message
        /// The value of the parameters that have the role.
        case role(ParameterRole)
    }

    package let name: String
    /// Other names, of which some are those that macOS has.
    package let aliases: [String]
    package let meaning: Meaning
    package let description: String
    package let example: String

    private init(
        _ name: String, _ meaning: Meaning, aliases: [String] = [], _ description: String, _ example: String
    ) {
        (self.name, self.aliases, self.meaning) = (name, aliases, meaning)
        (self.description, self.example) = (description, example)
    }

    /// - Source: log(1) of macOS, "Predicate-based filtering", for its names and shorthands
    package static let allCases: [PredicateKey] =
        [
            PredicateKey(
                "level", .number(.level), aliases: ["type", "messageType"],
                "How severe it is, by the program if it says so, else by the journal. More severe levels are larger",
                "level >= error"),
            PredicateKey(
                "journal_level", .number(.journalLevel), "The level that journald has for it", "journal_level == info"),
            PredicateKey(
                "program_level", .number(.programLevel), "The level that the program itself says",
                "program_level >= warning"),
            PredicateKey("time", .number(.time), "When it was sent", "time > -5m"),
            PredicateKey(
                "program_time", .number(.programTime), "When it happened, by the program itself",
                #"program_time < "2026-11-21 10:00""#),
            PredicateKey("id", .number(.id), "Its number in this store", "id > 4711"),
            PredicateKey(
                "uid", .uid, "Its identity, the same whenever the store is rebuilt, and upstream",
                "uid == c264115c409ee21dbb3eac09cf10f0cd"),
            PredicateKey(
                "cursor", .cursor, "The cursor of its journal entry, as of `journalctl --show-cursor`",
                #"cursor == "s=44a362342f764fb882825237a5de6b55;i=3d08d;b=4d5f7b2c1a9e4c0d8f3b6a7000000000;m=5a00ae10;t=65bff338df790""#
            ),
            PredicateKey("pid", .number(.pid), aliases: ["processID"], "The sender's process id", "pid in {812, 813}"),
        ] + SenderField.allCases.map(ofSender) + [
            PredicateKey(
                "boot", .text(.boot), aliases: ["boot_id"], "The boot in which it was sent",
                "boot == 5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596"),
            PredicateKey(
                "event", .text(.event), "Its key, `CATEGORY/NAME`; undefined events have one, too",
                "event like recipe_detail/*"),
            PredicateKey(
                "event.category", .text(.eventCategory), "The first part of its key", "event.category == recipe_detail"),
            PredicateKey("event.name", .text(.eventName), "The second part of its key", "event.name beginswith tap_"),
            PredicateKey(
                "resolution", .text(.resolution), "What resolving its payload resulted in",
                "resolution in {violating, undefined}"),
            PredicateKey("dictionary", .text(.dictionary), "The dictionary that covers it", "dictionary == shop"),
            PredicateKey(
                "definitions", .text(.definitions), aliases: ["definitions_version"],
                "The version of the dictionary that it was resolved with", "definitions == 00c0ffee00c0ffee"),
            PredicateKey(
                "violation.rule", .text(.violationRule), "The rule that one of its parameters breaks",
                "violation.rule == missing"),
            PredicateKey(
                "violation.parameter", .text(.violationParameter), "A parameter that breaks its definition",
                "violation.parameter == recipe_id"),
            PredicateKey("warning.rule", .text(.warningRule), "The rule of one of its warnings", "warning.rule == cut"),
            PredicateKey(
                "warning.parameter", .text(.warningParameter), "A parameter with a warning",
                "exists warning.parameter"),
            PredicateKey(
                "resolution.reason", .text(.reason), "Why it is malformed, or undefined although it has a definition",
                "exists resolution.reason"),
            PredicateKey(
                "message", .message, aliases: ["m", "eventMessage"],
                "Its text as it came, and its payload: one is enough",
                #"message contains "no such recipe""#),
            PredicateKey(
                "user", .role(.user), "The value of a parameter with the role `user`", "user == 42"),
            PredicateKey(
                "device", .role(.device), "The value of a parameter with the role `device`", "exists device"),
        ]

    private static func ofSender(_ field: SenderField) -> PredicateKey {
        let aliases: [String] =
            switch field {
            case .subsystem: ["s"]
            case .category: ["c"]
            case .identifier: ["p", "process"]
            default: []
            }
        return PredicateKey(
            field.name, .text(.sender(field)), aliases: aliases, field.description, "\(field.name) == \(field.example)")
    }

    private static let byName = Dictionary(
        allCases.flatMap { key in ([key.name] + key.aliases).map { (ExactString($0), key) } }
    ) { first, _ in first }

    package static func named(_ name: String) -> PredicateKey? { byName[ExactString(name)] }

    /// The values that the key may have, if there are only a few.
    package var values: [String]? {
        switch meaning {
        case .number(let key) where key.isLevel: Level.allCases.map(\.name)
        case .text(.resolution): Resolution.allCases.map(\.rawValue)
        case .text(.violationRule): Violation.Rule.allCases.map(\.rawValue)
        case .text(.warningRule): Warning.Rule.allCases.map(\.rawValue)
        default: nil
        }
    }
}
