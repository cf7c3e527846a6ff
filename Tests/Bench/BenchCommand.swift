import ArgumentParser
import Foundation
import Linux

@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gloss-bench",
        abstract: "Measures Gloss beside what a user would run instead, in one run, as ratios.")

    @Option(help: "How many entries the generated journal has.")
    var entries = 200_000

    @Option(help: "How many events the reports are about.")
    var reported = 2_000_000

    @Option(help: "Messages for the tail latency.")
    var messages = 100

    @Option(help: "Only this part, and others when it is given again: \(Part.allValueStrings.joined(separator: ", ")).")
    var only: [Part] = []

    enum Part: String, ExpressibleByArgument, CaseIterable {
        case scanner, dictionary, reading, journal, files, reports, tail, reload
    }

    func run() async throws {
        // As glossd does.
        useOneMemoryPool()
        let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let work = programs.deletingLastPathComponent().appending(path: "bench")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        let parts = only.isEmpty ? Part.allCases : only
        var table = ResultTable()
        // The reports are compared with one pass of journalctl, which the journal's part has timed then.
        var journalctlPerEntry: Duration?

        if parts.contains(.scanner) {
            print("Scanning payloads ...")
            table.add(ScannerBench().run())
        }
        if parts.contains(.dictionary) {
            print("Loading definitions ...")
            table.add(try DictionaryBench(work: work).run())
        }
        if parts.contains(.reading) {
            let journal = try GeneratedJournal(entries: entries, under: work)
            print("Reading \(entries) entries ...")
            table.add(try await ReadingBench(programs: programs, journal: journal).run())
        }
        if parts.contains(.journal) || parts.contains(.reports) {
            let journal = try GeneratedJournal(entries: entries, under: work)
            print("Catching up on \(entries) entries, \(journal.events) of them events ...")
            let daemon = try BenchDaemon(programs: programs, journal: .directory(journal.folder.path))
            let catchUp = try CatchUpBench(journal: journal, daemon: daemon)
            let (results, journalctl) = try await catchUp.run()
            journalctlPerEntry = journalctl / entries
            table.add(results)
            print("Asking for the last 100 of a category ...")
            table.add(try QueryBench(journal: journal, daemon: daemon).measure())
            try daemon.stop()
        }
        if parts.contains(.files) {
            print("Catching up on 200 files ...")
            table.add(try await ManyFilesBench(programs: programs, work: work).run())
        }
        if parts.contains(.reports), let journalctlPerEntry {
            print("Reporting on \(reported) events ...")
            table.add(
                try await ReportBench(
                    programs: programs, work: work, events: reported, journalctl: journalctlPerEntry
                ).run())
        }
        if parts.contains(.tail) {
            print("Tailing ...")
            table.add(try await TailBench(programs: programs, messages: messages).run())
        }
        if parts.contains(.reload) {
            print("Reloading ...")
            table.add(try await ReloadBench(programs: programs, work: work).run())
        }
        print("\n\(ProcessInfo.processInfo.processorCount) cores\n")
        print(table.text)
    }
}
