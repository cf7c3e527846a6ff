internal import GRDB
internal import Model

/// Changes stored events. A block is written once, however many of its events change.
struct EventRewriter {
    private let db: Database
    private let frames = BlockFrames()

    /// The result of editing an event.
    enum Change { case none, changed, removed }

    init(_ db: Database) { self.db = db }

    /// Returns the first block that has events from an id on; `nil` where only the open events, which are in no
    /// block, follow. The one before them is passed over, also if its row is damaged.
    func block(from id: Int64) throws -> StoredBlock? {
        var walk = try BlockWalk(db, ids: id ... .max, isAscending: true, .everything)
        var damage: DatabaseError?
        let step = try walk.next { ids, error in if ids.upperBound >= id { damage = damage ?? error } }
        if let damage { throw damage }
        guard case .block(let block) = step else { return nil }
        return block
    }

    /// Rewrites a block, within a transaction.
    /// - Parameter edit: edits each event, and returns what it did.
    func rewrite(_ block: StoredBlock, _ edit: (inout Event) throws -> Change) throws {
        guard let rewritten = try rewritten(block, edit) else { return }
        try PackedBlockTable.replace(block.ids.lowerBound, by: rewritten.block, db)
    }

    /// A rewritten block that has not been saved yet.
    struct RewrittenBlock: Sendable {
        /// `nil` when no event is left.
        var block: PackedBlock?
    }

    /// Returns the rewritten block without saving it.
    /// - Parameter edit: edits each event, and returns what it did.
    /// - Returns: `nil` when the block does not change.
    func rewritten(_ block: StoredBlock, _ edit: (inout Event) throws -> Change) throws -> RewrittenBlock? {
        var packer = BlockPacker()
        var findings = KnownFindingTexts()
        var hasChanged = false
        try block.read(db, frames) { content in
            try content.forEachEvent(of: Array(0..<content.count)) { event in
                var event = copy event
                let change = try edit(&event)
                if change != .none { hasChanged = true }
                if change != .removed {
                    event.withBlockEvent(findings: findings.text(event.findings)) { packer.append($0) }
                }
            }
        }
        return hasChanged ? RewrittenBlock(block: try packer.packed(by: frames)) : nil
    }

    /// Rewrites the events that are in no block, within a transaction.
    func rewriteOpen(_ edit: (inout Event) throws -> Change) throws {
        let open = try OpenEvents(db, ids: .min ... .max)
        var (events, hasChanged) = ([Event](), false)
        try open.forEachEvent(of: Array(0..<open.count)) { event in
            var event = event.kept()
            let change = try edit(&event)
            if change != .none { hasChanged = true }
            if change != .removed { events.append(event) }
        }
        if hasChanged { try OpenEventTable.replaceAll(by: events, db) }
    }
}

extension Event {
    func differs(from change: ReprocessedEvent) -> Bool {
        resolution != change.resolution || kind != change.kind || findings != change.findings?.nonEmpty
            || change.payload.map { $0 != payload || change.text != text } ?? false || program != change.program
    }

    mutating func take(_ change: ReprocessedEvent) {
        (resolution, kind, findings) = (change.resolution, change.kind, change.findings?.nonEmpty)
        if let new = change.payload { (payload, text) = (new, change.text) }
        program = change.program
    }

    /// Calls `body` with the event as it goes into a block.
    func withBlockEvent<Result>(_ body: (BlockEvent) throws -> Result) rethrows -> Result {
        var findings = KnownFindingTexts()
        return try withBlockEvent(findings: findings.text(self.findings), body)
    }

    /// - Parameter findings: the event's findings, as text.
    func withBlockEvent<Result>(findings: [UInt8], _ body: (BlockEvent) throws -> Result) rethrows -> Result {
        let text = StoredText.encoded(text)
        return try findings.withUnsafeBytes { findings in
            try payload.withUnsafeBytes { payload in
                try text.withUnsafeBytes { text in
                    try body(
                        BlockEvent(
                            id: id, origin: origin, level: level, pid: pid, seqnum: seqnum,
                            monotonicMicroseconds: monotonicMicroseconds, realtimeMicroseconds: realtimeMicroseconds,
                            entryHash: entryHash, ordinal: ordinal, kind: ResolvedKind(resolution, kind),
                            findings: findings, payload: payload, text: text, program: program))
                }
            }
        }
    }
}

extension Findings {
    fileprivate var nonEmpty: Findings? { isEmpty ? nil : self }
}
