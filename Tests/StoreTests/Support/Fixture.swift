import Foundation
import Model
import TestSupport

@testable import Store

/// 2026-01-01T00:00:00Z
let newYear: UInt64 = 1_767_225_600_000_000

extension EventStore {
    static func open(
        _ folder: String, maximumBytes: Int64 = 64 << 20, maximumAge: Duration? = nil,
        whenFull: StoreOptions.WhenFull = .pause, busyTimeout: Duration = .milliseconds(300),
        turnTime: Duration = .seconds(3600), clock: @escaping @Sendable () -> UInt64 = { newYear }
    ) async throws(StoreError) -> EventStore {
        let options = StoreOptions(
            path: folder + "/events.sqlite", maximumBytes: maximumBytes, maximumAge: maximumAge, whenFull: whenFull)
        return try await EventStore(options, busyTimeout: busyTimeout, turnTime: turnTime, clock: clock)
    }

    /// Returns the last entry that was read of the only file.
    func lastCursor(ofJournal journal: String = "machine") async throws -> JournalCursor? {
        let files = try await readingState(ofJournal: journal)?.files ?? []
        return files.count == 1 ? files[0].last?.cursor : nil
    }

    func event(id: Int64) async throws -> Event? { try await events(ids: [id], bytes: .max).page.events.first }

    /// Returns all matching events, page by page.
    func all(
        _ filter: SimpleFilter = SimpleFilter(), after: Int64? = nil, before: Int64? = nil, order: EventOrder = .oldest,
        limit: Int = 1000
    ) async throws -> [Event] {
        var (after, before) = (after, before)
        var found: [Event] = []
        while true {
            let page = try await events(
                matching: filter.predicate, after: after, before: before, order: order, limit: limit)
            found += page.events
            guard let next = page.next else { return found }
            switch order {
            case .oldest: after = next
            case .newest: before = next
            }
        }
    }
}

extension EventStore {
    /// Runs all steps of retention.
    func tidyAll(now: UInt64 = newYear) async throws {
        while try await maintain(now: now) {}
    }
}

/// Returns the size of both files of a store, in the file system.
func storeBytes(_ folder: String) -> Int64 {
    ["", "-wal"].reduce(0) { sum, end in
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/events.sqlite" + end)
        return sum + Int64(attributes?[.size] as? Int ?? 0)
    }
}

/// Returns the error that `body` throws.
func storeError(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}

/// A journal that creates batches, and keeps the events that the store should return.
struct Journal {
    private(set) var events: [Event] = []
    private var random: SeededGenerator
    /// A generator for random values that no test depends on.
    private var noise: SeededGenerator
    private var extras: SeededGenerator
    private var origins: [Origin] = []
    private var kinds: [EventKind] = []
    private let isTalkative: Bool
    /// The parameters of talkative payloads.
    private(set) var parameters: KnownPayload.Parameters = [:]

    /// - Parameter isTalkative: whether payloads have various parameters, which are kept in `parameters`.
    init(
        seed: UInt64 = 1, origins count: Int = 6, kinds kindCount: Int = 12,
        sources: [String] = ["subsystem: com.example.*"], isTalkative: Bool = false
    ) {
        self.isTalkative = isTalkative
        random = SeededGenerator(seed: seed)
        noise = SeededGenerator(seed: seed &+ 1)
        extras = SeededGenerator(seed: seed &+ 2)
        for index in 0..<count {
            let program = index % 4 == 3 ? "cli" : "app"
            origins.append(
                Origin(
                    [
                        .subsystem: "com.example.app\(index % 3)", .category: index % 2 == 0 ? "Activity" : "Network",
                        .host: "web\(1 + index % 2)", .identifier: index == 0 ? nil : program,
                        .unit: index == 1 ? nil : "\(program).service",
                        .processUID: index == 2 ? nil : "\(1000 + index)",
                    ], bootID: ID128(high: random.next(), low: random.next() | UInt64(index % 2)),
                    seqnumID: ID128(high: random.next(), low: random.next()), source: sources[index % sources.count]))
        }
        for index in 0..<kindCount {
            kinds.append(
                EventKind(
                    dictionary: "shop", definitionsVersion: "0123456789abcdef",
                    key: EventKey(category: "list\(index % 3)", name: "event\(index)")))
        }
    }

