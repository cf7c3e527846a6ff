import ArgumentParser
import Foundation

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

    func run() async throws {
        let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let work = programs.deletingLastPathComponent().appending(path: "bench")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        let journal = try GeneratedJournal(entries: entries, under: work)
        var table = ResultTable()

        print("Scanning payloads ...")
        table.add(ScannerBench().run())
        print("Loading definitions ...")
        table.add(try DictionaryBench(work: work).run())
        print("Catching up on \(entries) entries ...")
        let daemon = try BenchDaemon(programs: programs, journal: .directory(journal.folder.path))
        let catchUp = try CatchUpBench(journal: journal, daemon: daemon)
        let (results, journalctl) = try await catchUp.run()
        table.add(results)
        print("Asking for the last 100 of a category ...")
        table.add(try QueryBench(journal: journal, daemon: daemon).measure())
        try daemon.stop()
        print("Reporting on \(reported) events ...")
        table.add(
            try await ReportBench(
                programs: programs, work: work, events: reported, journalctl: journalctl / entries
            ).run())
        print("Tailing ...")
        table.add(try await TailBench(programs: programs, messages: messages).run())
        print("Reloading ...")
        table.add(try await ReloadBench(programs: programs, work: work).run())
        print(
            "\n\(entries) entries, \(journal.events) of them events; \(ProcessInfo.processInfo.processorCount) cores\n")
        print(table.text)
    }
}
