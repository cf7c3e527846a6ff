internal import GRDB
internal import Model

/// Changes stored events: a block that has some of them is rewritten once for all of its own.
struct EventRewriter {
    private let db: Database
    private let frames = BlockFrames()

    init(_ db: Database) { self.db = db }

    /// Within a transaction.
    /// - Parameters:
    ///   - changes: by the ids of events. Those that are gone are passed over.
    ///   - changed: gets each event as it was, and what is to be said of it now, where that is something else.
    func write(_ changes: [Int64: ResolvedAgain], changed: (Event, ResolvedAgain) throws -> Void) throws {
        let ids = changes.keys.sorted()
        guard let first = ids.first, let last = ids.last else { return }
        var walk = try BlockWalk(db, ids: first...last, isAscending: true, BlockMatcher(EventFilter()))
        var blocks: [StoredBlock] = []
        var rest = ids[...]
        while case .block(let block) = try walk.next() {
            rest = rest.drop { $0 < block.ids.lowerBound }
            if let next = rest.first, block.ids.contains(next) { blocks.append(block) }
        }
        for block in blocks { try rewrite(block, changes, changed) }
        try rewriteOpen(changes, changed)
    }

    /// The first block that has events from an id on.
    func block(from id: Int64) throws -> StoredBlock? {
        var walk = try BlockWalk(db, ids: id ... .max, isAscending: true, BlockMatcher(EventFilter()))
        guard case .block(let block) = try walk.next() else { return nil }
        return block
    }

    private func rewrite(
        _ block: StoredBlock, _ changes: [Int64: ResolvedAgain], _ changed: (Event, ResolvedAgain) throws -> Void
    ) throws {
        var packer = BlockPacker()
        var hasChanged = false
        try block.read(db, frames) { content in
            try content.forEachEvent(of: Array(0..<content.count)) { event in
                var event = event
                if let change = changes[event.id], event.differs(from: change) {
                    try changed(event, change)
                    event.take(change)
                    hasChanged = true
                }
                event.withBlockEvent { packer.append($0) }
            }
        }
        guard hasChanged else { return }
        try PackedBlockTable.replace(block.ids.lowerBound, by: packer.packed(by: frames), db)
    }

    private func rewriteOpen(
        _ changes: [Int64: ResolvedAgain], _ changed: (Event, ResolvedAgain) throws -> Void
    ) throws {
        let open = try OpenEvents(db, ids: try PackedBlockTable.lastID(db) + 1 ... .max)
        let ids = open.ids()
        var kinds = KindNumbering()
        for kind in try OpenEventTable.kinds(db) { _ = kinds.number(of: kind) }
        var changedEvents: [Event] = []
        try open.forEachEvent(of: (0..<open.count).filter { changes[ids[$0]] != nil }) { event in
            guard let change = changes[event.id], event.differs(from: change) else { return }
            try changed(event, change)
            var event = event
            event.take(change)
            changedEvents.append(event)
        }
        for event in changedEvents {
            try event.withBlockEvent { event in
                let known = kinds.values.count
                let kind = kinds.number(of: event.kind)
                if kind == known { try OpenEventTable.insert(event.kind, kind: kind, db) }
                try OpenEventTable.update(event, kind: kind, db)
            }
        }
    }
}

extension Event {
    fileprivate func differs(from change: ResolvedAgain) -> Bool {
        resolution != change.resolution || kind != change.kind || findings != change.findings?.nonEmpty
            || change.payload.map { $0 != payload } ?? false
    }

    fileprivate mutating func take(_ change: ResolvedAgain) {
        (resolution, kind, findings) = (change.resolution, change.kind, change.findings?.nonEmpty)
        if let new = change.payload { payload = new }
    }

    /// On its way into a block.
    func withBlockEvent<Result>(_ body: (BlockEvent) throws -> Result) rethrows -> Result {
        let findings = findings?.nonEmpty.map(FindingsText.encoded(_:)) ?? []
        return try findings.withUnsafeBytes { findings in
            try payload.withUnsafeBytes { payload in
                try body(
                    BlockEvent(
                        id: id, origin: origin, level: level, pid: pid, seqnum: seqnum,
                        monotonicMicroseconds: monotonicMicroseconds, realtimeMicroseconds: realtimeMicroseconds,
                        xorHash: xorHash, ordinal: ordinal, kind: ResolvedKind(resolution, kind), findings: findings,
                        payload: payload))
            }
        }
    }
}

extension Findings {
    fileprivate var nonEmpty: Findings? { isEmpty ? nil : self }
}
