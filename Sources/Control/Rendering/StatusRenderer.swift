import API
import Model

/// Renders the status of the daemon as text, in blocks.
struct StatusRenderer: Sendable {
    private let style: Style
    private let now: UInt64

    /// - Parameter now: the current time, in microseconds since 1970.
    init(style: Style, now: UInt64) {
        self.style = style
        self.now = now
    }

    func text(_ status: StatusReply) -> String {
        let blocks = [
            heading(status), problems(status.problems), block("Journal", journal(status)),
            block("Events", events(status)), dictionaries(status), sinks(status), block("Store", store(status.store)),
        ]
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func heading(_ status: StatusReply) -> String {
        var facts = ["up \(Quantity.time(seconds: status.uptimeSeconds))", "pid \(status.pid)"]
        if status.tails > 0 { facts.append("\(Quantity.count(status.tails, "tail")) open") }
        return Self.heading("glossd \(SafeText.neutralised(status.version))", status.state, facts, style)
    }

    /// Returns the first line of views of the daemon, or several on a narrow terminal: its name, its state, and more, with commas.
    static func heading(_ name: String, _ state: StatusReply.State, _ facts: [String], _ style: Style) -> String {
        var (flow, text) = (Flow(StyledLine("\(name) ", .heading), indent: 2, style), "")
        flow.append {
            $0.append(state.rawValue, state.tint)
            if !facts.isEmpty { $0.append(",") }
        }
        for (place, fact) in facts.enumerated() {
            flow.append { $0.append(place == facts.count - 1 ? fact : "\(fact),") }
        }
        flow.render(into: &text)
        return text
    }

    private func problems(_ problems: [StatusProblem]) -> String {
        problems.map { problem in
            TextBlock.wrapped(problem.what, indent: 2, style, tint: .bad)
                + (problem.hint.map { TextBlock.wrapped($0, indent: 4, style) } ?? "")
        }.joined()
    }

    /// Facts in the problems are not repeated in the blocks below.
    private func isInProblems(_ text: String, _ status: StatusReply) -> Bool {
        status.problems.contains { $0.what.contains(text) }
    }

    private func journal(_ status: StatusReply) -> [TextFacts.Fact] {
        let journal = status.journal
        let files = Quantity.count(journal.files, "file")
        var facts: [TextFacts.Fact] = [("Reads", "\(Self.name(of: journal.location)), \(files)", .plain)]
        if let time = journal.positionTime {
            let lag = journal.lagSeconds.map { ", \(Quantity.time(seconds: $0)) behind" } ?? ""
            facts.append(("Position", self.time(time) + lag, .plain))
        } else {
            facts.append(("Position", "nothing read yet", .plain))
        }
        facts += read(journal)
        if let catchUp = journal.catchUp {
            facts.append(("Catching up", progress(catchUp, isPaused: status.state == .paused), .note))
        }
        let unread = journal.unreadableFiles.map { "\($0.path): \($0.reason)" }
        for text in unread where !isInProblems(text, status) { facts.append(("Unreadable", text, .bad)) }
        return facts
    }

    /// What became of all entries, and how many entries were read since the daemon started.
    private func read(_ journal: JournalStatus) -> [TextFacts.Fact] {
        let rate = "since the start, \(Quantity.count(Self.whole(journal.entriesPerSecond)))/s"
        let recent = Quantity.count(journal.entriesRead, "entry", plural: "entries")
        guard let entries = journal.entries else { return [("Read", "\(recent) \(rate)", .plain)] }
        let parts = [
            (entries.stored, "stored"), (entries.skipped, "skipped"),
            (entries.duplicates, entries.duplicates == 1 ? "duplicate" : "duplicates"), (entries.expired, "expired"),
        ]
        let became = parts.map { "\(Quantity.count($0)) \($1)" }.joined(separator: ", ")
        return [
            ("Read", "\(Quantity.count(entries.read, "entry", plural: "entries")): \(became)", .plain),
            ("", "\(Quantity.count(journal.entriesRead)) \(rate)", .plain),
        ]
    }

    /// `[████████░░░░░░░░░░░░]  42.0 %  123,456 entries/s  12 s left`, or `paused` after the percentage.
    private func progress(_ catchUp: JournalStatus.CatchUp, isPaused: Bool) -> String {
        let percent = min(100, max(0, catchUp.percent.isFinite ? catchUp.percent : 0))
        let full = Int(percent / 5)
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: 20 - full)
        let place = "[\(bar)]  \(Quantity.progress(percent: percent))"
        guard !isPaused else { return "\(place)  paused" }
        let left = catchUp.secondsLeft.map { "  \(Quantity.time(seconds: $0)) left" } ?? ""
        let rate = Quantity.count(Self.whole(catchUp.entriesPerSecond))
        return "\(place)  \(rate) entries/s\(left)"
    }

