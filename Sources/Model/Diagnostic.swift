/// Something that goes wrong inside, with a stable name. `allCases` is the only list: the codes of problems, docs/diagnostics.md, the
/// catalog for `journalctl -x`, and what people are told to do all follow it.
package enum Diagnostic: String, Sendable, CaseIterable {
    case journalUnreadable = "journal.unreadable"
    case journalPolled = "journal.polled"
    case journalCursorGone = "journal.cursor-gone"
    case journalFileDamaged = "journal.file-damaged"
    case journalEntriesMissing = "journal.entries-missing"
    case journalRateLimited = "journal.rate-limited"
    case storeFull = "store.full"
    case storeDiskFull = "store.disk-full"
    case storeDamaged = "store.damaged"
    case storeFailed = "store.failed"
    case storeEventsDropped = "store.events-dropped"
    case dictionaryNotLoaded = "dictionary.not-loaded"
    case dictionaryBroken = "dictionary.broken"
    case dictionaryPolled = "dictionary.polled"
    case sinkHeld = "sink.held"
    case sinkRetrying = "sink.retrying"
    case sinkWaiting = "sink.waiting"
    case alertHeld = "alert.held"
    case checklistHeld = "checklist.held"
    case notifierHeld = "notifier.held"
    case notifierRetrying = "notifier.retrying"
    case privacyRevealed = "privacy.revealed"

    /// Whether it lasts until it is cleared. The others happen, and their number is counted.
    package var lasts: Bool {
        switch self {
        case .journalCursorGone, .journalFileDamaged, .journalEntriesMissing, .journalRateLimited, .storeEventsDropped:
            false
        default: true
        }
    }

    /// What has happened.
    package var meaning: String {
        switch self {
        case .journalUnreadable: "A journal file or folder cannot be read. Its events are missing until it can be."
        case .journalPolled: "The journal is only polled, every 2 s. Nothing is lost; events come later."
        case .journalCursorGone: "A journal file was deleted before it was read to its end."
        case .journalFileDamaged: "A part of a journal file cannot be read."
        case .journalEntriesMissing: "Sequence numbers are missing in the journal, and no file has them."
        case .journalRateLimited:
            "journald did not store messages, because of its rate limit or because it missed some."
        case .storeFull:
            "The store has reached its limit. Reading waits; the journal keeps what is not read, until it rotates."
        case .storeDiskFull:
            "The disk of the store is full. Reading waits; the journal keeps what is not read, until it rotates."
        case .storeDamaged: "The database is damaged. What needs the damaged part fails; the rest works."
        case .storeFailed: "The store cannot save events. Reading waits, and is tried again."
        case .storeEventsDropped: "Events were removed that a sink had not received (store.when_full: drop_oldest)."
        case .dictionaryNotLoaded: "A dictionary could never be read: all its events are undefined."
        case .dictionaryBroken: "A dictionary has errors. What they concern stays as it was, or is not in force."
        case .dictionaryPolled: "Dictionary folders are only polled, every 2 s. Changes are noticed later."
        case .sinkHeld:
            "A sink sends nothing: the upstream refuses its batches, or its predicate has no meaning. Its events are kept."
        case .sinkRetrying: "A sink has not been able to deliver for more than 5 minutes. Its events are kept."
        case .sinkWaiting: "A sink has been waiting for the store for more than 5 minutes. Its events are kept."
        case .alertHeld: "An alert looks at nothing: its predicate has no meaning by the dictionaries in force."
        case .checklistHeld: "A run of a checklist counts nothing: a predicate of it cannot be used."
        case .notifierHeld: "A notifier cannot be told: it refuses, or is not there. What it has to be told is kept."
        case .notifierRetrying: "A notifier does not answer. What it has to be told is kept, and tried again."
        case .privacyRevealed: "Private values are stored and sent as they are."
        }
    }

    /// What to do about it.
    package var advice: String {
        switch self {
        case .journalUnreadable:
            "Check journal.directory and journal.namespace in the settings, and the permissions of the file; for a damaged file, run journalctl --verify."
        case .journalPolled, .dictionaryPolled:
            "Raise the sysctl fs.inotify.max_user_instances or fs.inotify.max_user_watches."
        case .journalCursorGone:
            "Let journald keep more (SystemMaxUse= in journald.conf), or find out why glossd was behind: glossctl status."
        case .journalFileDamaged: "Run journalctl --verify, and check the disk."
        case .journalEntriesMissing: "See glossctl gaps. Files may have been deleted before Gloss read them."
        case .journalRateLimited: "Raise RateLimitBurst= in journald.conf, or let the program write less."
        case .storeFull: "Make sure that the sinks deliver, raise store.max_size, or set store.when_full: drop_oldest."
        case .storeDiskFull: "Free some space. The daemon then continues by itself."
        case .storeDamaged: "Rebuild the store from the journal: see docs/operations.md."
        case .storeFailed: "See the text, and the log of the unit."
        case .storeEventsDropped: "Make sure that the sinks deliver, or raise store.max_size."
        case .dictionaryNotLoaded:
            "Correct its path, or the permissions of the folder; the change is noticed within seconds."
        case .dictionaryBroken: "Correct the file and line that it names; the change is noticed within seconds."
        case .sinkHeld: "Correct the settings or the upstream, then run: glossctl reload."
        case .sinkRetrying: "Check the upstream and the network."
        case .sinkWaiting: "Solve the problem of the store; the log says why."
        case .alertHeld: "Correct the predicate, or the definitions that it needs, then run: glossctl reload."
        case .checklistHeld: "Correct the list or the definitions, and start it again."
        case .notifierHeld: "Correct the settings of the notifier, then run: glossctl reload."
        case .notifierRetrying: "Check the service or the program that is told."
        case .privacyRevealed: "It is for development. Set privacy: protect, then run: glossctl reload."
        }
    }

    /// The MESSAGE_ID of its journal entries.
    package var messageID: String {
        switch self {
        case .journalUnreadable: "87be4fb94d13434186b5eef14fc23045"
        case .journalPolled: "81f18acc19f642ee804cbc8f52ad7211"
        case .journalCursorGone: "7c7efd8425a24880ba103c84a1ba9238"
        case .journalFileDamaged: "6f7862e3ec7540e5898a79b7eee8b66f"
        case .journalEntriesMissing: "586a30ec8f864979aa35f0aaef1995f9"
        case .journalRateLimited: "0bb2b75a3e5248f198f1d66ba3ca0178"
        case .storeFull: "58178a0c6f8f49da99410d57e69b5881"
        case .storeDiskFull: "5a58a15d8b6f4f6684c325d3b3bfc800"
        case .storeDamaged: "9f3f1c6f32d546a9a450413a688b4d63"
        case .storeFailed: "f2e5ceffef904e29b9e1625666420b9c"
        case .storeEventsDropped: "ac60e344d2dc49bc9f5902a628c3732d"
        case .dictionaryNotLoaded: "90e255bbc8a148fcba6dfb096f6c610b"
        case .dictionaryBroken: "e265af2fdec94885953bd19ab4bb91b8"
        case .dictionaryPolled: "902d65d0077d40598b6520bd0ac62368"
        case .sinkHeld: "a6680b3a879c45a1b7dc53dc9768031b"
        case .sinkRetrying: "54cd44717dba4c2ca9acf39a6916f7a5"
        case .sinkWaiting: "65c23a5ae9a648b49d0acff37b86f215"
        case .alertHeld: "ff7f3aea0ddd4ea8ab6a372bc23f6cfa"
        case .checklistHeld: "21ee9ea1fe824a929a275499918b96aa"
        case .notifierHeld: "dee7491e6e5d499f942e2974dd0e025b"
        case .notifierRetrying: "64536be7edab450e9a6ffaf2dd4e8a54"
        case .privacyRevealed: "f589d9eaf7714ddeaa2f9e65eb78ff82"
        }
    }

    /// What `journalctl -x` shows.
    package static var catalog: String {
        allCases.map { code in
            """
            -- \(code.messageID)
            Subject: \(code.meaning.split(separator: ".").first.map(String.init) ?? "")
            Defined-By: Gloss
            Documentation: file:///usr/share/doc/gloss/docs/diagnostics.md

            \(code.rawValue): \(code.meaning)

            \(code.advice)

            """
        }.joined(separator: "\n") + """

            -- \(AlertNotice.messageID)
            Subject: An alert: @GLOSS_ALERT@
            Defined-By: Gloss
            Documentation: file:///usr/share/doc/gloss/docs/alerts.md

            The alert @GLOSS_ALERT@ of the settings is @GLOSS_STATE@. Cause: @GLOSS_CAUSE@

            See glossctl alerts, and glossctl alerts history @GLOSS_ALERT@.

            """
    }
}
