package import API
internal import FoundationEssentials
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
    private let report: @Sendable (String) -> Void
    private let counter: WatchCounter
    /// So that nothing is written over by what was there before.
    private let writes = OrderedWork()
    private let groupBytes: Int
    private let wrong = AlertProblems()
    private var failures: WatchFailures { didSet { useProblems() } }
    private var running: [ExactString: RunningAlert] = [:]
    /// In the order of the settings.
    private var order: [ExactString] = []
    /// The number of times that there were new notices.
    package nonisolated let noticeFeed = EventFeed()

    /// - Parameters:
    ///   - clock: microseconds since 1970.
    ///   - completeUntil: until when the journal has been read, in microseconds since 1970; `nil` if that is not known.
    ///   - groupBytes: about how much of rules is saved together, unless one has more: while it is, the store saves no events.
    ///   - report: gets what went wrong, in a sentence.
    package init(
        store: EventStore, meanings: StandingPredicates, clock: @escaping @Sendable () -> UInt64,
        completeUntil: @escaping @Sendable () -> UInt64?, groupBytes: Int = 1 << 20,
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.store, self.meanings, self.clock, self.groupBytes) = (store, meanings, clock, groupBytes)
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

    private func change(_ name: ExactString, _ body: (inout RunningAlert) -> Void) {
        guard var item = running[name] else { return }
        body(&item)
        revision += 1
        (item.revision, item.isSaved) = (revision, false)
        running[name] = item
    }

    /// The number of the last change of a rule.
    private var revision: Int64 = 0

    private func findFaults() {
        for (name, item) in running {
            let fault = item.rule.fault(meanings)
            if let fault, fault != item.fault { report("The alert \(item.rule.name) is held: \(fault)") }
            running[name]?.fault = fault
            running[name]?.forgetPassedOver()
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
                let counted = try await counter.next(
                    behind.mapValues(\.position), through: newest,
                    mayPassOver: { running[$0]?.passedOver ?? 0 < RunningAlert.mostPassedOver },
                    groups: { (name) throws(PredicateFault) in
                        guard let rule = running[name]?.rule else { return [] }
                        return [try rule.group(meanings)]
                    })
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
            if let reason = counted.passedOver {
                if running[name]?.progress.isCut == false {
                    report("The alert \(name.text) leaves out event \(counted.position): \(reason)")
                }
                change(name) { $0.passOver(at: now) }
            }
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

    // MARK: saving

    private static let saveInterval = Duration.seconds(30)
    private var lastSaved = ContinuousClock.now
    private var unsaved = UnsavedNotices()
    /// How many notices were given up since the start: because they could not be saved, or could not be delivered.
    package nonisolated var dropped: Int { wrong.givenUp }

    /// Rules that the store has no room for, though it has for others, and why.
    private var oversized: [ExactString: StoreError] = [:]
    /// When rules were saved one by one last.
    private var lastApart = ContinuousClock.now

    /// The rules that are saved.
    private enum Wanted {
        /// Those that notices wait for.
        case noticed
        /// Those that have changed, as well.
        case changed
        /// All. After a crash, the events of those that have not changed are looked through again.
        case all
        /// Only one, whatever waits for others.
        case one(ExactString)
    }

    private func save(isLast: Bool = false) async {
        if isLast {
            await saveNow(.all)
        } else if ContinuousClock.now - lastSaved >= Self.saveInterval {
            await saveNow(.changed)
        } else if unsaved.alerts.contains(where: { oversized[$0] == nil }) {
            await saveNow(.noticed)
        }
        if let sentence = wrong.takeSentence() { report(sentence) }
    }

    /// The latest looks at events that some rules have seen since they were saved.
    private var looks: [AlertLook] = []

    /// Saves that events were looked at, if rules are not saved that have seen some: a crash must not make these events late.
    private func noteLook(at time: Int64) async {
        guard running.values.contains(where: { !$0.isSaved || !$0.looks.isEmpty }) else { return looks = [] }
        let looked = running.values.lazy.filter { $0.fault == nil }.map(\.position).max()
        guard let looked, looks.note(AlertLook(position: looked, time: time)) else { return }
        do throws(StoreError) {
            try await writes.run { [store, saved = looks.saved] () throws(StoreError) in
                try await store.save([saved], of: .alert)
            }
        } catch {
            failures.saved(error)
        }
    }

    private func saveNow(_ wanted: Wanted) async {
        if case .noticed = wanted {} else { lastSaved = .now }
        do throws(StoreError) {
            try await write(wanted, needsAll: false)
            try await protectStored()
        } catch {
            return failures.saved(error)
        }
        failures.saved()
    }

    /// Saves what rules have seen, and their notices that are not saved yet: of each rule, neither must be there without the
    /// other after a crash.
    /// - Parameters:
    ///   - notice: is saved as well. It is not kept if that fails.
    ///   - needsAll: whether it fails if the store has no room for one of them. Else that is only reported.
    private func write(
        _ wanted: Wanted, with notice: UnsavedNotice? = nil, needsAll: Bool = true
    ) async throws(StoreError) {
        // One at a time, so that no notice is saved twice.
        try await writes.run { [self] () throws(StoreError) in
            try await writeNow(wanted, with: notice, needsAll: needsAll)
        }
    }

    private func writeNow(
        _ wanted: Wanted, with notice: UnsavedNotice?, needsAll: Bool
    ) async throws(StoreError) {
        var names = unsaved.alerts
        var all = false
        switch wanted {
        case .noticed: break
        case .changed: names.formUnion(running.filter { !$1.isSaved }.keys)
        case .all: (names, all) = (names.union(running.keys), true)
        case .one(let name): names = [name]
        }
        var apart = names.filter { oversized[$0] != nil }
        // What is large is not tried with each notice of others.
        if !all, !needsAll, ContinuousClock.now - lastApart < Self.saveInterval {
            names.subtract(apart)
            apart = []
        }
        await showLatest(names)
        var rest = groups(names.subtracting(apart))[...]
        do throws(StoreError) {
            while let group = rest.first {
                try await writeTogether(group, all: all, with: notice)
                rest.removeFirst()
            }
        } catch {
            guard error.kind == .full else { throw error }
            apart.formUnion(rest.joined())
        }
        guard !apart.isEmpty else { return }
        let failed = try await writeApart(apart, all: all, with: notice)
        if needsAll, let error = failed.first?.value { throw error }
    }

    /// Lets notices that are not saved yet say what their latest event has.
    private func showLatest(_ names: Set<ExactString>) async {
        let showing = names.filter { running[$0]?.rule.show.isEmpty == false }
        var latest: [ExactString: LatestEvent] = [:]
        for (number, notice) in unsaved.unread(of: showing).prefix(LatestEvent.mostNotices) {
            let name = ExactString(notice.alert)
            guard let rule = running[name]?.rule else { continue }
            let reader = latest[name] ?? LatestEvent(of: rule, store, meanings)
            latest[name] = reader
            let shown = await reader.shown(in: notice)
            // What is private may have changed meanwhile.
            unsaved.replace(number, protected(shown))
        }
    }

    /// Divides rules, so that those of a group have about `groupBytes` together. They are in the order of the settings, as the
    /// notices of one look came; rules that are gone come first.
    private func groups(_ names: Set<ExactString>) -> [Set<ExactString>] {
        let notices = unsaved.bytes
        var (groups, bytes) = ([Set<ExactString>](), 0)
        for name in names.subtracting(order).sorted() + order.filter(names.contains) {
            let own = (running[name]?.progress.bytes ?? 0) + (notices[name] ?? 0)
            if groups.isEmpty || bytes + own > groupBytes {
                groups.append([])
                bytes = 0
            }
            groups[groups.count - 1].insert(name)
            bytes += own
        }
        return groups
    }

    /// Saves rules one by one: one that is too large must not keep others from being saved.
    /// - Returns: those that the store has no room for, and why.
    private func writeApart(
        _ names: Set<ExactString>, all: Bool, with notice: UnsavedNotice?
    ) async throws(StoreError) -> [ExactString: StoreError] {
        lastApart = .now
        defer { useProblems() }
        // While the store has no room for anything, that is not because of a rule.
        try await store.save([looks.saved], of: .alert)
        var failed: [ExactString: StoreError] = [:]
        for name in names.sorted() {
            do throws(StoreError) {
                try await writeTogether([name], all: all, with: notice)
                oversized[name] = nil
            } catch {
                guard error.kind == .full else { throw error }
                failed[name] = error
            }
        }
        for (name, error) in failed {
            // Once: how many bytes are missing changes.
            if oversized[name] == nil { report(Self.sentence(name, error)) }
            oversized[name] = error
        }
        return failed
    }

    /// Saves rules and their notices, in one transaction.
    private func writeTogether(
        _ names: Set<ExactString>, all: Bool, with notice: UnsavedNotice?
    ) async throws(StoreError) {
        let items = names.compactMap { running[$0] }.filter { !$0.isSaved || all }
        let count = unsaved.count
        let own = [notice].compactMap(\.self).filter { names.contains(ExactString($0.notice.alert)) }
        let sent = unsaved.of(names) + own
        guard !items.isEmpty || !sent.isEmpty else { return }
        let (encoder, noticeEncoder) = (JSONEncoder(), APICoding.encoder())
        let givenUp = try await store.save(
            items.compactMap { $0.saved(encoder) }, of: .alert, notices: sent.map { $0.stored(noticeEncoder) },
            replacingValues: items.contains(where: \.replacesValues))
        wrong.giveUp(givenUp, at: clock())
        unsaved.remove(first: count, of: names)
        for item in items where running[ExactString(item.rule.name)]?.revision == item.revision {
            running[ExactString(item.rule.name)]?.isSaved = true
            running[ExactString(item.rule.name)]?.replacesValues = false
        }
        if !sent.isEmpty { noticeFeed.publish(noticeFeed.latest + 1) }
    }

    private static func sentence(_ name: ExactString, _ error: StoreError) -> String {
        "The alert \(name.text) sends nothing now, since the store has no room for what it has seen: \(error)"
    }

    // MARK: privacy

    /// Whether stored notices may have values that must not be kept any more.
    private var mayBeUnprotected = false

    /// Replaces values that must not be kept any more.
    private func protect() async {
        guard meanings.protectsValues else { return }
        for (name, item) in running {
            let (protection, rule) = (meanings.protection(of: item.rule.keys, in: item.rule.predicate), item.rule)
            var progress = item.progress
            if progress.protect(protection, of: rule) {
                change(name) { ($0.progress, $0.replacesValues) = (progress, true) }
            }
        }
        unsaved.mapNotices(protected)
        mayBeUnprotected = true
        do throws(StoreError) {
            try await write(.changed)
            try await protectStored()
        } catch {
            // It is done with what is saved next.
            failures.saved(error)
        }
    }

    private func protectStored() async throws(StoreError) {
        guard mayBeUnprotected else { return }
        mayBeUnprotected = false
        let protected = protectedText
        do throws(StoreError) {
            try await writes.run { [store] () throws(StoreError) in try await store.replaceNotices(protected) }
        } catch {
            mayBeUnprotected = true
            throw error
        }
    }

    /// Returns what replaces the text of a notice; `nil` if it can stay.
    private var protectedText: @Sendable (String) -> String? {
        let predicates = running.mapValues { ExactString($0.rule.predicate) }
        return { [meanings] text in
            guard let notice = try? APICoding.decode(AlertNotice.self, from: Data(text.utf8)) else { return nil }
            let protected = meanings.protected(notice, in: predicates[ExactString(notice.alert)]?.text)
            return protected == notice ? nil : protected.stored()
        }
    }

    /// Returns a notice as it may be shown and sent now. A rule that is gone was about any events.
    package func protected(_ notice: AlertNotice) -> AlertNotice {
        meanings.protected(notice, in: running[ExactString(notice.alert)]?.rule.predicate)
    }

    // MARK: answers

    /// What is wrong with the rules.
    package nonisolated var problems: [StatusProblem] { wrong.all(at: clock()) }

    /// Lets those who ask see what is wrong now.
    private func useProblems() {
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
        try await write(.one(ExactString(name)), with: notice)
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
