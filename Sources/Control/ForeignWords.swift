import Model

/// What people who know other programs mean by a word that glossctl does not have: those of journalctl, kubectl, docker, git, jq.
enum ForeignWords {
    /// Returns what to write for a command.
    static func command(_ word: String) -> String? { commands[ExactString(word.lowercased())] }

    private static let commands = table([
        ("log logs journal events query", "glossctl show prints events"),
        ("ls list get", "glossctl show prints events, and glossctl definitions what is defined"),
        ("grep find", "glossctl show -g PATTERN finds events, and glossctl search WORDS definitions"),
        ("follow watch", "glossctl tail prints events as they come"),
        ("errors", "glossctl show -p err prints them"), ("users", "glossctl values user lists them"),
        ("count", "glossctl stats counts events"),
        (
            "describe explain",
            "glossctl event ID explains an event, and glossctl definitions show CATEGORY/NAME a definition"
        ),
        ("start stop restart", "systemctl starts and stops glossd"), ("version", "write glossctl --version"),
        ("config", "glossd --check reads the settings"),
        (
            "check validate",
            "glossctl doctor checks the installation, glossctl lint definitions, and glossd --check the settings"
        ),
    ])

    /// What is written for an option, if the command has all words of it.
    private static let options = table([
        ("json", "-o json"), ("ndjson jsonl", "-o ndjson"), ("csv", "-o csv"), ("markdown md", "-o markdown"),
        ("format", "-o"), ("verbose", "-o full"), ("limit count head tail max number", "-n"),
        ("query filter selector", "--predicate"), ("search pattern regex regexp", "--grep"),
        ("from start after begin", "--since"), ("to end before", "--until"), ("sort order", "--reverse"),
        ("service", "--unit"), ("severity", "--level"), ("watch", "--follow"), ("group group-by", "--by"),
    ])

    /// Other words for the formats of `-o`, and those that may be meant, the first that a command has.
    private static let values = table([
        ("jsonl json-lines", "ndjson"), ("yaml", "json"), ("verbose long wide", "full"), ("pretty", "full text json"),
        ("table", "text markdown"), ("plain human", "text short"), ("raw", "cat"), ("md", "markdown"), ("tsv", "csv"),
    ])

    private static func table(_ rows: [(words: String, meant: String)]) -> [ExactString: String] {
        let all = rows.flatMap { row in row.words.split(separator: " ").map { (ExactString(String($0)), row.meant) } }
        return Dictionary(all) { first, _ in first }
    }

    /// Returns an error of ArgumentParser with what may be meant by an option or a value. By itself it suggests options that
    /// have nothing in common with the one that was written, and no values.
    /// - Parameter help: that of the command.
    static func explained(_ error: String, help: String) -> String {
        var error = error
        if let found = error.firstMatch(of: #/Unknown option '([^']*)'(?:\. Did you mean '[^']*'\?)?/#) {
            let hint = option(String(found.1), help).map { ". Did you mean '\($0)'?" } ?? ""
            error.replaceSubrange(found.range, with: "Unknown option '\(found.1)'\(hint)")
        } else if let found = error.firstMatch(of: #/The value '([^']*)' is invalid for '[^']*'\. /#) {
            // They follow on a line, or one on each.
            let rest = error[found.range.upperBound...].split(separator: "\n")
            let known =
                rest.prefix(1).flatMap { $0.matches(of: #/'([^']+)'/#).map { String($0.1) } }
                + rest.dropFirst().prefix { $0.hasPrefix("  - ") }.map { String($0.dropFirst(4)) }
            if let value = value(String(found.1), among: known) {
                error.insert(contentsOf: "Did you mean '\(value)'? ", at: found.range.upperBound)
            }
        }
        return error
    }

    private static func option(_ written: String, _ help: String) -> String? {
        guard written.hasPrefix("--") else { return nil }
        let name = String(written.dropFirst(2)).lowercased()
        let words = help.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
        let known = Set(exact: words)
        if let meant = options[ExactString(name)],
            meant.split(separator: " ").allSatisfy({ known.contains(ExactString(String($0))) })
        {
            return meant
        }
        let names = words.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
        return EditDistance.nearest(to: name, among: names).map { "--\($0)" }
    }

    private static func value(_ written: String, among known: [String]) -> String? {
        let meant = values[ExactString(written.lowercased())]?.split(separator: " ").map(String.init) ?? []
        return meant.first(where: known.contains) ?? EditDistance.nearest(to: written.lowercased(), among: known)
    }
}
