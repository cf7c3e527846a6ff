/// Something that goes wrong inside, with a stable name. `allCases` is the only list: the codes of problems, docs/diagnostics.md, the
/// catalog for `journalctl -x`, and the advice to people all follow it. What each means is written in docs/diagnostics.md.
package enum Diagnostic: String, Sendable, CaseIterable {
    case settingsRefused = "settings.refused"
    case journalUnreadable = "journal.unreadable"
    case journalPolled = "journal.polled"
    case journalCursorGone = "journal.cursor-gone"
    case journalFileDamaged = "journal.file-damaged"
    case journalEntriesMissing = "journal.entries-missing"
    case journalRateLimited = "journal.rate-limited"
    case intakeStalled = "intake.stalled"
    case storeFull = "store.full"
    case storeDiskFull = "store.disk-full"
    case storeDamaged = "store.damaged"
    case storeFailed = "store.failed"
    case storeEventsDropped = "store.events-dropped"
    case storeNotMaintained = "store.not-maintained"
    case storeNotReprocessed = "store.not-reprocessed"
    case dictionaryNotLoaded = "dictionary.not-loaded"
    case dictionaryBroken = "dictionary.broken"
    case dictionaryNotKept = "dictionary.not-kept"
    case dictionaryPolled = "dictionary.polled"
    case sinkHeld = "sink.held"
    case sinkRetrying = "sink.retrying"
    case sinkWaiting = "sink.waiting"
    case sinkNotOpened = "sink.not-opened"
    case alertHeld = "alert.held"
    case alertNotInForce = "alert.not-in-force"
    case alertNotCounted = "alert.not-counted"
    case alertDropped = "alert.dropped"
    case checklistHeld = "checklist.held"
    case checklistUnreadable = "checklist.unreadable"
    case checklistNotCounted = "checklist.not-counted"
    case notifierHeld = "notifier.held"
    case notifierRetrying = "notifier.retrying"
    case notifierWaiting = "notifier.waiting"
    case privacyRevealed = "privacy.revealed"
    case privacyNotProtected = "privacy.not-protected"
    case privacyKeyLost = "privacy.key-lost"

    /// Whether it lasts until it is cleared. The others happen, and their number is counted.
    package var lasts: Bool {
        switch self {
        case .journalCursorGone, .journalFileDamaged, .journalEntriesMissing, .journalRateLimited, .storeEventsDropped,
            .alertDropped, .privacyKeyLost:
            false
        default: true
        }
    }

    /// What to do about it.
    package var advice: String {
        switch self {
        case .settingsRefused:
            "If it says that a restart is needed, restart the unit. Otherwise correct what it names, then run: glossctl reload."
        case .journalUnreadable:
            "Check journal.directory and journal.namespace in the settings, and the permissions of the file; for a damaged file, run journalctl --verify."
        case .journalPolled, .dictionaryPolled:
            "Raise the sysctl fs.inotify.max_user_instances or fs.inotify.max_user_watches."
        case .journalCursorGone:
            "Let journald keep more (SystemMaxUse= in journald.conf), or find out why glossd was behind: glossctl status."
        case .journalFileDamaged: "Run journalctl --verify, and check the disk."
        case .journalEntriesMissing: "See glossctl gaps. Files may have been deleted before Gloss read them."
        case .journalRateLimited: "Raise RateLimitBurst= in journald.conf, or let the program write less."
        case .intakeStalled:
            "Check the disk. The unit restarts glossd after another minute, which loses nothing. If it happens again, report it with the log of the unit."
        case .storeFull: "Make sure that the sinks deliver, raise store.max_size, or set store.when_full: drop_oldest."
        case .storeDiskFull: "Free some space. The daemon then continues by itself."
        case .storeDamaged: "Rebuild the store from the journal: see docs/operations.md."
        case .storeFailed: "See the text, and the logs of the unit and the kernel."
        case .storeEventsDropped: "Make sure that the sinks deliver, or raise store.max_size."
        case .storeNotMaintained, .storeNotReprocessed: "Check the disk, and see the log of the unit."
        case .dictionaryNotLoaded:
            "Correct its path, or the permissions of the folder; the change is noticed within seconds."
        case .dictionaryBroken: "Correct the file and line that it names; the change is noticed within seconds."
        case .dictionaryNotKept: "Solve the problem of the store. It is tried again by itself."
        case .sinkHeld: "Its events are kept. Correct the settings or the upstream, then run: glossctl reload."
        case .sinkRetrying: "Its events are kept and delivered later. Check the upstream and the network."
        case .sinkWaiting: "Its events are kept and delivered later. Solve the problem of the store; the log says why."
        case .sinkNotOpened, .alertNotInForce, .alertNotCounted, .checklistNotCounted:
            "Solve the problem of the store; the text says what it is."
        case .alertHeld: "Correct the predicate, or the definitions that it needs, then run: glossctl reload."
        case .alertDropped:
            "Solve the problem of the store or of the notifier. See glossctl alerts try for what was not sent."
        case .checklistHeld: "Correct the list or the definitions, and start it again."
        case .checklistUnreadable: "Start it again, with the same name, or remove it."
        case .notifierHeld: "Correct the settings of the notifier, then run: glossctl reload."
        case .notifierRetrying: "Check the service or the program that notices are sent to."
        case .notifierWaiting: "Solve the problem of the store; the text says what it is."
        case .privacyRevealed: "It is for development. Set privacy: protect, then run: glossctl reload."
        case .privacyNotProtected:
            "Bring the dictionary back that the text names, or remove the file that it names, or rebuild a damaged store, or free space on a full disk; or wait until the events have expired."
        case .privacyKeyLost:
            "Restore the file hash.key of an earlier backup if hashes must go on, and restart the unit."
        }
    }

    /// The MESSAGE_ID of its journal entries.
    package var messageID: String {
        switch self {
        case .settingsRefused: "30e4bea40c4f4c9aa1cf14ccb44717f3"
        case .journalUnreadable: "87be4fb94d13434186b5eef14fc23045"
        case .journalPolled: "81f18acc19f642ee804cbc8f52ad7211"
        case .journalCursorGone: "7c7efd8425a24880ba103c84a1ba9238"
        case .journalFileDamaged: "6f7862e3ec7540e5898a79b7eee8b66f"
        case .journalEntriesMissing: "586a30ec8f864979aa35f0aaef1995f9"
        case .journalRateLimited: "0bb2b75a3e5248f198f1d66ba3ca0178"
        case .intakeStalled: "47d81009088746759e7f65a565bbcf12"
        case .storeFull: "58178a0c6f8f49da99410d57e69b5881"
        case .storeDiskFull: "5a58a15d8b6f4f6684c325d3b3bfc800"
        case .storeDamaged: "9f3f1c6f32d546a9a450413a688b4d63"
        case .storeFailed: "f2e5ceffef904e29b9e1625666420b9c"
        case .storeEventsDropped: "ac60e344d2dc49bc9f5902a628c3732d"
        case .storeNotMaintained: "0991dbbd816949debd989ef007f2f871"
        case .storeNotReprocessed: "3477ba547e2a425a97c3cd004942ef17"
        case .dictionaryNotLoaded: "90e255bbc8a148fcba6dfb096f6c610b"
        case .dictionaryBroken: "e265af2fdec94885953bd19ab4bb91b8"
        case .dictionaryNotKept: "fead38d399a24c6895b2f17d86a5fe3b"
        case .dictionaryPolled: "902d65d0077d40598b6520bd0ac62368"
        case .sinkHeld: "a6680b3a879c45a1b7dc53dc9768031b"
        case .sinkRetrying: "54cd44717dba4c2ca9acf39a6916f7a5"
        case .sinkWaiting: "65c23a5ae9a648b49d0acff37b86f215"
        case .sinkNotOpened: "a392e1ce4d344057a5773e3a7e161b6a"
        case .alertHeld: "ff7f3aea0ddd4ea8ab6a372bc23f6cfa"
        case .alertNotInForce: "4a111ea0b09c4b50a9e9f3ab6b514077"
        case .alertNotCounted: "a98aac3aa0bf49c7ada09f75ab61a1c2"
        case .alertDropped: "cf4ab3d8b30b49ff85f6c81b673b29dd"
        case .checklistHeld: "21ee9ea1fe824a929a275499918b96aa"
        case .checklistUnreadable: "24a622c5ca92431f8f2621cb81901064"
        case .checklistNotCounted: "c4525539959f4c80900ade0c2bac4d09"
        case .notifierHeld: "dee7491e6e5d499f942e2974dd0e025b"
        case .notifierRetrying: "64536be7edab450e9a6ffaf2dd4e8a54"
        case .notifierWaiting: "f2271260d8d0463a8a32eac44866c9c9"
        case .privacyRevealed: "f589d9eaf7714ddeaa2f9e65eb78ff82"
        case .privacyNotProtected: "0cd80b5db56f4ae48486518cf62afe95"
        case .privacyKeyLost: "01ea391ba1134bf7a820e5ac298bb0c3"
        }
    }
}
