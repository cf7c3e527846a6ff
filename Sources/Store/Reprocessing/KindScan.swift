internal import GRDB
package import Model

/// Iterates over stored events by their kinds.
struct KindScan {
    private let db: Database
    private let turn: ReadTurn
    private let matcher: BlockMatcher
    private let passOver: DamagedBlocks.Receiver?

    /// - Parameters:
    ///   - version: blocks without an event that was resolved with it may be skipped.
    ///   - passOver: gets the blocks that are damaged; `nil` throws their errors.
    init(
        _ db: Database, _ turn: ReadTurn, of version: DictionaryVersionID? = nil,
        passingOver passOver: DamagedBlocks.Receiver?
    ) throws {
        self.db = db
        self.turn = turn
        self.passOver = passOver
        matcher = version.map { BlockMatcher(mayHaveAny: [$0]) } ?? .everything
    }

    /// - Parameters:
    ///   - first: the id from which on events count.
    ///   - body: gets the kinds of the events after an id. A kind is passed once for each block.
    /// - Returns: the last event that was examined; `nil` when there are no more.
    func forEachKind(after id: Int64, from first: Int64, _ body: (StoredKind) -> Void) throws -> Int64? {
        guard id < .max else { return nil }
        return try ColumnWalk.forEach(of: id + 1 ... .max, matcher, db, turn, passingOver: passOver) { events in
            var (kinds, known, count) = (try Kinds(events), IntegerTable(), 0)
            // They need not be read if all count.
            let ids = first > 1 ? try events.ids() : nil
            for event in 0..<events.count where ids.map({ $0[event] >= first }) ?? true {
                let pair = kinds.pair(event)
                guard known.number(of: pair) == count else { continue }
                count += 1
                body(try kinds.kind(of: pair))
            }
            return true
        }
    }

    /// Returns the events of these kinds after an id: all those in the next block that has any.
    func events(of wanted: Set<StoredKind.ID>, after id: Int64) throws -> EventPage {
        guard let stored = try StoredRange.ids(db) else { return EventPage() }
        var page = EventPage(PageEnd(newestEventID: stored.upperBound))
        guard !wanted.isEmpty, id < stored.upperBound else { return page }
        page.end.next = try ColumnWalk.forEach(
            of: id + 1...stored.upperBound, matcher, db, turn, passingOver: passOver
        ) { events in
            page.events = try self.events(of: wanted, after: id, in: events)
            return page.events.isEmpty
        }
        return page
    }

    private func events(
        of wanted: Set<StoredKind.ID>, after id: Int64, in events: some EventColumns
    ) throws -> [Event] {
        var kinds = try Kinds(events)
        let ids = try events.ids()
        var (known, verdicts) = (IntegerTable(), [Bool]())
        let selection = try (0..<events.count).filter { event in
            guard ids[event] > id else { return false }
            let pair = kinds.pair(event)
            let number = known.number(of: pair)
            if number == verdicts.count { verdicts.append(wanted.contains(try kinds.kind(of: pair).id)) }
            return verdicts[number]
        }
        return selection.isEmpty ? [] : try events.events(selection)
    }

    /// The pairs of a sender and a kind.
    private struct Kinds {
        private var senders: EventRows<Origin>
        private var kinds: EventRows<ResolvedKind>

        init(_ events: some EventColumns) throws {
            senders = .senders(try events.senderTexts())
            kinds = .kinds(try events.kindTexts())
        }

        func pair(_ event: Int) -> Int { kinds.number(of: event) * senders.count + senders.number(of: event) }

        mutating func kind(of pair: Int) throws(BlockDamage) -> StoredKind {
            let (kind, sender) = pair.quotientAndRemainder(dividingBy: senders.count)
            let (origin, resolved) = (try senders.row(sender), try kinds.row(kind))
            return StoredKind(
                subsystem: origin.subsystem, category: origin.category, resolution: resolved.resolution,
                kind: resolved.kind)
        }
    }
}

/// A kind of stored events: everything that decides whether they are affected when definitions change.
package struct StoredKind: Sendable, Hashable {
    /// A hash that identifies a kind while the daemon runs. Senders can cause any number of kinds, so that their
    /// texts are not kept. If two kinds have the same hash, an event of the other kind is examined as well, and does
    /// not change.
    package typealias ID = Int

    @Exact package var subsystem: String
    @Exact package var category: String
    package var resolution: Resolution
    package var kind: EventKind

    package var id: ID { hashValue }
}

/// A version of a dictionary that stored events were resolved with.
package struct DictionaryVersionID: Sendable, Hashable, CustomStringConvertible {
    @Exact package var dictionary: String
    @Exact package var version: String

    package init(dictionary: String, version: String) {
        self.dictionary = dictionary
        self.version = version
    }

    /// - Returns: `nil` when no dictionary covers such events.
    init?(of kind: EventKind) {
        guard let dictionary = kind.dictionary, let version = kind.definitionsVersion else { return nil }
        self.init(dictionary: dictionary, version: version)
    }

    package var description: String { "\(dictionary)/\(version)" }

    func isOf(_ kind: EventKind) -> Bool { kind.dictionary == dictionary && kind.definitionsVersion == version }
}
