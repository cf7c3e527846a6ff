import Foundation

/// What is asked of Gloss, and of the programs that a user would ask instead.
struct Question: Sendable {
    /// What an answer consists of, which is what has to be the same in all answers.
    enum Answer: Sendable {
        /// A line for each event.
        case events
        /// A line for each event, below a heading.
        case table
        /// A line of text for each event; more of an event is indented by more than its columns.
        case text
        /// Many lines for each event. The first says that it is one, and those of other programs are not indented.
        case sheets
        /// A line for each group. The numbers of events are compared: Gloss has them in a column, the others in front.
        case groups
        /// A line for each value.
        case values
        /// Rows as CSV, in any order.
        case rows
    }

    var what: String
    var answer: Answer
    /// The arguments of `glossctl`.
    var glossctl: [String]
    /// The same for a client of the socket.
    var target: String
    /// `nil` where the journal has no answer.
    var journalctl: JournalQuestion?
    /// For sqlite3 and an exported file.
    var sql: String?
    /// How long the daemon may take, in milliseconds.
    var goal: Double?
    /// Whether Gloss is to be faster than sqlite3.
    var beatsSQLite = false
}

/// How the journal is asked.
struct JournalQuestion: Sendable {
    /// Of `journalctl`.
    var arguments: [String]
    /// The commands of a shell that get its output; `nil` if it is the answer.
    var pipe: String?

    init(_ arguments: [String], pipe: String? = nil) {
        (self.arguments, self.pipe) = (arguments, pipe)
    }

    /// - Parameters:
    ///   - members: the journal fields that are read, or all of them.
    ///   - jq: what `jq` runs. `payload` is the object in a message, or an empty one.
    static func jq(
        _ arguments: [String], members: [String] = [], options: String = "-c", _ jq: String, then pipe: String? = nil
    ) -> JournalQuestion {
        let fields = members.isEmpty ? [] : ["--output-fields=\(members.joined(separator: ","))"]
        let program = "def payload: .MESSAGE | fromjson? // {}; \(jq)"
        return JournalQuestion(fields + arguments, pipe: "jq \(options) '\(program)'\(pipe.map { " | \($0)" } ?? "")")
    }

    var usesJQ: Bool { pipe?.hasPrefix("jq") ?? false }

    /// What the table calls it.
    var name: String { usesJQ ? "journalctl and jq" : "journalctl" }

    func command(_ journal: GeneratedJournal) -> Command {
        // Long messages, too.
        let journalctl = Command.journalctl(journal, ["--all"] + arguments)
        guard let pipe else { return journalctl }
        let words = journalctl.arguments.map { "'\($0)'" }.joined(separator: " ")
        return Command.shell("journalctl \(words) | \(pipe)")
    }
}

extension Question.Answer {
    var isOfEvents: Bool { [.events, .table, .text, .sheets].contains(self) }
}

extension Question {
    /// The same question with an answer in another form.
    /// - Parameters:
    ///   - format: of `glossctl`.
    ///   - other: what journalctl is asked then.
    func printed(
        _ how: String, _ format: String, as answer: Answer, _ other: JournalQuestion, sql: String? = nil
    ) -> Question {
        var question = self
        question.what += ", \(how)"
        question.answer = answer
        question.glossctl += ["-o", format]
        question.journalctl = other
        question.sql = sql
        return question
    }

    /// All events that a predicate selects.
    /// - Parameter sql: the condition for rows of `events`.
    static func events(
        _ what: String, _ predicate: String, _ journalctl: JournalQuestion?, sql: String, goal: Double? = nil
    ) -> Question {
        Question(
            what: what, answer: .events, glossctl: ["show", predicate, "-n", "all", "-o", "ndjson"],
            target: target("/v1/events", [("n", "all"), ("order", "oldest"), ("predicate", predicate)]),
            journalctl: journalctl, sql: "SELECT * FROM events WHERE \(sql)", goal: goal)
    }