    /// The file that all entries are from.
    static let file = ID128(high: 0xF11E, low: 1)

    var boots: [ID128] { origins.map(\.bootID) }
    var last: Int64 { events.last?.id ?? 0 }

    /// Returns a batch of `count` events of mixed kinds, a second apart. Sometimes the clock is set back.
    mutating func batch(_ count: Int, payloadBytes: Int = 60, gaps: [Gap] = []) -> ResolvedBatch {
        var batch = ResolvedBatch(gaps: gaps, entriesRead: count)
        for _ in 0..<count {
            let number = UInt64(events.count + 1)
            let payload = payload(number, payloadBytes)
            let resolution = Resolution.allCases[Int(random.next() % 3)]
            let jump = random.next() % 50 == 0 ? random.next() % 300_000_000 : 0
            let entry = Entry(
                origin: origins[Int(random.next() % UInt64(origins.count))],
                level: Level(rawValue: UInt8(random.next() % 8)) ?? .notice,
                pid: random.next() % 5 == 0 ? nil : Int32(random.next() % 30_000), seqnum: number,
                monotonicMicroseconds: random.next(), realtimeMicroseconds: newYear + number * 1_000_000 - jump,
                entryHash: random.next(), payload: batch.bytes.count..<batch.bytes.count + payload.count)
            let findings =
                resolution == .violating
                ? Findings(
                    violations: [Violation("id", .type("bigint", found: .string))],
                    warnings: [.obsoleteParameter("old")]) : nil
            append(
                ResolvedEvent(
                    entry: entry, resolution: resolution, kind: kinds[Int(random.next() % UInt64(kinds.count))],
                    findings: findings, text: isTalkative ? extras.text() : nil,
                    program: isTalkative ? extras.program(around: entry.realtimeMicroseconds) : .none), payload,
                to: &batch)
        }
        return batch
    }

    private mutating func payload(_ number: UInt64, _ length: Int) -> [UInt8] {
        if isTalkative, random.next() % 2 == 0 { return known(KnownPayload.random(&random)) }
        let start = "{\"number\":\(number),\"text\":\""
        let digit = "\(random.next() % 7)"
        let text = Array(digit.utf8) + noise.letters(max(0, length - start.utf8.count - digit.utf8.count))
        let payload = Array(start.utf8) + text + Array("\"}".utf8)
        guard isTalkative else { return payload }
        let expected = (number: "\(number)", text: String(decoding: text, as: UTF8.self))
        return known(
            KnownPayload(
                String(decoding: payload, as: UTF8.self),
                parameters: ["number": expected.number, "text": expected.text]))
    }

    /// Records the payload's parameters.
    mutating func known(_ payload: KnownPayload) -> [UInt8] {
        parameters[payload.bytes] = payload.parameters
        return payload.bytes
    }

    mutating func append(_ event: ResolvedEvent, _ payload: [UInt8], to batch: inout ResolvedBatch) {
        batch.bytes += payload
        batch.events.append(event)
        let entry = event.entry
        batch.progress.startMicroseconds = newYear
        batch.progress.files[Self.file] = FilePosition(
            fileID: Self.file, path: "/var/log/journal/m/system.journal",
            machineID: ID128(high: 0, low: 11), seqnumID: ID128(high: 0, low: 12),
            entries: UInt64(events.count + 1), offset: UInt64(events.count + 1) * 64,
            last: .init(cursor: entry.cursor, offset: UInt64(events.count) * 64),
            promisedEntries: UInt64(events.count + 1), promisedSeqnums: entry.seqnum...entry.seqnum)
        events.append(
            Event(
                id: Int64(events.count + 1), origin: entry.origin, level: entry.level, pid: entry.pid,
                seqnum: entry.seqnum, monotonicMicroseconds: entry.monotonicMicroseconds,
                realtimeMicroseconds: entry.realtimeMicroseconds, entryHash: entry.entryHash, ordinal: entry.ordinal,
                resolution: event.resolution, kind: event.kind, findings: event.findings, payload: payload,
                text: event.text, program: event.program))
    }

