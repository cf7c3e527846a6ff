import Dictionaries
import Journal
import Model
import Settings
import Store
import Watches

/// The parts of the running daemon.
struct Parts: Sendable {
    let store: EventStore
    let journal: JournalOptions
    /// The name under which the position in the journal is saved.
    let journalName: String
    let lookup: JournalLookup
    let reader: JournalReader
    let intake: Intake
    let archive: DictionaryArchive
    let reprocessor: Reprocessor
    let meanings: StandingPredicates
    let delivery: Delivery
    let checklists: ChecklistKeeper
    let alerts: AlertKeeper
    let alerting: Alerting
    let watcher: DictionaryWatcher

    var progress: IntakeProgress { intake.progress }
}

extension Parts: ReloadTarget {
    func willReveal() async throws { try await reprocessor.willReveal() }
    func deliver(by dictionaries: DictionarySet) async {
        meanings.use(dictionaries.dictionaries, dictionaries.privacy)
        await delivery.use(dictionaries)
        await checklists.useDictionaries()
        await alerts.useDictionaries()
    }
    func deliver(to sinks: [SinkOptions]) async { await delivery.use(sinks) }
    func resolve(by dictionaries: DictionarySet) async { await intake.use(dictionaries.resolver) }

    func alert(by settings: Settings) async { await alerting.use(settings) }

    func read(by settings: Settings) {
        reader.setRules(settings.rules)
        store.use(settings.sources)
    }

    func waitUntilResolved() async { await intake.batches.waitUntilResolved { reader.wake() } }
    func willReprocess() async { await reprocessor.willChange() }
    func reprocess(by dictionaries: DictionarySet) async { await reprocessor.use(dictionaries) }
    func watch(_ folders: [String]) { watcher.use(folders) }
}