    /// All events whose text a regular expression matches.
    static func grep(
        _ what: String, _ pattern: String, _ matches: [String] = [], sql: String, goal: Double? = nil
    ) -> Question {
        Question(
            what: what, answer: .events, glossctl: ["show", "--grep", pattern, "-n", "all", "-o", "ndjson"],
            target: target("/v1/events", [("n", "all"), ("order", "oldest"), ("grep", pattern)]),
            journalctl: JournalQuestion(["--grep=\(pattern)"] + matches), sql: "SELECT * FROM events WHERE \(sql)",
            goal: goal)
    }

    /// The newest events of a category.
    static func newest(_ what: String, category: String, goal: Double) -> Question {
        let number = "100"
        return Question(
            what: "newest \(number) of \(what) category", answer: .events,
            glossctl: ["show", "--category", category, "-n", number, "-o", "ndjson"],
            target: target("/v1/events", [("n", number), ("order", "oldest"), ("category", category)]),
            journalctl: JournalQuestion(["-n", number, "CATEGORY=\(category)"]),
            sql: "SELECT * FROM events WHERE category = '\(category)' ORDER BY time DESC LIMIT \(number)", goal: goal)
    }

    /// The largest groups by some keys.
    /// - Parameters:
    ///   - sql: the same keys, of `events`.
    ///   - jq: prints the keys of an entry.
    static func groups(
        _ what: String, by keys: [String], top: Int = 1000, sql: String, _ matches: [String], members: [String],
        jq: String, goal: Double? = nil
    ) -> Question {
        groups(
            what, by: keys, top: top,
            sql: "SELECT count(*), \(sql) FROM events GROUP BY \(sql) ORDER BY 1 DESC LIMIT \(top)",
            .jq(
                matches, members: members, options: "-r", jq,
                then: "LC_ALL=C sort | uniq -c | sort -rn | head -n \(top)"),
            goal: goal)
    }

    /// - Parameter options: names of parameters of the API, which are also options of `glossctl stats`.
    static func groups(
        _ what: String, by keys: [String], _ options: [(name: String, value: String)] = [], top: Int = 1000,
        sql: String, _ journalctl: JournalQuestion?, goal: Double? = nil
    ) -> Question {
        let words = options.flatMap { ["--\($0.name)", $0.value] }
        return Question(
            what: what, answer: .groups,
            glossctl: ["stats", "--by", keys.joined(separator: ","), "--top", "\(top)", "--utc", "-o", "csv"] + words,
            target: target("/v1/stats", keys.map { ("by", $0) } + [("top", "\(top)")] + options),
            journalctl: journalctl, sql: sql, goal: goal)
    }

    /// The values of a key.
    static func values(
        _ what: String, of key: String, _ journalctl: JournalQuestion, sql: String, goal: Double? = nil
    ) -> Question {
        Question(
            what: what, answer: .values, glossctl: ["values", key, "-o", "cat"],
            target: target("/v1/stats", [("by", key), ("top", "1000")]), journalctl: journalctl,
            sql: "SELECT DISTINCT \(sql) FROM events WHERE \(sql) IS NOT NULL LIMIT 1000", goal: goal)
    }

    /// The rows of a statement.
    static func rows(
        _ what: String, _ statement: String, _ journalctl: JournalQuestion? = nil, sqlite: String? = nil,
        beatsSQLite: Bool = false
    ) -> Question {
        Question(
            what: "SQL: \(what)", answer: .rows, glossctl: ["sql", statement, "-o", "csv"],
            target: target("/v1/sql", [("n", "all"), ("statement", statement)]), journalctl: journalctl,
            sql: sqlite ?? statement, beatsSQLite: beatsSQLite)
    }

    private static func target(_ path: String, _ parameters: [(name: String, value: String)]) -> String {
        let items = parameters.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        return "\(path)?\(items.joined(separator: "&"))"
    }
}
