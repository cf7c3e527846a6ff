internal import GRDB
internal import Model

/// Puts new events where they belong: a few become rows of their own, safe at once; as many as fill a block are packed, and
/// those that a catch-up brings are never rows. What it keeps in memory says the same as the database.
struct EventAppender: Sendable {
    /// How many events a block has at most, and how many bytes their payloads; a larger one has a block of its own.
    private let limit: (events: Int, payloadBytes: Int)

    /// Of the next event.
    private(set) var nextID: Int64
    private var open = OpenBlock()
    /// Another one when newest events change or go, and of each appender.
    private(set) var edition = UInt64.random(in: 0 ... .max)

    /// Of events that are written together.
    struct Size: Sendable {
        var count = 0
        var payloadBytes = 0
    }

    /// Of the newest events, which are in no block yet.
    var openSize: Size { open.size }

    /// The newest events, if a batch is packed with them.
    func packed(with batch: ResolvedBatch) -> Size {
        isPacked(batch.events.count, batch.bytes.count) ? open.size : Size()
    }

    /// Whether the newest events are nearly enough for a block: packed in time, they do not hold up the batch that would make
    /// them enough.
    var isBlockReady: Bool {
        open.size.count >= limit.events - limit.events / 8
            || open.size.payloadBytes >= limit.payloadBytes - limit.payloadBytes / 8
    }

    /// What is in the tables of the newest events.
    private struct OpenBlock: Sendable {
        var size = Size()
        var names = OpenEventTable.Names()
    }

    /// Takes up what is in the database.
    init(_ db: Database, lastID: Int64, limit: (events: Int, payloadBytes: Int)) throws {
        self.limit = limit
        nextID = lastID + 1
        try reload(db)
    }

    /// After the newest events were changed.
    mutating func reload(_ db: Database) throws {
        open = OpenBlock()
        edition &+= 1
        open.size = try OpenEventTable.size(db)
        for sender in try OpenEventTable.senders(db) { _ = open.names.senders.number(of: sender) }
        for kind in try OpenEventTable.kinds(db) { _ = open.names.kinds.number(of: kind) }
    }

    /// Within a transaction.
    /// - Parameters:
    ///   - events: their ids are set here.
    ///   - payloadBytes: of all of them.
    mutating func append(
        _ events: some RandomAccessCollection<BlockEvent>, payloadBytes: Int, frames: BlockFrames, _ db: Database
    ) throws {
        if isPacked(events.count, payloadBytes) {
            try pack(events, frames, db)
        } else {
            for event in events { try insert(event, db) }
        }
    }

    private func isPacked(_ count: Int, _ payloadBytes: Int) -> Bool {
        isPackedAtOnce(count, payloadBytes) || open.size.count + count >= limit.events
            || open.size.payloadBytes + payloadBytes >= limit.payloadBytes
    }

    /// Where a batch has so many, all of it is packed: what would be left over as rows would be packed with the next batch,
    /// and be written twice.
    private func isPackedAtOnce(_ count: Int, _ payloadBytes: Int) -> Bool {
        count >= limit.events / 2 || payloadBytes >= limit.payloadBytes / 2
    }

    /// Within a transaction.
    /// - Parameter block: of the newest events, made when `edition` was what it is now. Others may have come since.
    mutating func replaceOpen(by block: PackedBlock, _ db: Database) throws {
        try PackedBlockTable.insert(block, db)
        try OpenEventTable.removeAll(upTo: block.ids.upperBound, db)
        try reload(db)
    }

    private mutating func pack(
        _ events: some RandomAccessCollection<BlockEvent>, _ frames: BlockFrames, _ db: Database
    ) throws {
        var packer = BlockPacker()
        try OpenEventTable.forEach(db) { try append($0, to: &packer, frames, db) }
        try OpenEventTable.removeAll(db)
        open = OpenBlock()
        edition &+= 1
        var rest = events[...]
        while let event = rest.first {
            // What is left over of a batch becomes rows, as long as it is little.
            if packer.count == 0, isLeftOver(rest) {
                for event in rest { try insert(event, db) }
                return
            }
            rest.removeFirst()
            try append(numbered(event), to: &packer, frames, db)
        }
        try Self.save(&packer, frames, db)
    }

    private func isLeftOver(_ rest: some Collection<BlockEvent>) -> Bool {
        !isPackedAtOnce(rest.count, 0) && !isPackedAtOnce(rest.count, rest.reduce(0) { $0 + $1.payload.count })
    }

    private mutating func numbered(_ event: BlockEvent) -> BlockEvent {
        var event = event
        event.id = nextID
        nextID += 1
        return event
    }

    private func append(
        _ event: BlockEvent, to packer: inout BlockPacker, _ frames: BlockFrames, _ db: Database
    ) throws {
        if packer.payloadBytes + event.payload.count > limit.payloadBytes { try Self.save(&packer, frames, db) }
        packer.append(event)
        if packer.count == limit.events || packer.payloadBytes >= limit.payloadBytes {
            try Self.save(&packer, frames, db)
        }
    }

    private static func save(_ packer: inout BlockPacker, _ frames: BlockFrames, _ db: Database) throws {
        if let block = packer.packed(by: frames) { try PackedBlockTable.insert(block, db) }
        packer = BlockPacker()
    }

    private mutating func insert(_ event: BlockEvent, _ db: Database) throws {
        try OpenEventTable.insert(numbered(event), &open.names, db)
        open.size.count += 1
        open.size.payloadBytes += event.payload.count
    }
}
