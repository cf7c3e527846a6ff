package import API
package import Model
package import Store

/// Watches events for alert rules, and puts notices into the store, from which notifiers take them.
///
/// What a rule has seen, the position until which it has, and its notices are saved together: a restart neither makes a
/// notice twice, nor loses one.
package actor AlertKeeper {
    let store: EventStore
    let meanings: StandingPredicates
    let clock: @Sendable () -> UInt64
    private let completeUntil: @Sendable () -> UInt64?
    let report: @Sendable (String) -> Void
    private let counter: WatchCounter
    /// So that nothing is written over by what was there before.
    let writes = OrderedWork()
    let wrong = AlertProblems()
    var failures: WatchFailures { didSet { useProblems() } }
    var running: [ExactString: RunningAlert] = [:]
    /// In the order of the settings.
    var order: [ExactString] = []
    /// The number of times that there were new notices.
    package nonisolated let noticeFeed = EventFeed()

    /// - Parameters:
    ///   - clock: microseconds since 1970.
    ///   - completeUntil: until when the journal has been read, in microseconds since 1970; `nil` if that is not known.
    ///   - report: gets what went wrong, in a sentence.
    package init(
        store: EventStore, meanings: StandingPredicates, clock: @escaping @Sendable () -> UInt64,
        completeUntil: @escaping @Sendable () -> UInt64?, report: @escaping @Sendable (String) -> Void
    ) {
        (self.store, self.meanings, self.clock) = (store, meanings, clock)
        (self.completeUntil, self.report) = (completeUntil, report)
        counter = WatchCounter(store)
        failures = WatchFailures("Alerts do not look at events", report: report)
    }

    // MARK: rules

    /// Replaces the rules. One that means the same as before goes on with what it has seen, also after a restart.
    package func use(_ rules: [AlertRule]) async throws(StoreError) {
        let saved = try await store.savedWatches(.alert)
        if running.isEmpty { looks = [AlertLook](savedIn: saved) }
        var next: [ExactString: RunningAlert] = [:]
        for rule in rules {
            let name = ExactString(rule.name)
            if var known = running[name], known.rule.meaning == rule.meaning {
                known.rule = rule
                next[name] = known
            } else if let kept = kept(of: rule, saved) {
                next[name] = kept
            } else {
                let stored = store.feed.latest
                // Of first occurrences it has to know what was there already.
                next[name] = RunningAlert(
                    rule: rule, progress: AlertProgress(startedAt: Int64(clamping: clock()), stored: stored),
                    position: rule.condition == .first ? 0 : stored,
                    // Somebody may change a rule because it is noisy.
                    silencedUntil: silence(of: rule, saved))
            }
        }
        // What is being saved of another rule with the name is not the state of this one.
        for name in next.keys where next[name]?.revision == 0 {
            revision += 1
            next[name]?.revision = revision
        }
        let gone = saved.map(\.name).filter {
            next[ExactString($0)] == nil && (next.isEmpty || $0 != [AlertLook].savedName)
        }
        // Before anything else happens: what is found out meanwhile must not be lost.
        running = next
        // Changed rules may fit.
        oversized = [:]
        order = rules.map { ExactString($0.name) }
        counter.forget()
        findFaults()
        wakes.publish(wakes.latest + 1)
        await protect()
        // A new rule begins now, also if the process is killed before anything is saved.
        await saveNow(.changed)
        if !gone.isEmpty {
            try await writes.run { [store] () throws(StoreError) in
                try await store.save([], removing: gone, of: .alert)
            }
        }
    }

    private func kept(of rule: AlertRule, _ saved: [SavedWatch]) -> RunningAlert? {
        guard let saved = saved.first(where: { $0.name == rule.name }) else { return nil }
        do {
            var item = try RunningAlert(saved, of: rule)
            item?.looks = looks.filter { $0.position > saved.position }
            return item
        } catch {
            report("What the alert \(rule.name) has seen cannot be read: it starts over")
            return nil
        }
    }

    /// Until when a rule is silenced that had another meaning before.
    private func silence(of rule: AlertRule, _ saved: [SavedWatch]) -> UInt64? {
        if let before = running[ExactString(rule.name)] { return before.silencedUntil }
        return saved.first { $0.name == rule.name }.flatMap { RunningAlert.silence(in: $0) }
    }

    /// Looks at events by the dictionaries that are in force now.
    package func useDictionaries() async {
        counter.forget()
        findFaults()
        wakes.publish(wakes.latest + 1)
        await protect()
    }

    func change(_ name: ExactString, _ body: (inout RunningAlert) -> Void) {
        guard var item = running[name] else { return }
        body(&item)
        revision += 1
        (item.revision, item.isSaved) = (revision, false)
        running[name] = item
    }

    /// The number of the last change of a rule.
    var revision: Int64 = 0

    private func findFaults() {
        for (name, item) in running {
            let fault = item.rule.fault(meanings)
            if let fault, fault != item.fault { report("The alert \(item.rule.name) is held: \(fault)") }
            running[name]?.fault = fault
            // It looks at the events later than other rules did.
            if fault != nil { running[name]?.looks = [] }
        }
        useProblems()
    }

    /// Why a rule is held by dictionaries; `nil` if it is not.
    package static func fault(of rule: AlertRule, _ dictionaries: [EventDictionary]) -> String? {
        rule.fault(StandingPredicates(dictionaries) { $0 })
    }

    // MARK: looking

    /// What comes together costs less.
    private static let interval = Duration.seconds(2)
    private let wakes = EventFeed()

    /// Looks at events from time to time, until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            let wake = wakes.latest
            guard !running.isEmpty || !unsaved.isEmpty else {
                failures.counted()
                await wakes.wait(after: wake)
                continue
            }
            await look()
            let isBehind = running.values.contains { $0.fault == nil && $0.position < newest }
            // What has failed is not tried again at once.
            try? await Task.sleep(for: isBehind && failures.current == nil ? .milliseconds(20) : Self.interval)
        }
        await save(isLast: true)
    }

    /// Looks at what is stored, and saves the notices that it causes.
    func look() async {
        // Asked before the events are: what comes in between may be missing.
        let complete = Int64(clamping: completeUntil() ?? 0)
        let newest = store.feed.latest
        self.newest = newest
        await lookAtAll(through: newest)
        let now = clock()
        // A rule that goes through stored events sends nothing before it has seen them all.
        for name in order {
            // Rules may have many causes, and others ask meanwhile. Also before an end all are asked: what they have seen is saved, and
            // after a restart it may be too old for a notice.
            await Task.yield()
            guard let item = running[name], item.fault == nil, item.position >= newest else { continue }
            var progress = item.progress
            let changes = progress.changes(
                of: item.rule, now: Int64(clamping: now), completeUntil: complete,
                isSilenced: item.isSilenced(at: now))
            running[name]?.progress = progress
            // A hold that has begun or ended must not be another one after a crash.
            guard !changes.isEmpty || progress.holds != item.progress.holds else { continue }
            change(name) { _ in }
            // At once: it must not be saved that the rule fires without them.
            let notices = changes.map { change in
                item.notice(AlertNotice(change, of: item.rule, at: now), isSilenced: change.isSilenced)
            }
            wrong.giveUp(unsaved.add(notices), at: now)
        }
        await save()
        await noteLook(at: Int64(clamping: now))
    }

    /// The newest event when all were looked at last.
    private var newest: Int64 = 0

    private func lookAtAll(through newest: Int64) async {
        do throws(StoreError) {
            for _ in 0..<WatchCounter.mostReads {
                let behind = running.filter { $1.fault == nil && $1.position < newest }
                let counted = try await counter.next(behind.mapValues(\.position), through: newest) {
                    (name) throws(PredicateFault) in
                    guard let rule = running[name]?.rule else { return [] }
                    return [try rule.group(meanings)]
                }
                guard let counted else { break }
                await add(counted, of: behind)
            }
            failures.counted()
        } catch {
            failures.counted(error)
        }
    }

    /// The most that is kept of all rules, in bytes. In memory, it may be three times that.
    private static let mostBytes = 64 << 20
    /// The most that is kept of each rule.
    private var mostBytes: Int { min(AlertProgress.mostBytes, Self.mostBytes / max(1, running.count)) }

    private func add(_ counted: WatchCounter.Counted, of before: [ExactString: RunningAlert]) async {
        // A rule that was replaced meanwhile looks by itself.
        func isSame(_ name: ExactString) -> Bool { running[name]?.rule == before[name]?.rule }
        for (name, reason) in counted.faults where isSame(name) {
            running[name]?.fault = reason
            report("The alert \(name.text) is held: \(reason)")
        }
        if !counted.faults.isEmpty { useProblems() }
        let (now, mostBytes) = (Int64(clamping: clock()), mostBytes)
        for (name, groups) in counted.sums {
            await Task.yield()
            guard let rule = running[name]?.rule, isSame(name), running[name]?.position == counted.after else {
                continue
            }
            running[name]?.position = counted.position
            defer { running[name]?.looks.removeAll { $0.position <= counted.position } }
            let events = meanings.protection(of: rule.keys, in: rule.predicate).events(
                groups.first?.first?.events ?? [], of: rule.keys)
            guard !events.isEmpty else { continue }
            change(name) { item in
                for part in item.looks.parts(of: events, now: now) {
                    item.progress.add(part.events, of: rule, now: part.time, mostBytes: mostBytes)
                }
            }
        }
    }

    // MARK: what is not saved

    var lastSaved = ContinuousClock.now
    var unsaved = UnsavedNotices()
    /// Rules that the store has no room for, though it has for others, and why.
    var oversized: [ExactString: StoreError] = [:]
    /// The latest looks at events that some rules have seen since they were saved.
    var looks: [AlertLook] = []
    /// Whether stored notices may have values that must not be kept any more.
    var mayBeUnprotected = false
    /// How many notices were given up since the start: because they could not be saved, or could not be delivered.
    package nonisolated var dropped: Int { wrong.givenUp }

    // MARK: answers

    /// What is wrong with the rules.
    package nonisolated var problems: [StatusProblem] { wrong.all(at: clock()) }

    /// Lets those who ask see what is wrong now.
    func useProblems() {
        let held = order.compactMap { name in
            running[name]?.fault.map {
                StatusProblem(.alertHeld, name.text, what: "The alert \(name.text) is held: \($0)")
            }
        }
        let unsavable = order.compactMap { name in
            oversized[name].map {
                StatusProblem(
                    .alertNotCounted, name.text, what: Self.sentence(name, $0),
                    hint: [$0.hint, "Or let it keep less: a narrower predicate, other keys in by, a shorter within."]
                        .compactMap(\.self).joined(separator: " "))
            }
        }
        let failure = failures.current.map { sentence, error in
            StatusProblem(.alertNotCounted, what: sentence, hint: error.hint)
        }
        wrong.use(held + unsavable + [failure].compactMap(\.self))
    }

    /// The rules, in the order of the settings, and what they come to.
    package func list() -> AlertList {
        let now = clock()
        return AlertList(alerts: order.compactMap { name in running[name]?.reply(at: now) })
    }

    /// Sends a test notice to the notifiers of a rule. One without notifiers has nothing to test, and no notice is kept.
    /// - Throws: `Problem` if there is no such rule; `StoreError`.
    package func test(_ name: String) async throws -> AlertReply {
        let item = try known(name)
        guard !item.rule.notify.isEmpty else { return item.reply(at: clock()) }
        let notice = item.notice(protected(.test(of: item.rule, at: clock())), isSilenced: false)
        try await write(.one(ExactString(name), with: notice))
        return item.reply(at: clock())
    }

    /// Sends no notices of a rule until a time.
    /// - Parameter until: microseconds since 1970; `nil` ends it.
    /// - Throws: `Problem` if there is no such rule; `StoreError`.
    package func silence(_ name: String, until: UInt64?) async throws -> AlertReply {
        try await silences.run { try await self.silenceNext(name, until: until) }
    }

    /// One after the other: one that cannot be saved is undone, and must not undo the next.
    private let silences = OrderedWork()

    private func silenceNext(_ name: String, until: UInt64?) async throws -> AlertReply {
        let before = try known(name).silencedUntil
        change(ExactString(name)) { $0.silencedUntil = until }
        let item = try known(name)
        do throws(StoreError) {
            try await write(.one(ExactString(name)))
        } catch {
            change(ExactString(name)) { $0.silencedUntil = before }
            throw error
        }
        return item.reply(at: clock())
    }

    func known(_ name: String) throws(Problem) -> RunningAlert {
        if let item = running[ExactString(name)] { return item }
        let names = order.map(\.text).joined(separator: ", ")
        throw Problem(
            status: 404, title: "No such alert",
            detail: "there is no alert \(name); \(names.isEmpty ? "the settings have none" : "there are \(names)")")
    }
}
