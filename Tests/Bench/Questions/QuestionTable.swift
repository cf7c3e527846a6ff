/// What one program took for a question.
struct QuestionFigures {
    /// In milliseconds; `nil` if it printed nothing.
    var firstByte: Double?
    /// In milliseconds.
    var time: Double
    /// The most private memory.
    var bytes: Int

    var times: String { "\(firstByte.map(rounded) ?? "–") / \(rounded(time))" }
}

/// A program that Gloss is compared with.
enum Rival {
    case notAsked
    /// A program is not installed.
    case missing(String)
    /// It gave no answer.
    case failed
    /// - Parameter isSame: whether it found what Gloss finds.
    case asked(QuestionFigures, isSame: Bool)

    var figures: QuestionFigures? { if case .asked(let figures, _) = self { figures } else { nil } }

    /// Its times, memory and ratio.
    fileprivate func cells(_ ours: QuestionFigures) -> [String] {
        switch self {
        case .notAsked: ["", "", ""]
        case .missing(let program): ["no \(program)", "", ""]
        case .failed: ["failed", "", ""]
        case .asked(let figures, let isSame):
            [
                figures.times + (isSame ? "" : " (finds others)"), memory(figures.bytes),
                "\((figures.time / ours.time * 100).rounded() / 100)",
            ]
        }
    }
}

struct QuestionResult {
    var question: Question
    var found: Int
    var glossctl: QuestionFigures
    /// The most private memory of the process that runs a statement; 0 where there is none.
    var workerBytes: Int
    /// A request over the socket, in milliseconds.
    var daemonTime: Double
    /// The most private memory of the daemon, and how much more that is than before the question.
    var daemonBytes: Int
    var growth: Int
    var journalctl: Rival
    var sqlite: Rival

    /// Private memory that the daemon may grow by, in bytes.
    private static let growthGoal = 12_000_000

    private var goals: [(text: String, isReached: Bool)] {
        var goals: [(text: String, isReached: Bool)] = []
        if let goal = question.goal { goals.append(("glossd \(Int(goal)) ms", daemonTime <= goal)) }
        if let other = journalctl.figures {
            let ratio = other.time > 1000 ? 20.0 : 1
            goals.append(("\(Int(ratio)) × journalctl", other.time >= ratio * glossctl.time))
        }
        if question.beatsSQLite, let other = sqlite.figures {
            goals.append(("1 × sqlite3", other.time >= glossctl.time))
        }
        return goals + [("growth 12 MB", growth <= Self.growthGoal)]
    }

    private var missed: String { goals.filter { !$0.isReached }.map(\.text).joined(separator: ", ") }

    var summary: String {
        "\(question.what): \(found) found, \(rounded(glossctl.time)) ms"
            + (missed.isEmpty ? "" : ", missed: \(missed)")
    }

    static let head = [
        "question", "finds", "glossctl, ms", "MB", "glossd, ms", "MB", "growth", "journalctl, ms", "MB", "ratio",
        "sqlite3, ms", "MB", "ratio", "to reach", "missed",
    ]

    var cells: [String] {
        let worker = workerBytes > 0 ? " + \(memory(workerBytes))" : ""
        return [question.what, "\(found)", glossctl.times, memory(glossctl.bytes) + worker]
            + [rounded(daemonTime), memory(daemonBytes), memory(growth)] + journalctl.cells(glossctl)
            + sqlite.cells(glossctl) + [goals.map(\.text).joined(separator: ", "), missed]
    }
}

/// All questions about one workload.
struct QuestionTable {
    let journal: GeneratedJournal
    /// The private memory of the daemon before the first question.
    let daemonBytes: Int
    var results: [QuestionResult] = []

    init(journal: GeneratedJournal, daemonBytes: Int) {
        (self.journal, self.daemonBytes) = (journal, daemonBytes)
    }

    var text: String {
        """
        Questions about \(journal.events) events of the \(journal.workload.name) workload. Times are those of the first byte \
        and of all, in ms: medians of three to nine goes, of other programs that take more than a second one go. Memory is the \
        most private memory, in MB: of commands and pipelines with all their processes, and with that of gloss-sql added \
        for SQL; of glossd also by how much it grew during the question. It had \(memory(daemonBytes)) MB before the first one. \
        Ratios are to the whole time of glossctl.

        \(markdownTable([QuestionResult.head] + results.map(\.cells)))
        """
    }
}

/// In MB, without the unit.
private func memory(_ bytes: Int) -> String { "\((Double(bytes) / 1e5).rounded() / 10)" }
