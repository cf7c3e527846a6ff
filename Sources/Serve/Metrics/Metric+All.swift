import API
import Linux
import Model

extension Metric {
    /// All metrics, in the order of `/metrics`.
    static let all: [Metric] = daemon + journal + events + store + sinks + watches + requests + process

    private static let daemon: [Metric] = [
        Metric(.gauge, "gloss_build_info", labels: ["version"], "The version of glossd, as a label; always 1") {
            [Sample(1, [$0.status.version])]
        },
        .states("gloss_state", "The state that glossctl status shows: 1 for the current one, 0 for the others") {
            [([], $0.status.state)]
        },
        Metric(
            .gauge, "gloss_problems", labels: ["code"],
            "The number of problems that glossctl status lists, by their diagnostic code"
        ) { measured in
            let counts = Dictionary(measured.status.problems.map { ($0.code, 1.0) }, uniquingKeysWith: +)
            return Diagnostic.allCases.map { Sample(counts[$0.rawValue] ?? 0, [$0.rawValue]) }
        },
        Metric(
            .counter, "gloss_diagnostics_total", labels: ["code"],
            "How often each diagnostic was raised or noted, since the store was created"
        ) { measured in
            guard let counts = measured.counts.diagnostics else { return [] }
            return Diagnostic.allCases.map { Sample(Double(counts[$0] ?? 0), [$0.rawValue]) }
        },
    ]

    private static let journal: [Metric] = [
        Metric(.gauge, "gloss_journal_files", "The number of journal files that are read") {
            Double($0.status.journal.files)
        },
        Metric(.gauge, "gloss_journal_unreadable_files", "The number of journal files that cannot be read") {
            Double($0.status.journal.unreadableFiles.count)
        },
        Metric(.counter, "gloss_journal_entries_read_total", "Entries that were read since the daemon started") {
            Double($0.status.journal.entriesRead)
        },
        Metric(
            .counter, "gloss_journal_entries_total", labels: ["outcome"],
            "What became of the entries that were read since the store was created: stored as events, skipped because no source takes them, duplicates, or expired"
        ) { measured in
            guard let entries = measured.status.journal.entries else { return [] }
            return [
                Sample(Double(entries.stored), ["stored"]), Sample(Double(entries.skipped), ["skipped"]),
                Sample(Double(entries.duplicates), ["duplicate"]), Sample(Double(entries.expired), ["expired"]),
            ]
        },
        Metric(
            .gauge, "gloss_journal_lag_seconds", unit: .seconds,
            "How much older the oldest entry that is not stored yet is than the newest one; 0 when all are stored"
        ) { $0.status.journal.lagSeconds },
        Metric(
            .gauge, "gloss_journal_position_timestamp_seconds", unit: .seconds,
            "When the entry that was read last was written, since 1970"
        ) { $0.status.journal.positionTime?.seconds },
        Metric(
            .gauge, "gloss_journal_paused", "Whether reading waits until the store takes events again: 1 if it does"
        ) { $0.status.store.paused ? 1 : 0 },
        Metric(
            .counter, "gloss_gaps_total", "Places where entries or events are missing, since the store was created"
        ) { $0.gapsEverSeen.map { Double($0) } },
    ]

    private static let events: [Metric] = [
        Metric(
            .counter, "gloss_events_stored_total", labels: ["resolution"],
            "Events that were stored since the daemon started, by the resolution that they had then"
        ) { measured in
            Resolution.allCases.map { Sample(Double(measured.counts.stored[$0] ?? 0), [$0.rawValue]) }
        },
        Metric(
            .gauge, "gloss_events_seen", labels: ["resolution"],
            "Events since the store was created, also those that retention removed, by their resolution with the definitions that they were last resolved by"
        ) { $0.status.events?.everSeen.map { Sample(Double($1), [$0]) } ?? [] },
        Metric(
            .counter, "gloss_events_reprocessed_total",
            "How often stored events were resolved again with changed definitions, since the store was created"
        ) { $0.status.events.map { Double($0.reprocessed) } },
        Metric(
            .gauge, "gloss_events_reprocessing",
            "Stored events that are still to be examined after a change of definitions"
        ) { $0.status.reprocessing.map { Double(max($0.total - $0.done, 0)) } ?? 0 },
        Metric(
            .counter, "gloss_events_dropped_total",
            "Events that drop_oldest removed before every sink had them, since the store was created"
        ) { $0.status.gaps.map { Double($0.droppedEvents) } },
        Metric(
            .histogram, "gloss_event_delay_seconds", unit: .seconds, labels: [],
            "The time from when an entry was written to the journal until its event was stored, of entries written after the daemon had first read the journal to its end"
        ) { [Sample($0.counts.delays)] },
    ]

