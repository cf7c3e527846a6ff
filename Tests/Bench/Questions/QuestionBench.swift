import Foundation

/// Asks questions of Gloss, of journalctl, and of sqlite3 with the file of an export.
struct QuestionBench {
    let place: BenchPlace
    let journal: GeneratedJournal
    let daemon: BenchDaemon
    let run: BenchRun
    /// Whether journalctl and sqlite3 are asked, too.
    let asksOthers: Bool

    /// What takes longer is done once by other programs.
    private static let slow = 1000.0
    /// For the goes of one program with one question; there are at least three.
    private static let limit = Duration.seconds(2)

    /// - Returns: the figures of the export. Those of the questions are a table of their own.
    func run(_ parts: Set<BenchPart>) async throws -> [BenchResult] {
        try await place.withFolder("export") { folder in
            let file = folder.appending(path: "events.sqlite").path
            var export: [BenchResult]?
            if asksOthers || parts.contains(.sql) {
                noting("export to SQLite") { export = try self.export(to: file) }
            }
            try await daemon.restart(place)
            var table = QuestionTable(journal: journal, daemonBytes: daemon.usage.anonymousBytes ?? 0)
            for question in journal.workload.questions(events: journal.events) where parts.contains(question.part) {
                noting(question.what) {
                    table.results.append(try ask(question, export == nil ? nil : file))
                }
            }
            run.add(table)
            return parts.contains(.sql) ? export ?? [] : []
        }
    }

    /// A failure takes no other figures with it.
    private func noting(_ what: String, _ body: () throws -> Void) {
        do { try body() } catch { run.fail("\(journal.workload.mark)\(what): \(error)") }
    }

    // MARK: one question

    /// - Parameter file: what was exported; `nil` if nothing was.
    private func ask(_ question: Question, _ file: String?) throws -> QuestionResult {
        let usage = daemon.usage
        let before = usage.anonymousBytes ?? 0
        let memory = MemoryWatch { usage.anonymousBytes ?? 0 }
        // Only statements have a process of their own.
        let workers = question.answer == .rows ? MemoryWatch { usage.childrenAnonymousBytes } : nil
        defer { for watch in [memory, workers] { _ = watch?.stop() } }
        let first = try watched(daemon.glossctl(place, question.glossctl), question)
        let found = try Found(glossctl: first, question.answer)
        let workerBytes = workers?.stop() ?? 0
        let daemonTime = try request(question, found.count)
        let daemonBytes = memory.stop()
        let glossctl = try figures(of: daemon.glossctl(place, question.glossctl), first, isOurs: true)
        let result = QuestionResult(
            question: question, found: found.count, glossctl: glossctl, workerBytes: workerBytes,
            daemonTime: daemonTime, daemonBytes: daemonBytes, growth: max(0, daemonBytes - before),
            journalctl: journalctl(question, found), sqlite: sqlite(question, file, found))
        say("  \(journal.workload.mark)\(result.summary)")
        return result
    }

    private func request(_ question: Question, _ expected: Int) throws -> Double {
        let times = try Timing.several(within: Self.limit) {
            try Timing.once {
                let lines = try daemon.client.lineCount(question.target)
                guard !question.answer.isOfEvents || lines == expected else {
                    throw BenchError("glossctl finds \(expected), and GET \(lines)")
                }
            }
        }
        return median(times)
    }

    private func journalctl(_ question: Question, _ expected: Found) -> Rival {
        guard asksOthers, let journalctl = question.journalctl else { return .notAsked }
        if journalctl.usesJQ && !Command.isInstalled("jq") { return .missing("jq") }
        return compare(journalctl.command(journal), journalctl.name, question, expected)
    }

    private func sqlite(_ question: Question, _ file: String?, _ expected: Found) -> Rival {
        guard asksOthers, let sql = question.sql else { return .notAsked }
        guard Command.isInstalled("sqlite3") else { return .missing("sqlite3") }
        guard let file else { return .failed }
        let options = question.answer == .rows || question.answer == .table ? ["-csv"] : []
        return compare(Command("sqlite3", options + [file, sql]), "sqlite3", question, expected)
    }

    private func compare(_ command: Command, _ name: String, _ question: Question, _ expected: Found) -> Rival {
        var rival = Rival.failed
        noting("\(question.what), \(name)") {
            let first = try watched(command, question)
            // journalctl says by it that it found nothing.
            guard first.status == 0 || name == "journalctl" && first.status == 1 else {
                throw BenchError("it ended with status \(first.status)")
            }
            let found = try Found(other: first, question.answer)
            rival = .asked(try figures(of: command, first, isOurs: false), isSame: found == expected)
            guard found != expected else { return }
            let numbers = found.count == expected.count ? "others" : "\(found.count)"
            throw BenchError("it finds \(numbers), and Gloss \(expected.count)")
        }
        return rival
    }

    /// The first go, which is not counted unless it is the only one.
    private func watched(_ command: Command, _ question: Question) throws -> CommandRun {
        var command = command
        command.limit = .seconds(900)
        let keepsOutput = ![.events, .table, .values].contains(question.answer)
        var run = try command.measured(keepsOutput: keepsOutput, watchesMemory: true)
        // A program may end before its memory is looked at.
        for _ in 0..<3 where run.peakBytes == 0 {
            run = try command.measured(keepsOutput: keepsOutput, watchesMemory: true)
        }
        return run
    }

    private func figures(of command: Command, _ first: CommandRun, isOurs: Bool) throws -> QuestionFigures {
        let isOnce = !isOurs && first.time > Self.slow
        let runs = isOnce ? [first] : try Timing.several(within: Self.limit) { try command.measured() }
        let firstBytes = runs.compactMap(\.firstByte)
        return QuestionFigures(
            firstByte: firstBytes.isEmpty ? nil : median(firstBytes), time: median(runs.map(\.time)),
            bytes: first.peakBytes)
    }

    // MARK: the export

    private func export(to file: String) throws -> [BenchResult] {
        var command = daemon.glossctl(place, ["export", "--sqlite", file])
        command.limit = .seconds(900)
        let usage = daemon.usage
        let memory = MemoryWatch { usage.anonymousBytes ?? 0 }
        defer { _ = memory.stop() }
        let export = try command.measured()
        guard export.status == 0 else { throw BenchError("glossctl export ended with status \(export.status)") }
        let bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        let mark = journal.workload.mark
        say("  \(mark)export to SQLite: \(rounded(export.time / 1000)) s")
        return [
            BenchResult(
                "\(mark)export to SQLite, events/s", thousands(Double(journal.events) / export.time * 1000)),
            BenchResult("\(mark)its bytes per event", "\(bytes / max(1, journal.events))"),
            BenchResult("\(mark)RssAnon of the daemon meanwhile", megabytes(memory.stop())),
        ]
    }
}

extension Question {
    fileprivate var part: BenchPart { answer == .rows ? .sql : .queries }
}
