import Model

/// Renders the result of a verification as text.
struct VerificationRenderer: Sendable {
    private typealias Row = (name: String, count: Int64, meaning: String, tint: Tint)

    private let style: Style

    init(style: Style) {
        self.style = style
    }

    func text(_ found: JournalVerification) -> String {
        let unread = found.unread > 0 ? ", \(Quantity.count(found.unread)) not read yet" : ""
        let entries = "\(Self.entries(found.entries)) of the journal examined\(unread)"
        return [
            StyledLine(entries, .heading).rendered(style.uncut) + "\n" + table(Self.entryRows(found)),
            StyledLine("Sequence numbers that no file has", .heading).rendered(style) + "\n"
                + table(Self.numberRows(found)),
            found.isWhole
                ? StyledLine("Everything is accounted for.", .good).rendered(style) + "\n" : unexplained(found),
        ].joined(separator: "\n")
    }

    /// The progress: `42.0 %, 507,238 entries, 3 unexplained`.
    static func progress(_ percent: Double, _ found: JournalVerification) -> String {
        let unexplained = found.unexplained > 0 ? ", \(Quantity.count(found.unexplained)) unexplained" : ""
        return "\(Quantity.progress(percent: percent)), \(entries(found.entries))\(unexplained)"
    }

    /// The reason why not everything is accounted for; `nil` if everything is.
    static func failure(_ found: JournalVerification) -> String? {
        guard !found.isWhole else { return nil }
        var parts: [String] = []
        if found.unexplained > 0 { parts.append(entries(found.unexplained)) }
        if found.unexplainedNumbers > 0 { parts.append(Quantity.count(found.unexplainedNumbers, "sequence number")) }
        var failures: [String] = []
        if !parts.isEmpty { failures.append("unexplained: \(parts.joined(separator: " and "))") }
        if found.unreadableFiles > 0 { failures.append("not readable: \(files(found.unreadableFiles))") }
        return failures.joined(separator: "; ")
    }

    private static func entries(_ count: Int64) -> String { Quantity.count(count, "entry", plural: "entries") }

    private static func files(_ count: Int64) -> String {
        Quantity.count(count, "file or folder", plural: "files or folders")
    }

    private static func entryRows(_ found: JournalVerification) -> [Row] {
        [
            ("stored", found.stored, "in the store", .plain),
            ("skipped", found.skipped, "no source takes them with the current settings", .plain),
            ("duplicates", found.duplicates, "half-written in a full file, whole in the next", .plain),
            ("expired", found.expired, "older than what is kept", .plain),
            ("damaged", found.damaged, "not readable, in gap records", found.damaged > 0 ? .warning : .plain),
            (
                "unexplained", found.unexplained, "not in the store, or not readable and in no gap record",
                found.unexplained > 0 ? .bad : .plain
            ),
        ]
    }

    private static func numberRows(_ found: JournalVerification) -> [Row] {
        [
            ("missing", found.missing, "in gap records", found.missing > 0 ? .warning : .plain),
            (
                "unexplained", found.unexplainedNumbers, "in no gap record",
                found.unexplainedNumbers > 0 ? .bad : .plain
            ),
        ]
    }

    private func table(_ rows: [Row]) -> String {
        let names = rows.map(\.name.count).max() ?? 0
        let counts = rows.map { Quantity.count($0.count).count }.max() ?? 0
        return rows.map { row in
            let count = Quantity.count(row.count)
            var line = StyledLine("  ")
            line.append(row.name, .faint, columns: names)
            line.append(String(repeating: " ", count: 2 + counts - count.count))
            line.append(count, row.tint)
            line.append("  ")
            line.append(row.meaning, .faint)
            return line.rendered(style) + "\n"
        }.joined()
    }

    private func unexplained(_ found: JournalVerification) -> String {
        let count = found.unexplained + found.unexplainedNumbers + found.unreadableFiles
        let isPart = count > Int64(found.examples.count)
        let heading = isPart ? "Not accounted for, among others" : "Not accounted for"
        let examples = found.examples.map { TextBlock.wrapped($0, indent: 2, style, tint: .bad) }.joined()
        let advice = Self.advice(found).map { TextBlock.wrapped($0, indent: 0, style) }.joined()
        return StyledLine(heading, .heading).rendered(style) + "\n" + examples + "\n" + advice
    }

    private static func advice(_ found: JournalVerification) -> [String] {
        var advice: [String] = []
        if found.unexplained > 0 || found.unexplainedNumbers > 0 {
            advice.append(
                """
                If sources have changed, or store.max_age was raised, give the time of that change with --since. \
                Anything else that is unexplained is a defect: keep the files of the journal, and rebuild the store from \
                them (see "Rebuilding the store" in docs/operations.md).
                """)
        }
        if found.unreadableFiles > 0 {
            advice.append("Let the daemon's user read these files, or check them with journalctl --verify.")
        }
        return advice
    }
}