    private func events(_ status: StatusReply) -> [TextFacts.Fact] {
        guard let events = status.events else { return [("Stored", "unknown: the store cannot be read", .bad)] }
        var stored = Quantity.count(events.stored)
        if let oldest = events.oldestTime, let newest = events.newestTime {
            stored += ", from \(time(oldest)) to \(time(newest))"
        }
        let ever = events.everSeen.values.reduce(0, +)
        var facts: [TextFacts.Fact] = [
            ("Stored", stored, .plain),
            ("Ever seen", "\(Quantity.count(ever)) since the store was created\(ever > 0 ? ":" : "")", .plain),
        ]
        for resolution in Resolution.allCases {
            guard let count = events.everSeen[resolution.rawValue], count > 0 else { continue }
            facts.append(("  " + resolution.rawValue, Quantity.count(count), resolution.tint))
        }
        if let again = status.reprocessing {
            let count = "\(Quantity.count(again.done)) of \(Quantity.count(again.total))"
            let text = again.total > 0 ? count : "looking for what a change concerns"
            facts.append(("Reprocessing", text, .note))
        }
        if events.reprocessed > 0 {
            facts.append(("Reprocessed", Quantity.count(events.reprocessed), .plain))
        }
        if let gaps = status.gaps, gaps.count > 0 || gaps.droppedEvents > 0 {
            let dropped = gaps.droppedEvents
            let text = Quantity.count(gaps.count) + (dropped > 0 ? ", \(Quantity.count(dropped)) dropped" : "")
            facts.append(("Gaps", text + " (glossctl gaps)", .warning))
        }
        return facts
    }

    private func dictionaries(_ status: StatusReply) -> String {
        let facts = status.dictionaries.flatMap(DictionaryFacts(style: style).facts)
        return block("Dictionaries", facts.filter { !isInProblems($0.value, status) })
    }

    private func sinks(_ status: StatusReply) -> String {
        block(
            "Sinks",
            status.sinks.flatMap { sink -> [TextFacts.Fact] in
                let state = sink.state == .paused ? "waits for the store" : sink.state.rawValue
                var text = "\(state), \(sink.url), \(Quantity.count(sink.deliveredEvents, "event")) delivered"
                text += " in \(Quantity.count(sink.deliveredBatches, "batch", plural: "batches"))"
                if sink.lagEvents > 0 {
                    let age = sink.lagSeconds.map { " (\(Quantity.time(seconds: $0)))" } ?? ""
                    text += ", \(Quantity.count(sink.lagEvents, "event")) behind\(age)"
                }
                var facts: [TextFacts.Fact] = [(sink.name, text, sink.state.tint)]
                if let predicate = sink.predicate { facts.append(("", "gets \(predicate)", .plain)) }
                if let success = sink.lastSuccess { facts.append(("", "last success \(ago(success))", .plain)) }
                let error = sink.lastError.flatMap { isInProblems($0, status) ? nil : "last error: \($0)" }
                let next = sink.nextAttempt.map { "next attempt \(ago($0))" }
                let failure = [error, next].compactMap(\.self).joined(separator: ", ")
                if !failure.isEmpty { facts.append(("", failure, .warning)) }
                return facts
            })
    }

    private func store(_ store: StoreStatus) -> [TextFacts.Fact] {
        let share = store.maxBytes > 0 ? " (\(Self.whole(100 * Double(store.bytes) / Double(store.maxBytes))) %)" : ""
        let size = "\(Quantity.bytes(store.bytes)) of \(Quantity.bytes(store.maxBytes))\(share)"
        return [
            ("File", store.path, .plain),
            ("Size", size, store.paused ? .bad : .plain),
            ("When full", SafeText.neutralised(store.whenFull.replacing("_", with: " ")), .plain),
        ] + sources(store)
    }

    /// `40 MiB of 200 MiB, kept for 7 d, 1,203,200 events: subsystem: com.example.*`. Omitted if there is only one
    /// source, which takes the whole store.
    private func sources(_ store: StoreStatus) -> [TextFacts.Fact] {
        guard let sources = store.sources, sources.contains(where: \.hasRules) || sources.count > 1 else { return [] }
        return sources.enumerated().map { place, source in
            var text = Quantity.bytes(source.bytes)
            if let most = source.maxBytes { text += " of \(Quantity.bytes(most))" }
            if let seconds = source.keepSeconds { text += ", kept for \(Quantity.time(seconds: seconds))" }
            text += ", \(Quantity.count(source.events, "event")): \(SafeText.neutralised(source.source))"
            return (place == 0 ? "By source" : "", text, .plain)
        }
    }

    private func block(_ heading: String, _ facts: [TextFacts.Fact]) -> String {
        facts.isEmpty ? "" : StyledLine(heading, .heading).rendered(style) + "\n" + TextFacts(facts).rendered(style)
    }

    private func time(_ time: WireTime) -> String { CivilTime.text(time.microseconds, style.zone, decimals: 0) }

    /// `12 s ago`, `in 12 s`
    private func ago(_ time: WireTime) -> String {
        let seconds = (Double(now) - Double(time.microseconds)) / 1e6
        return seconds < 0 ? "in \(Quantity.time(seconds: -seconds))" : "\(Quantity.time(seconds: seconds)) ago"
    }

    private static func whole(_ rate: Double) -> Int { rate.isFinite ? Int(max(0, min(rate, 1e15)).rounded()) : 0 }

    private static func name(of location: String) -> String {
        location == "machine" ? "the machine's journal" : location.replacing(":", with: " ", maxReplacements: 1)
    }
}

extension StatusReply.State {
    var tint: Tint {
        switch self {
        case .running: .good
        case .catchingUp: .note
        case .paused, .degraded: .bad
        }
    }
}

extension SinkStatus.State {
    fileprivate var tint: Tint {
        switch self {
        case .ok: .good
        case .retrying, .paused: .warning
        case .held: .bad
        case .disabled: .faint
        }
    }
}

extension SourceStatus {
    fileprivate var hasRules: Bool { maxBytes != nil || keepSeconds != nil }
}
