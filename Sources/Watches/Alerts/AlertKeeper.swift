package import API
internal import FoundationEssentials
package import Model
internal import Settings
package import Store

/// Watches events for alert rules, and puts notices into the store, from which notifiers take them.
///
/// What a rule has seen, the position until which it has, and its notices are saved together: a restart neither makes a
/// notice twice, nor loses one.
package actor AlertKeeper {
    private let store: EventStore
    private let meanings: StandingPredicates
    private let clock: @Sendable () -> UInt64
    private let completeUntil: @Sendable () -> UInt64?
    private let report: @Sendable (String) -> Void
    private let counter: WatchCounter
    private let writes = OrderedWrites()
    private var failures: WatchFailures
    private var running: [ExactString: RunningAlert] = [:]
    /// In the order of the settings.
    private var order: [ExactString] = []
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
        await saveNow()
        if !gone.isEmpty {
            try await writes.write { [store] () throws(StoreError) in
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
            // It looks at the events later than other rules did.
            if fault != nil { running[name]?.looks = [] }
        }
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
        await save(all: true)
    }

    /// Looks at what is stored, and saves the notices that it causes.
    func look() async {
        // Asked before the events are: what comes in between may be missing.
        let complete = Int64(clamping: completeUntil() ?? 0)
        let newest = store.feed.latest
        self.newest = newest
        await lookAtAll(through: newest)
        let now = clock()
        var notices: [NewNotice] = []
        // A rule that goes through stored events sends nothing before it has seen them all.
        for name in order {
            guard let item = running[name], item.fault == nil, item.position >= newest else { continue }
            var progress = item.progress
            let changes = progress.changes(
                of: item.rule, now: Int64(clamping: now), completeUntil: complete,
                isSilenced: item.isSilenced(at: now))
            running[name]?.progress = progress
            // A hold that has begun or ended must not be another one after a crash.
            guard !changes.isEmpty || progress.holds != item.progress.holds else { continue }
            change(name) { _ in }
            notices += changes.map { change in
                item.notice(AlertNotice(change, of: item.rule, at: now), isSilenced: change.isSilenced)
            }
        }
        await save(notices)
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
                add(counted, of: behind)
            }
            failures.counted()
        } catch {
            failures.counted(error)
        }
    }

    /// The most that is kept of all rules, in bytes. In memory and while it is saved, it is several times that.
    private static let mostBytes = 64 << 20
    /// The most that is kept of each rule.
    private var mostBytes: Int { min(AlertProgress.mostBytes, Self.mostBytes / max(1, running.count)) }

    private func add(_ counted: WatchCounter.Counted, of before: [ExactString: RunningAlert]) {
        for (name, reason) in counted.faults {
            running[name]?.fault = reason
            report("The alert \(name.text) is held: \(reason)")
        }
        let (now, mostBytes) = (Int64(clamping: clock()), mostBytes)
        for (name, groups) in counted.sums {
            // A rule that was replaced meanwhile looks by itself.
            guard let rule = running[name]?.rule, rule == before[name]?.rule,
                running[name]?.position == counted.after
            else { continue }
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

    // MARK: saving

    private static let saveInterval = Duration.seconds(30)
    private var lastSaved = ContinuousClock.now
    /// Notices that could not be saved yet.
    private var unsaved: [NewNotice] = []
    private static let mostUnsaved = 10_000
    /// How many notices were given up since the start: because they could not be saved, or could not be delivered.
    package private(set) var dropped = 0

    /// Rules that the store has no room for, though it has for others, and why.
    private var oversized: [ExactString: StoreError] = [:]
    /// When rules were saved one by one last.
    private var lastApart = ContinuousClock.now

    private func save(_ notices: [NewNotice] = [], all: Bool = false) async {
        unsaved += notices
        let isWaiting = unsaved.contains { oversized[ExactString($0.alert)] == nil }
        guard isWaiting || all || ContinuousClock.now - lastSaved >= Self.saveInterval else { return }
        await saveNow(all: all)
    }

    /// The latest looks at events that some rules have seen since they were saved.
    private var looks: [AlertLook] = []

    /// Saves that events were looked at, if rules are not saved that have seen some: a crash must not make these events late.
    private func noteLook(at time: Int64) async {
        guard running.values.contains(where: { !$0.isSaved || !$0.looks.isEmpty }) else { return looks = [] }
        let looked = running.values.lazy.filter { $0.fault == nil }.map(\.position).max()
        guard let looked, looks.note(AlertLook(position: looked, time: time)) else { return }
        do throws(StoreError) {
            try await writes.write { [store, saved = looks.saved] () throws(StoreError) in
                try await store.save([saved], of: .alert)
            }
        } catch {
            failures.saved(error)
        }
    }

    private func saveNow(all: Bool = false) async {
        lastSaved = .now
        do throws(StoreError) {
            try await write(all: all, needing: [])
            try await protectStored()
        } catch {
            return failures.saved(error)
        }
        failures.saved()
    }

    /// Saves what rules have seen, and all notices that are not saved yet: of each rule, neither must be there without the other
    /// after a crash.
    /// - Parameters:
    ///   - all: whether rules are saved that have not changed. After a crash, their events are looked through again.
    ///   - notice: is saved as well. It is not kept if that fails.
    ///   - needed: rules that have to be saved; `nil` for all. Others that the store has no room for are only reported.
    private func write(
        all: Bool = false, with notice: NewNotice? = nil, needing needed: Set<ExactString>? = nil
    ) async throws(StoreError) {
        // One at a time, so that no notice is saved twice.
        try await writes.write { [self] () throws(StoreError) in
            try await writeNow(all: all, with: notice, needing: needed)
        }
    }

    private func writeNow(
        all: Bool, with notice: NewNotice?, needing needed: Set<ExactString>?
    ) async throws(StoreError) {
        // For as long as the disk is full, say. Beyond that the oldest are given up.
        defer {
            let excess = max(0, unsaved.count - Self.mostUnsaved)
            unsaved.removeFirst(excess)
            dropped += excess
        }
        let unsavedRules = running.filter { !$1.isSaved || all }.keys
        var names = Set((unsaved + [notice].compactMap(\.self)).map { ExactString($0.alert) }).union(unsavedRules)
        var apart = names.filter { oversized[$0] != nil }
        // What is large is not tried with each notice of others.
        if !all, needed == [], ContinuousClock.now - lastApart < Self.saveInterval {
            names.subtract(apart)
            apart = []
        }
        do throws(StoreError) {
            try await writeTogether(names.subtracting(apart), all: all, with: notice)
        } catch {
            guard error.kind == .full else { throw error }
            apart = names
        }
        guard !apart.isEmpty else { return }
        let failed = try await writeApart(apart, all: all, with: notice)
        if let error = failed.first(where: { needed?.contains($0.key) ?? true })?.value { throw error }
    }

    /// Saves rules one by one: one that is too large must not keep others from being saved.
    /// - Returns: those that the store has no room for, and why.
    private func writeApart(
        _ names: Set<ExactString>, all: Bool, with notice: NewNotice?
    ) async throws(StoreError) -> [ExactString: StoreError] {
        lastApart = .now
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
        _ names: Set<ExactString>, all: Bool, with notice: NewNotice?
    ) async throws(StoreError) {
        let items = running.filter { names.contains($0) && (!$1.isSaved || all) }.values
        let waiting = unsaved.count
        let sent = (unsaved + [notice].compactMap(\.self)).filter { names.contains(ExactString($0.alert)) }
        guard !items.isEmpty || !sent.isEmpty else { return }
        dropped += try await store.save(items.compactMap(\.saved), of: .alert, notices: sent)
        // Others may have come meanwhile.
        let rest = unsaved.prefix(waiting).filter { !names.contains(ExactString($0.alert)) }
        unsaved = rest + unsaved.dropFirst(waiting)
        for item in items where running[ExactString(item.rule.name)]?.revision == item.revision {
            running[ExactString(item.rule.name)]?.isSaved = true
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
            if progress.protect(protection, of: rule) { change(name) { $0.progress = progress } }
        }
        let protected = protectedText
        for place in unsaved.indices {
            if let text = protected(unsaved[place].notice) { unsaved[place].notice = text }
        }
        mayBeUnprotected = true
        do throws(StoreError) {
            try await write()
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
            try await writes.write { [store] () throws(StoreError) in try await store.replaceNotices(protected) }
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
            return protected == notice ? nil : protected.stored
        }
    }

    /// Returns a notice as it may be shown and sent now. A rule that is gone was about any events.
    package func protected(_ notice: AlertNotice) -> AlertNotice {
        meanings.protected(notice, in: running[ExactString(notice.alert)]?.rule.predicate)
    }

    // MARK: answers

    /// What is wrong with the rules.
    package var problems: [StatusProblem] {
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
        guard let (sentence, error) = failures.current else { return held + unsavable }
        return held + unsavable + [.init(.alertNotCounted, what: sentence, hint: error.hint)]
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
        try await write(with: notice, needing: [ExactString(name)])
        return item.reply(at: clock())
    }

    /// Sends no notices of a rule until a time.
    /// - Parameter until: microseconds since 1970; `nil` ends it.
    /// - Throws: `Problem` if there is no such rule; `StoreError`.
    package func silence(_ name: String, until: UInt64?) async throws -> AlertReply {
        let before = try known(name).silencedUntil
        change(ExactString(name)) { $0.silencedUntil = until }
        let item = try known(name)
        do throws(StoreError) {
            try await write(needing: [ExactString(name)])
        } catch {
            change(ExactString(name)) { $0.silencedUntil = before }
            throw error
        }
        return item.reply(at: clock())
    }

    private func known(_ name: String) throws(Problem) -> RunningAlert {
        if let item = running[ExactString(name)] { return item }
        let names = order.map(\.text).joined(separator: ", ")
        throw Problem(
            status: 404, title: "No such alert",
            detail: "there is no alert \(name); \(names.isEmpty ? "the settings have none" : "there are \(names)")")
    }

    // MARK: trying

    /// The most that is found.
    package static let mostTried = 1000

    /// Returns a rule: of the settings, or of a text that has rules as the settings do.
    /// - Parameters:
    ///   - file: what the text is called.
    ///   - predicates: those that have names.
    /// - Throws: `Problem` if there is no such rule, it has no meaning, or the text has errors.
    package func rule(
        _ name: String, in text: String?, file: String, predicates: [ExactString: ExactString]
    ) throws(Problem) -> AlertRule {
        guard let text else {
            let rule = try known(name).rule
            if let fault = rule.fault(meanings) { throw Self.unusable(fault) }
            return rule
        }
        do throws(SettingsError) {
            let rules = try AlertRule.rules(yaml: text, file: file, predicates: predicates)
            if let (rule, line) = rules.first(where: { $0.rule.name == name }) {
                guard let fault = rule.fault(meanings) else { return rule }
                throw SettingsError(problems: [.init(file: file, line: line, message: "alert \(name): \(fault)")])
            }
        } catch {
            throw Problem(status: 422, title: "The rules have errors", detail: error.description)
        }
        throw Problem(status: 404, title: "No such alert", detail: "there is no alert \(name) in \(file)")
    }

    /// Finds out which notices a rule would have sent about stored events.
    /// - Parameter since: notices before it do not count, in microseconds since 1970.
    /// - Throws: `Problem` if it has no meaning; `StoreError`.
    package func tried(_ rule: AlertRule, since: UInt64) async throws -> [AlertNotice] {
        do {
            let trial = AlertTrial(
                rule: rule, group: try rule.group(meanings),
                protection: meanings.protection(of: rule.keys, in: rule.predicate), since: since)
            return try await trial.run(on: store, until: clock())
        } catch let fault as PredicateFault {
            throw Self.unusable(fault.reason)
        }
    }

    private static func unusable(_ fault: String) -> Problem {
        Problem(status: 422, title: "The alert cannot be used", detail: fault)
    }
}
