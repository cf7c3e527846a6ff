import Foundation

/// From an empty store to all entries read, resolved and committed, beside `journalctl -o json` and libsystemd alone over
/// the same journal, in turn.
struct CatchUpBench {
    let place: BenchPlace
    let journal: GeneratedJournal
    let definitions: URL

    /// Beyond which journalctl does not go over the journal once more.
    private static let journalctlTime = Duration.seconds(25)

    /// Each is in milliseconds.
    private struct Times {
        var ours: [Double] = []
        var enumerate: [Double] = []
        var journalctl: [Double] = []
        /// The most of all goes.
        var peakBytes = 0
        var storeBytes = 0
    }

    /// A daemon that has caught up.
    func daemon() async throws -> BenchDaemon { try await caughtUp().daemon }

    /// Also gives what one pass of journalctl took, in milliseconds.
    func run() async throws -> (results: [BenchResult], journalctl: Double) {
        // One that is not counted reads the files from the disk.
        try await caughtUp().daemon.stop()
        try enumerate()
        let times = try await times()
        return (try results(times), median(times.journalctl))
    }

    private func times() async throws -> Times {
        var times = Times()
        for number in 0..<Timing.goes {
            try await catchUp(&times)
            times.enumerate.append(try Timing.once(enumerate))
            let isEnough = times.journalctl.reduce(0, +) > Self.journalctlTime / .milliseconds(1)
            if number % 3 == 0, !isEnough { times.journalctl.append(try Timing.once(journalctl)) }
        }
        return times
    }

    private func catchUp(_ times: inout Times) async throws {
        let go = try await caughtUp()
        times.ours.append(go.time)
        times.peakBytes = max(times.peakBytes, go.peakBytes)
        times.storeBytes = try go.daemon.storeBytes()
        try go.daemon.stop()
    }

    /// A daemon that has caught up, how long that took in milliseconds, and the most memory that it had meanwhile.
    func caughtUp() async throws -> (daemon: BenchDaemon, time: Double, peakBytes: Int) {
        let daemon = try BenchDaemon(
            place, BenchSettings(journal: .directory(journal.folder), definitions: definitions))
        let start = ContinuousClock.now
        try daemon.start()
        let (_, peak) = try await MemoryWatch.peak(of: daemon.usage) { try await waitUntilStored(daemon) }
        return (daemon, (ContinuousClock.now - start) / .milliseconds(1), peak)
    }

    /// Asking costs time of its own: seldom, until nearly all is there.
    private func waitUntilStored(_ daemon: BenchDaemon) async throws {
        func stored() -> Int { daemon.status()?.stored ?? 0 }
        let nearly = journal.events / 20 * 19
        try await wait(for: "glossd to catch up", atMost: .seconds(300), every: .milliseconds(50)) {
            stored() >= nearly
        }
        try await wait(for: "glossd to catch up", every: .milliseconds(5)) { stored() >= journal.events }
        guard stored() == journal.events else { throw BenchError("more events than there are: \(stored())") }
    }

    private func journalctl() throws { try Command.journalctl(journal, []).toNowhere() }

    private func enumerate() throws { try Enumeration(place: place, journal: journal).run() }

    private func results(_ times: Times) throws -> [BenchResult] {
        let (mark, goals) = (journal.workload.mark, journal.workload.goals)
        return [
            rate("\(mark)catch-up, entries/s", times, times.journalctl, "journalctl -o json", goals.catchUp),
            rate("\(mark)the same", times, times.enumerate, "libsystemd alone", goals.enumerate),
            BenchResult("\(mark)peak RssAnon while catching up", megabytes(times.peakBytes), goal: goals.memory),
            BenchResult(
                "\(mark)bytes per event on disk", "\(times.storeBytes / journal.events)",
                beside: ("\(try journal.bytes() / journal.entries)", "journal files, per entry"),
                goal: goals.bytesPerEvent),
        ]
    }

    private func rate(
        _ what: String, _ times: Times, _ theirs: [Double], _ other: String, _ goal: String
    ) -> BenchResult {
        func rate(_ times: [Double]) -> Double { Double(journal.entries) / median(times) * 1000 }
        return BenchResult(
            what, thousands(rate(times.ours)), beside: (thousands(rate(theirs)), other),
            ratio: rate(times.ours) / rate(theirs), goal: goal)
    }
}

/// A C program that goes over all fields of all entries by libsystemd.
struct Enumeration {
    let place: BenchPlace
    let journal: GeneratedJournal

    func run() throws {
        let output = try Command(place.program("gloss-enumerate"), [journal.folder.path]).output()
        guard String(decoding: output, as: UTF8.self).hasPrefix("\(journal.entries) entries") else {
            throw BenchError("libsystemd did not read all: \(String(decoding: output, as: UTF8.self))")
        }
    }
}
