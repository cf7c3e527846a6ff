import ArgumentParser
import Foundation
import Glibc
import Linux

@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gloss-bench",
        abstract: "Measures Gloss beside what a user would run instead, in one run, as ratios.")

    @Option(help: "How many entries the generated journals have.")
    var entries = 200_000

    @Option(help: "How many events the reports are about.")
    var reported = 2_000_000

    @Option(help: "How many events are reprocessed.")
    var reprocessed = 1_000_000

    @Option(help: "Messages for the tail latency.")
    var messages = 100

    @Option(
        help: "Only this part, and others when it is given again: \(BenchPart.allValueStrings.joined(separator: ", "))."
    )
    var only: [BenchPart] = []

    @Option(help: "Only this workload: \(WorkloadName.allValueStrings.joined(separator: ", ")).")
    var workload: [WorkloadName] = []

    @Flag(help: "Ask questions of Gloss alone, for journals that others would take hours for.")
    var alone = false

    func run() async throws {
        // As glossd does.
        useTwoMemoryPools()
        // A part that ends early fails alone; the others still run.
        signal(SIGPIPE, SIG_IGN)
        let place = try BenchPlace()
        let run = BenchRun()
        let parts = only.isEmpty ? Set(BenchPart.allCases) : Set(only)
        let workloads = workload.isEmpty ? WorkloadName.allCases : workload
        if workloads.contains(.uniform) { await uniform(parts, place, run) }
        if workloads.contains(.varied) { _ = await measure(.varied, parts, place, run) }
        say(run.text)
        if !run.failures.isEmpty { throw ExitCode.failure }
    }

    /// Also what is no matter of the workload.
    private func uniform(_ parts: Set<BenchPart>, _ place: BenchPlace, _ run: BenchRun) async {
        await reading(parts, place, run)
        let journalctl = await measure(.uniform, parts, place, run)
        await stored(parts, place, run, journalctl)
        await live(parts, place, run)
    }

    private func reading(_ parts: Set<BenchPart>, _ place: BenchPlace, _ run: BenchRun) async {
        if parts.contains(.scanner) { await run.part("Scanning payloads") { ScannerBench().run() } }
        if parts.contains(.dictionary) {
            await run.part("Loading definitions") { try await DictionaryBench(place: place).run() }
        }
        if parts.contains(.reading) {
            await run.part("Reading \(entries) entries") {
                let journal = try GeneratedJournal(UniformWorkload(), entries: entries, under: place.work)
                return try await ReadingBench(place: place, journal: journal).run()
            }
        }
    }

    /// - Returns: what journalctl takes for one pass, for each entry, in milliseconds.
    private func measure(
        _ name: WorkloadName, _ parts: Set<BenchPart>, _ place: BenchPlace, _ run: BenchRun
    ) async -> Double? {
        guard !parts.isDisjoint(with: BenchPart.ofWorkloads) else { return nil }
        var journalctl: Double?
        await run.part("The \(name) workload") {
            let journal = try GeneratedJournal(name.workload, entries: entries, under: place.work)
            journalctl = try await WorkloadBench(
                place: place, journal: journal, parts: parts, asksOthers: !alone
            ).run(run)
            return []
        }
        return journalctl
    }

    private func stored(_ parts: Set<BenchPart>, _ place: BenchPlace, _ run: BenchRun, _ journalctl: Double?) async {
        if parts.contains(.files) {
            await run.part("Catching up on 200 files") { try await ManyFilesBench(place: place).run() }
        }
        if parts.contains(.names) {
            await run.part("Storing many names") { try await NamesBench(place: place).run() }
        }
        if parts.contains(.reports) {
            await run.part("Reporting on \(reported) events") {
                try await ReportBench(place: place, events: reported, journalctl: journalctl).run()
            }
        }
        if parts.contains(.reprocess) {
            await run.part("Resolving \(reprocessed) events again") {
                try await ReprocessBench(place: place, events: reprocessed).run()
            }
        }
    }

    private func live(_ parts: Set<BenchPart>, _ place: BenchPlace, _ run: BenchRun) async {
        if parts.contains(.live) {
            await run.part("Sending single events") { try await LiveBench(place: place).run() }
        }
        if parts.contains(.watches) {
            await run.part("Checklists and alerts") { try await WatchesBench(place: place).run() }
        }
        if parts.contains(.tail) {
            await run.part("Tailing") { try await TailBench(place: place, messages: messages).run() }
        }
        if parts.contains(.busy) {
            await run.part("Tailing while blocks change") {
                try await BusyTailBench(place: place, messages: messages * 2).run()
            }
        }
        if parts.contains(.reload) {
            await run.part("Reloading") { try await ReloadBench(place: place).run() }
        }
    }
}