    private static let store: [Metric] = [
        Metric(.gauge, "gloss_store_size_bytes", unit: .bytes, "The size of the database and of its write-ahead log") {
            Double($0.status.store.bytes)
        },
        Metric(.gauge, "gloss_store_limit_bytes", unit: .bytes, "The setting store.max_size") {
            Double($0.status.store.maxBytes)
        },
        Metric(.gauge, "gloss_store_events", "The number of events that are stored now") {
            $0.status.events.map { Double($0.stored) }
        },
        Metric(
            .gauge, "gloss_store_oldest_event_timestamp_seconds", unit: .seconds,
            "When the oldest stored event was sent, since 1970"
        ) { $0.status.events?.oldestTime?.seconds },
        Metric(
            .gauge, "gloss_store_newest_event_timestamp_seconds", unit: .seconds,
            "When the newest stored event was sent, since 1970"
        ) { $0.status.events?.newestTime?.seconds },
        Metric(
            .gauge, "gloss_store_damaged", "Whether damage of the store was met since the daemon started: 1 if it was"
        ) {
            $0.isDamaged ? 1 : 0
        },
        Metric(
            .histogram, "gloss_store_commit_duration_seconds", unit: .seconds, labels: [],
            "How long the store's transactions took, of intake, delivery, reprocessing and retention"
        ) { [Sample($0.commits)] },
        Metric(
            .gauge, "gloss_store_source_events", labels: ["source"],
            "Packed events by the source that took them; up to a few thousand of the newest are not counted"
        ) { $0.status.store.sources?.map { Sample(Double($0.events), [$0.source]) } ?? [] },
        Metric(
            .gauge, "gloss_store_source_bytes", unit: .bytes, labels: ["source"],
            "What these events take, approximately"
        ) { $0.status.store.sources?.map { Sample(Double($0.bytes), [$0.source]) } ?? [] },
    ]

    private static let sinks: [Metric] = [
        .states(
            "gloss_sink_state", labels: ["sink"],
            "The state that glossctl status shows: 1 for the current one, 0 for the others"
        ) { $0.sinks.map { ([$0.name], $0.state) } },
        Metric(
            .gauge, "gloss_sink_lag_events", labels: ["sink"],
            "Stored events that were not delivered; if the sink gets only some events, at most as many"
        ) { $0.knownSinks.map { Sample(Double($0.lagEvents), [$0.name]) } },
        Metric(
            .gauge, "gloss_sink_lag_seconds", unit: .seconds, labels: ["sink"], "The age of the oldest of these events"
        ) {
            $0.knownSinks.compactMap { sink in sink.lagSeconds.map { Sample($0, [sink.name]) } }
        },
        Metric(
            .counter, "gloss_sink_delivered_events_total", labels: ["sink"],
            "Events that the upstream accepted, since the sink is known"
        ) { $0.knownSinks.map { Sample(Double($0.deliveredEvents), [$0.name]) } },
        Metric(
            .counter, "gloss_sink_delivered_batches_total", labels: ["sink"],
            "Batches that the upstream accepted, since the sink is known"
        ) { $0.knownSinks.map { Sample(Double($0.deliveredBatches), [$0.name]) } },
        Metric(
            .gauge, "gloss_sink_last_success_timestamp_seconds", unit: .seconds, labels: ["sink"],
            "When the upstream last accepted a batch, since 1970"
        ) { $0.knownSinks.compactMap { sink in (sink.lastSuccess?.seconds).map { Sample($0, [sink.name]) } } },
        Metric(
            .histogram, "gloss_sink_attempt_duration_seconds", unit: .seconds, labels: ["sink", "outcome"],
            "How long attempts to deliver a batch took; after done the batch is delivered, after retry it is sent again soon, and hold needs a person"
        ) { $0.counts.attempts.map { Sample($0.times, [$0.sink, $0.outcome]) } },
    ]

    private static let watches: [Metric] = [
        .states(
            "gloss_alert_state", labels: ["alert"],
            "The state that glossctl alerts shows: 1 for the current one, 0 for the others"
        ) { $0.alerts.map { ([$0.name], $0.state) } },
        Metric(.gauge, "gloss_alert_firing_causes", labels: ["alert"], "The causes for which an alert is firing") {
            $0.alerts.map { Sample(Double($0.firing), [$0.name]) }
        },
        Metric(
            .gauge, "gloss_checklist_runs", labels: ["state"],
            "The number of runs of checklists"
        ) { measured in
            ChecklistReply.State.allCases.map { Sample(Double(measured.runs[$0] ?? 0), [$0.rawValue]) }
        },
    ]

    private static let requests: [Metric] = [
        Metric(
            .histogram, "gloss_http_request_duration_seconds", unit: .seconds, labels: ["route", "status"],
            "How long requests on the control socket took, without tails; the route other stands for paths that do not exist and methods that are not allowed"
        ) { $0.requests.map { Sample($1, [$0.route, $0.status]) } },
        Metric(.gauge, "gloss_tails", "The number of open tails") { Double($0.status.tails) },
    ]

    private static let process: [Metric] = [
        Metric(
            .gauge, "gloss_memory_anonymous_bytes", unit: .bytes, "The part of the resident memory that is no file's"
        ) { $0.process.anonymousBytes.map { Double($0) } },
        Metric(.counter, "process_cpu_seconds_total", unit: .seconds, "User and system time of the processor") {
            $0.process.processorSeconds
        },
        Metric(
            .gauge, "process_resident_memory_bytes", unit: .bytes,
            "Resident memory, with pages of programs and libraries"
        ) { $0.process.residentBytes.map { Double($0) } },
        Metric(.gauge, "process_virtual_memory_bytes", unit: .bytes, "Virtual memory") {
            $0.process.virtualBytes.map { Double($0) }
        },
        Metric(.gauge, "process_open_fds", "The number of open file descriptors") {
            $0.process.openDescriptors.map { Double($0) }
        },
        Metric(.gauge, "process_max_fds", "The maximum number of open file descriptors") {
            $0.process.maximumDescriptors.map { Double($0) }
        },
        Metric(.gauge, "process_start_time_seconds", unit: .seconds, "When the daemon started, since 1970") {
            $0.status.startedAt.seconds
        },
    ]
}

extension WireTime {
    /// Seconds since 1970.
    fileprivate var seconds: Double { Double(microseconds) / 1e6 }
}
