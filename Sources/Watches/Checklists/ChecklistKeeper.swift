package import API
package import Model
package import Store
internal import Settings

/// Runs checklists: counts events as they come, for all runs together, and keeps what was counted in the store.
///
/// What a run has counted and the position until which it has are saved together, so that each event is counted once,
/// whatever happens in between.
package actor ChecklistKeeper {
    private let store: EventStore
    private let meanings: StandingPredicates
    private let clock: @Sendable () -> UInt64
    private let report: @Sendable (String) -> Void
    private let counter: WatchCounter
    private let mostBytes: Int
    /// So that nothing is written over by what was there before.
    private let writes = OrderedWork()
    private var failures: WatchFailures
    /// Saved runs that cannot be continued, and why.
    private var unreadable: [ExactString: String] = [:]
    private var runs: [ExactString: ChecklistRun] = [:]

    /// The most runs.
    package static let mostRuns = 200
    /// The most that is kept of the subjects of a run, in bytes.
    private static let mostBytesOfRun = 8 << 20
    /// How far ahead the clock of a client may be, in microseconds.
    private static let clockTolerance: UInt64 = 5_000_000

    /// - Parameters:
    ///   - clock: microseconds since 1970.
    ///   - mostBytes: the most that is kept of the subjects of all runs.
    ///   - report: gets what went wrong, in a sentence.
    package init(
        store: EventStore, meanings: StandingPredicates, clock: @escaping @Sendable () -> UInt64,
        mostBytes: Int = 64 << 20, report: @escaping @Sendable (String) -> Void
    ) {
        (self.store, self.meanings, self.clock, self.report) = (store, meanings, clock, report)
        self.mostBytes = mostBytes
        counter = WatchCounter(store)
        failures = WatchFailures(
            "Checklists do not count events", saving: "Checklists do not save what they have counted", report: report)
    }

    /// Reads what was saved.
    package func load() async throws(StoreError) {
        for saved in try await store.savedWatches(.checklist) {
            do {
                runs[ExactString(saved.name)] = try ChecklistRun(saved)
            } catch {
                unreadable[ExactString(saved.name)] = "\(error)"
                report("The run \(saved.name) of a checklist cannot be continued: \(error)")
            }
        }
        // Runs that have ended look at what is stored already.
        newest = store.feed.latest
        findFaults()
        await protect()
    }

    /// Counts by the dictionaries that are in force now.
    package func useDictionaries() async {
        counter.forget()
        findFaults()
        wake()
        await protect()
    }

    /// Replaces values that must not be kept any more, also of runs that have ended.
    private func protect() async {
        guard meanings.protectsValues else { return }
        for (name, run) in runs {
            var run = run
            guard run.protect(meanings) else { continue }
            change(name) { ($0.counts.funnels, $0.replacesValues) = (run.counts.funnels, true) }
        }
        await save(all: false)
    }

    private func findFaults() {
        for (name, run) in runs {
            var fault: String?
            do { _ = try EventWatch(run.groups(meanings)) } catch { fault = Self.reason(error) }
            if fault != run.fault { change(name) { $0.fault = fault } }
        }
    }

    private static func reason(_ error: any Error) -> String { (error as? PredicateFault)?.reason ?? "\(error)" }

    // MARK: changes

    /// The number of the last change of a run.
    private var revision: Int64 = 0
    private let changes = EventFeed()

    private func change(_ name: ExactString, _ body: (inout ChecklistRun) -> Void) {
        guard var run = runs[name] else { return }
        body(&run)
        revision += 1
        run.revision = revision
        run.isSaved = false
        runs[name] = run
        changes.publish(revision)
    }

    /// Puts another run in the place of one, or none. What was compiled for a name is forgotten at once: events may be counted
    /// before the next run is saved.
    private func replace(_ name: ExactString, by run: ChecklistRun?) {
        runs[name] = run
        counter.forget()
    }

    /// Starts a run.
    /// - Parameters:
    ///   - name: that of the run; `nil` for that of the list.
    ///   - since: events that were sent from then on are counted, in microseconds since 1970; `nil` for the present.
    /// - Throws: `Problem` if it cannot be started, 403 if the client may not ask for values in it; `StoreError`
    package func start(
        _ start: ChecklistStart, named name: String?, since: UInt64? = nil
    ) async throws -> ChecklistReply {
        // Together, before anything else happens: no event is between them.
        let (now, newest) = (clock(), store.feed.latest)
        if let since, since > now, since - now > Self.clockTolerance {
            throw Problem(
                status: 422, title: "Wrong time",
                detail: "since is in the future: events are counted from the present on, or from a time before it",
                parameter: "since")
        }
        var start = start
        (start.startedAt, start.since) = (now, min(now, since ?? now))
        var run = try Self.run(start, named: name)
        do {
            _ = try EventWatch(run.groups(meanings))
        } catch {
            let fault = run.fault(meanings)
            // What was given beside the list is not in its file.
            let isOfFile = start.condition.map { (try? run.meaning(of: $0, meanings)) != nil } ?? true
            let isRefusal = fault?.isRefusal ?? (error as? PredicateFault)?.isRefusal ?? false
            throw Problem(
                status: isRefusal ? 403 : 422, title: isRefusal ? "Not permitted" : "The checklist cannot be used",
                detail: fault?.error.description ?? (isOfFile ? "\(start.file): " : "") + Self.reason(error))
        }
        run.position = since == nil ? newest : try await store.position(before: run.start.since)
        try await commands.run { [run] in try await self.startNext(run) }
        return try await reply(run.name)
    }

    /// One after the other: what cannot be saved is undone, and the next must not take it for done.
    private let commands = OrderedWork()

    private func startNext(_ run: ChecklistRun) async throws {
        let before = runs[ExactString(run.name)]
        if before?.isRunning == true {
            throw Problem(
                status: 409, title: "The run exists",
                detail: "\(run.name) is running: stop it or reset it, or give the new run another name")
        }
        guard before != nil || runs.count < Self.mostRuns else {
            throw Problem(
                status: 409, title: "Too many runs", detail: "there are \(Self.mostRuns) runs: remove some of them")
        }
        try await begin(run)
    }

    /// The run that is being started: only when it is saved is the one with its name replaced in the store.
    private var starting: ExactString?

    /// Puts a run in the place of the one with its name, if there is one, and lets it count.
    private func begin(_ run: ChecklistRun) async throws(StoreError) {
        let name = ExactString(run.name)
        let before = runs[name]
        starting = name
        // First: no event must be missed while it is saved.
        replace(name, by: run)
        defer {
            starting = nil
            findFaults()
            change(name) { _ in }
            wake()
        }
        do throws(StoreError) {
            try await save(run)
        } catch {
            replace(name, by: before)
            throw error
        }
        unreadable[name] = nil
    }

    private static func run(_ start: ChecklistStart, named name: String?) throws(Problem) -> ChecklistRun {
        if let fault = name.flatMap(Checklist.fault(ofName:)) {
            throw Problem(status: 400, title: "Wrong name", detail: fault, parameter: "name")
        }
        do throws(SettingsError) {
            var start = start
            if let name { start.name = name } else { start.name = try ChecklistRun(start, position: 0).list.name }
            // A list without a name has that of its file.
            if let fault = Checklist.fault(ofName: start.name) {
                throw SettingsError(problems: [.init(file: start.file, message: fault)])
            }
            return try ChecklistRun(start, position: 0)
        } catch {
            throw Problem(status: 422, title: "The checklist has errors", detail: error.description)
        }
    }

    /// Counts from the beginning again, events that are sent from now on.
    /// - Throws: `Problem` if there is no such run.
    package func reset(_ name: String) async throws -> ChecklistReply {
        try await commands.run { try await self.resetNext(name) }
        return try await reply(name)
    }

    private func resetNext(_ name: String) async throws {
        var start = try known(name).start
        (start.startedAt, start.since) = (clock(), clock())
        try await begin(ChecklistRun(start, position: store.feed.latest))
    }

    /// Counts no events that are sent from now on. Those that were sent before count if they are stored within a day.
    /// - Throws: `Problem` if there is no such run.
    package func stop(_ name: String) async throws -> ChecklistReply {
        try await commands.run { try await self.stopNext(name) }
        return try await reply(name)
    }

    private func stopNext(_ name: String) async throws {
        let before = try known(name)
        guard before.isRunning else { return }
        let now = clock()
        change(ExactString(name)) { $0.counts.stoppedAt = now }
        counter.forget()
        let stopped = try known(name)
        do throws(StoreError) {
            try await save(stopped)
        } catch {
            // With what it had counted: events that were sent since then were passed over.
            change(ExactString(name)) { $0 = before }
            counter.forget()
            findFaults()
            wake()
            throw error
        }
    }

    /// - Throws: `Problem` if there is no such run.
    package func remove(_ name: String) async throws -> ChecklistReply {
        let reason = runs[ExactString(name)] == nil ? unreadable[ExactString(name)] : nil
        let reply = if let reason { ChecklistReply(unreadable: name, reason) } else { try await reply(name) }
        try await commands.run { () throws(StoreError) in try await self.removeNext(name) }
        return reply
    }

    private func removeNext(_ name: String) async throws(StoreError) {
        // First, so that it is not saved again meanwhile.
        let run = runs[ExactString(name)]
        replace(ExactString(name), by: nil)
        do throws(StoreError) {
            try await write([], removing: [name])
        } catch {
            replace(ExactString(name), by: run)
            throw error
        }
        unreadable[ExactString(name)] = nil
        revision += 1
        changes.publish(revision)
    }

    private func known(_ name: String) throws(Problem) -> ChecklistRun {
        if let run = runs[ExactString(name)] { return run }
        let names = runs.keys.sorted().map(\.text).joined(separator: ", ")
        throw Problem(
            status: 404, title: "No such checklist",
            detail: "there is no run \(name); \(names.isEmpty ? "none was started" : "there are \(names)")")
    }

    /// What is wrong with the runs.
    package var problems: [StatusProblem] {
        var problems = runs.values.sorted { ExactString($0.name) < ExactString($1.name) }.compactMap { run in
            guard run.isRunning, let fault = run.fault else { return nil as StatusProblem? }
            return .init(.checklistHeld, run.name, what: "The checklist \(run.name) is held: \(fault)")
        }
        problems += unreadable.sorted { $0.key < $1.key }.map { name, reason in
            .init(
                .checklistUnreadable, name.text, what: "The run \(name) of a checklist cannot be continued: \(reason)")
        }
        if let (sentence, error) = failures.current {
            problems.append(.init(.checklistNotCounted, what: sentence, hint: error.hint))
        }
        return problems
    }

    // MARK: answers

    /// The number of runs, by what they do.
    package var runsByState: [ChecklistReply.State: Int] {
        Dictionary(runs.values.map { ($0.state, 1) }, uniquingKeysWith: +)
    }

    /// The runs, by name, with all stored events counted.
    package func list() async -> ChecklistList {
        await advance()
        return ChecklistList(
            checklists: runs.keys.sorted().compactMap { name in runs[name].map { ChecklistList.Run(answer($0)) } })
    }

    /// What a run has come to, with all stored events counted.
    /// - Throws: `Problem` if there is no such run.
    package func reply(_ name: String) async throws -> ChecklistReply {
        await advance()
        let run = try known(name)
        var reply = answer(run)
        (reply.format, reply.text) = (run.start.format, run.start.text)
        return reply
    }

    /// Which events a run is about, also those that its items do not count.
    /// - Throws: `Problem` if there is no such run, or it has no meaning now.
    package func predicate(of name: String) throws -> Predicate {
        let run = try known(name)
        return try refusingFaults { try run.whole(meanings) }
    }

    /// What the items of a run ask for by their own predicates.
    /// - Throws: `Problem` if there is no such run, or it has no meaning now.
    package func itemPredicates(of name: String) throws -> [Predicate] {
        let run = try known(name)
        return try refusingFaults {
            try run.list.items.compactMap(\.predicate).map { try run.meaning(of: $0, meanings) }
        }
    }

    private func refusingFaults<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let fault as PredicateFault {
            throw Problem(status: 422, title: "The checklist is held", detail: fault.reason)
        }
    }

    /// Waits until a run has changed.
    /// - Parameter after: the change that is known; `nil` for none.
    /// - Returns: what it has come to, and its last change.
    /// - Throws: `Problem` if there is no such run; `CancellationError`
    package func change(of name: String, after: Int64?) async throws -> (ChecklistReply, revision: Int64) {
        if after == nil { await advance() }
        while true {
            let (run, seen) = (try known(name), revision)
            guard let after, run.revision <= after else { return (answer(run), run.revision) }
            await changes.wait(after: seen)
            try Task.checkCancellation()
        }
    }

    private func answer(_ run: ChecklistRun) -> ChecklistReply {
        let dictionaries = meanings.dictionaries
        return run.reply(newest: newest) { event in
            dictionaries.contains { $0.definition(event) != nil }
        }
    }

    // MARK: counting

    /// While somebody looks, events are counted as soon as they come; else together, which costs less.
    private static let (soon, later) = (Duration.milliseconds(20), Duration.seconds(2))
    private var watchers = 0
    private let wakes = EventFeed()

    /// Somebody looks from now on, until `endWatching`.
    package func beginWatching() {
        watchers += 1
        wake()
    }

    package func endWatching() { watchers -= 1 }

    private func wake() { wakes.publish(wakes.latest + 1) }

    /// Counts events as they come, until the task is cancelled. Then what was counted is saved.
    package func run() async {
        while !Task.isCancelled {
            let (wake, newest) = (wakes.latest, store.feed.latest)
            await advance()
            await saveDue()
            guard runs.values.contains(where: { $0.fault == nil && $0.isCounting }) else {
                failures.counted()
                if runs.values.contains(where: { !$0.isSaved }) {
                    await wait(for: wake) { try? await Task.sleep(for: Self.later) }
                } else {
                    failures.saved()
                    await wakes.wait(after: wake)
                }
                continue
            }
            let isBehind = !behind(newest).isEmpty
            if !isBehind { await wait(for: wake) { [store] in await store.feed.wait(after: newest) } }
            // What has failed is not tried again at once.
            let pause = failures.isCounting && (watchers > 0 || isBehind) ? Self.soon : Self.later
            await wait(for: wake) { try? await Task.sleep(for: pause) }
        }
        await save(all: true)
    }

    /// Waits for something, or until it is woken.
    private func wait(for wake: Int64, or body: @escaping @Sendable () async -> Void) async {
        await runUntilFirstEnds([{ [wakes] in await wakes.wait(after: wake) }, body])
    }

    private let steps = OrderedWork()

    /// Counts all stored events.
    private func advance() async { await steps.run { await self.countAll() } }

    /// The newest event when all were counted last.
    private var newest: Int64 = 0

    private func countAll() async {
        let now = clock()
        for (name, run) in runs where run.isCounting && run.isOver(newest: self.newest, now: now) {
            change(name) { $0.counts.close() }
        }
        let newest = store.feed.latest
        self.newest = newest
        do throws(StoreError) {
            for _ in 0..<WatchCounter.mostReads {
                let behind = behind(newest)
                let counted = try await counter.next(behind.mapValues(\.position), through: newest) {
                    (name) throws(PredicateFault) in try runs[name]?.groups(meanings) ?? []
                }
                guard let counted else { break }
                add(counted, of: behind)
            }
            failures.counted()
        } catch {
            failures.counted(error)
        }
    }

    private func behind(_ newest: Int64) -> [ExactString: ChecklistRun] {
        runs.filter { $1.fault == nil && $1.position < newest && $1.isCounting }
    }

    private func add(_ counted: WatchCounter.Counted, of before: [ExactString: ChecklistRun]) {
        // A run that was changed meanwhile counts by itself.
        func isSame(_ name: ExactString) -> Bool { runs[name]?.start == before[name]?.start }
        for (name, reason) in counted.faults where isSame(name) { change(name) { $0.fault = reason } }
        var room = mostBytes - runs.values.reduce(0) { $0 + $1.bytes }
        for (name, groups) in counted.sums {
            guard var run = runs[name], isSame(name), run.position == counted.after,
                run.counts.stoppedAt == before[name]?.counts.stoppedAt
            else { continue }
            let kept = run.bytes
            let hasChanged = run.add(groups, meanings, mostBytes: min(Self.mostBytesOfRun, kept + room))
            room -= run.bytes - kept
            run.position = counted.position
            runs[name] = run
            if hasChanged { change(name) { _ in } }
        }
    }

    // MARK: saving

    private static let (changedInterval, positionInterval) = (Duration.seconds(5), Duration.seconds(30))
    private(set) var lastSaved = (changes: ContinuousClock.now, positions: ContinuousClock.now)

    private func saveDue() async {
        let now = ContinuousClock.now
        if now - lastSaved.positions >= Self.positionInterval {
            await save(all: true)
        } else if now - lastSaved.changes >= Self.changedInterval {
            await save(all: false)
        }
    }

    /// - Parameter all: whether those are saved, too, of which only the position has changed.
    func save(all: Bool) async {
        let now = ContinuousClock.now
        lastSaved.changes = now
        if all { lastSaved.positions = now }
        var (failure, unsaved): (StoreError?, [ExactString]) = (nil, [])
        // One by one: the store saves events in between, and one that it has no room for does not keep others back.
        for name in runs.keys.sorted() {
            guard name != starting, let run = runs[name], !run.isSaved || all && run.isCounting else { continue }
            do throws(StoreError) {
                try await save(run)
                if runs[name]?.revision == run.revision {
                    runs[name]?.isSaved = true
                    runs[name]?.replacesValues = false
                }
            } catch {
                failure = failure ?? error
                guard error.kind == .full else {
                    unsaved = []
                    break
                }
                unsaved.append(name)
            }
        }
        failures.saved(failure, Self.sentence(unsaved))
    }

    /// Says which runs the store has no room for; `nil` for none.
    private static func sentence(_ unsaved: [ExactString]) -> String? {
        unsaved.first.map { first in
            let more = unsaved.count > 1 ? " and \(unsaved.count - 1) more have" : " has"
            return "Checklists do not save what \(first)\(more) counted"
        }
    }

    private func save(_ run: ChecklistRun) async throws(StoreError) { try await write([run]) }

    private func write(_ runs: [ChecklistRun], removing names: [String] = []) async throws(StoreError) {
        let (saved, replacesValues) = (runs.compactMap(\.saved), runs.contains(where: \.replacesValues))
        try await writes.run { [store] () throws(StoreError) in
            try await store.save(saved, removing: names, of: .checklist, replacingValues: replacesValues)
        }
    }
}