    /// Updates the event that the store should return after the change.
    mutating func replace(_ change: ReprocessedEvent) {
        let place = Int(change.id) - 1
        events[place].resolution = change.resolution
        events[place].kind = change.kind
        events[place].findings = change.findings
        if let payload = change.payload { (events[place].payload, events[place].text) = (payload, change.text) }
        events[place].program = change.program
    }

    /// Returns the events after the first `count` ones as one batch.
    static func rest(of journal: Journal, after count: Int) -> ResolvedBatch {
        var batch = ResolvedBatch()
        for event in journal.events.dropFirst(count) {
            let range = batch.bytes.count..<batch.bytes.count + event.payload.count
            let entry = Entry(
                origin: event.origin, level: event.level, pid: event.pid, seqnum: event.seqnum,
                monotonicMicroseconds: event.monotonicMicroseconds, realtimeMicroseconds: event.realtimeMicroseconds,
                entryHash: event.entryHash, ordinal: event.ordinal, payload: range)
            batch.bytes += event.payload
            batch.events.append(
                ResolvedEvent(
                    entry: entry, resolution: event.resolution, kind: event.kind, findings: event.findings,
                    text: event.text, program: event.program))
        }
        return batch
    }

    /// Returns a batch of one event with the given properties.
    mutating func single(
        _ payload: [UInt8] = Array("{}".utf8), subsystem: String = "com.example.rare", name: String? = nil,
        resolution: Resolution = .undefined, findings: Findings? = nil, bits: UInt64 = 1, ordinal: UInt32 = 0,
        time: UInt64 = newYear
    ) -> ResolvedBatch {
        let origin = Origin(
            [.subsystem: subsystem, .host: "web1"], bootID: ID128(high: bits, low: 0),
            seqnumID: ID128(high: 1, low: bits), source: "match",
            keyFields: bits % 2 == 0 ? .none : KeyFields(["EVENT_NAME": "\(bits)"]))
        let entry = Entry(
            origin: origin, level: .notice, pid: nil, seqnum: bits, monotonicMicroseconds: bits >> 1,
            realtimeMicroseconds: time, entryHash: bits, ordinal: ordinal, payload: 0..<payload.count)
        let kind = EventKind(
            dictionary: "shop", definitionsVersion: nil, key: name.map { EventKey(category: "list", name: $0) })
        var batch = ResolvedBatch(entriesRead: 1)
        append(
            ResolvedEvent(entry: entry, resolution: resolution, kind: kind, findings: findings), payload, to: &batch)
        return batch
    }
}

extension SeededGenerator {
    /// Returns the text of a payload: usually none, else one that is whole, or that the payload stood in.
    mutating func text() -> MessageText? {
        guard next() % 3 == 0 else { return nil }
        let bytes = Array("t\(next() % 100) 夕食 \(next() % 2 == 0 ? "INFO" : "") ".utf8)
        return MessageText(bytes, payloadPlace: next() % 2 == 0 ? nil : Int(next() % UInt64(bytes.count + 1)))
    }

    /// Returns what a program says: usually nothing.
    mutating func program(around time: UInt64) -> ProgramFacts {
        guard next() % 3 == 0 else { return .none }
        let level = next() % 4 == 0 ? nil : Level(rawValue: UInt8(next() % 8))
        return ProgramFacts(level: level, timeMicroseconds: next() % 4 == 0 ? nil : time &- next() % 5_000_000)
    }
}

/// Returns whether both have the same events, equal in every field.
func same(_ some: some Collection<Event>, _ others: some Collection<Event>) -> Bool {
    some.count == others.count && zip(some, others).allSatisfy(same)
}

private func same(_ one: Event, _ other: Event) -> Bool {
    one.id == other.id && one.origin == other.origin && one.level == other.level && one.pid == other.pid
        && one.cursor == other.cursor && one.uid == other.uid && one.resolution == other.resolution
        && one.kind == other.kind
        && (one.findings == other.findings || (one.findings == nil && other.findings == Findings()))
        && one.payload == other.payload && one.text == other.text && one.program == other.program
}
