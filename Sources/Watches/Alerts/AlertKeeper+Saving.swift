internal import API
internal import FoundationEssentials
package import Model
internal import Store

/// Saving what rules have seen, and their notices.
extension AlertKeeper {
    private static let saveInterval = Duration.seconds(30)

    /// The rules that are saved.
    enum Wanted {
        /// Those that notices wait for.
        case noticed
        /// Those that have changed, as well.
        case changed
        /// All. After a crash, the events of those that have not changed are looked through again.
        case all
        /// Only one, whatever waits for others, and with it a notice that is not kept if that fails.
        case one(ExactString, with: UnsavedNotice? = nil)
    }

    func save(isLast: Bool = false) async {
        if isLast {
            await saveNow(.all)
        } else if ContinuousClock.now - lastSaved >= Self.saveInterval {
            await saveNow(.changed)
        } else if unsaved.alerts.contains(where: { oversized[$0] == nil }) {
            await saveNow(.noticed)
        }
        if let sentence = wrong.takeSentence() { report(sentence) }
    }

    /// Saves that events were looked at, if rules are not saved that have seen some: a crash must not make these events
    /// late.
    func noteLook(at time: Int64) async {
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

    func saveNow(_ wanted: Wanted) async {
        if case .noticed = wanted {} else { lastSaved = .now }
        do throws(StoreError) {
            try await write(wanted, needsAll: false)
            try await protectStored()
        } catch {
            return failures.saved(error)
        }
        failures.saved()
    }

    /// Saves what rules have seen, and their notices that are not saved yet: of each rule, neither must be there without
    /// the other after a crash.
    /// - Parameter needsAll: whether it fails if the store has no room for one of them. Else that is only reported.
    func write(_ wanted: Wanted, needsAll: Bool = true) async throws(StoreError) {
        // One at a time, so that no notice is saved twice.
        try await writes.run { [self] () throws(StoreError) in try await writeNow(wanted, needsAll: needsAll) }
    }

    private func writeNow(_ wanted: Wanted, needsAll: Bool) async throws(StoreError) {
        var (names, all, notice) = (unsaved.alerts, false, UnsavedNotice?.none)
        switch wanted {
        // What is large is not tried with each notice of others.
        case .noticed: names.subtract(oversized.keys)
        case .changed: names.formUnion(running.filter { !$1.isSaved }.keys)
        case .all: (names, all) = (names.union(running.keys), true)
        case .one(let name, let own): (names, notice) = ([name], own)
        }
        await showLatest(names)
        defer { useProblems() }
        var (failure, hasRoom) = (StoreError?.none, false)
        // One by one: the store saves events in between, and one that it has no room for does not keep others back. They
        // are in the order of the settings, as the notices of one look came; rules that are gone come first.
        for name in names.subtracting(order).sorted() + order.filter(names.contains) {
            do throws(StoreError) {
                try await write(name, all: all, with: notice)
                oversized[name] = nil
            } catch {
                guard error.kind == .full else { throw error }
                // While the store has no room for anything, that is not because of a rule.
                if !hasRoom { try await store.save([looks.saved], of: .alert) }
                hasRoom = true
                // Once: how many bytes are missing changes.
                if oversized[name] == nil { report(Self.sentence(name, error)) }
                oversized[name] = error
                failure = failure ?? error
            }
        }
        if needsAll, let failure { throw failure }
    }

    /// Saves a rule and its notices, in one transaction.
    private func write(_ name: ExactString, all: Bool, with notice: UnsavedNotice?) async throws(StoreError) {
        let item = running[name].flatMap { !$0.isSaved || all ? $0 : nil }
        let count = unsaved.count
        let sent = unsaved.of(name) + [notice].compactMap(\.self)
        guard item != nil || !sent.isEmpty else { return }
        let noticeEncoder = APICoding.encoder()
        let givenUp = try await store.save(
            [item?.saved].compactMap(\.self), of: .alert, notices: sent.map { $0.stored(noticeEncoder) },
            replacingValues: item?.replacesValues == true)
        wrong.giveUp(givenUp, at: clock())
        unsaved.remove(first: count, of: name)
        if let item, running[name]?.revision == item.revision {
            running[name]?.isSaved = true
            running[name]?.replacesValues = false
        }
        if !sent.isEmpty { noticeFeed.publish(noticeFeed.latest + 1) }
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

    static func sentence(_ name: ExactString, _ error: StoreError) -> String {
        "The alert \(name.text) sends nothing now, since the store has no room for what it has seen: \(error)"
    }

    // MARK: privacy

    /// Replaces values that must not be kept any more.
    func protect() async {
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
}
