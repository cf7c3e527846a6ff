internal import GRDB
internal import Model

/// Appends new events to the store. A few events become rows. As many as fill a block are packed, and the events of a
/// catch-up are packed without becoming rows first. The state in memory agrees with the database.
struct EventAppender: Sendable {
    /// The maximum number of events in a block, and the maximum size of their payloads. An event with a larger
    /// payload gets a block of its own.
    private let limit: (events: Int, payloadBytes: Int)

    /// The id of the next event.
    private(set) var nextID: Int64
    private var open = OpenBlock()
    /// Identifies the state of the open events: it changes when some of them change or are removed, and differs
    /// between appenders.
    private(set) var generation = UInt64.random(in: 0 ... .max)

    /// The size of events that are written together.
    struct Size: Sendable {
        var count = 0
        var payloadBytes = 0
    }

    /// The size of the open events, which are in no block yet.
    var openSize: Size { open.size }

    /// Returns the size of the open events if saving the batch packs them, and zero otherwise.
    func packed(with batch: Size) -> Size { isPacked(batch.count, batch.payloadBytes) ? open.size : Size() }

    /// Whether the open events make one block, before which their rows are deleted. Under a lowered limit they may make
    /// several.
    var makesOneBlock: Bool { open.size.count < limit.events && open.size.payloadBytes < limit.payloadBytes }

    /// Returns whether events of a batch may become rows. They do not if they make one block.
    func mayLeaveRows(of batch: Size) -> Bool {
        let fits = batch.count <= limit.events && batch.payloadBytes <= limit.payloadBytes
        return open.size.count > 0 || !fits || !isPackedAtOnce(batch.count, batch.payloadBytes)
    }

    /// Whether the open events nearly fill a block. Packing them now keeps the batch that would fill the block from
    /// waiting for it.
    var isBlockReady: Bool {
        open.size.count >= limit.events - limit.events / 8
            || open.size.payloadBytes >= limit.payloadBytes - limit.payloadBytes / 8
    }

    /// The current content of the tables of the open events.
    private struct OpenBlock: Sendable {
        var size = Size()
        var names = OpenEventTable.Names()
    }

    /// Loads the state from the database.
    init(_ db: Database, lastID: Int64, limit: (events: Int, payloadBytes: Int)) throws {
        self.limit = limit
        nextID = lastID + 1
        try reload(db)
    }

    /// Reloads the state after the open events were changed.
    mutating func reload(_ db: Database) throws {
        open = OpenBlock()
        generation &+= 1
        open.size = try OpenEventTable.size(db)
        for sender in try OpenEventTable.senders(db) { _ = open.names.senders.number(of: sender) }
        for kind in try OpenEventTable.kinds(db) { _ = open.names.kinds.number(of: kind) }
    }

    /// Appends events, within a transaction.
    /// - Parameters:
    ///   - events: are numbered here.
    ///   - payloadBytes: the size of all payloads and their texts.
    mutating func append(
        _ events: some RandomAccessCollection<BlockEvent>, payloadBytes: Int, _ db: Database
    ) throws {
        if isPacked(events.count, payloadBytes) {
            try pack(events, db)
        } else {
            for event in events { try insert(event, db) }
        }
    }

    private func isPacked(_ count: Int, _ payloadBytes: Int) -> Bool {
        isPackedAtOnce(count, payloadBytes) || open.size.count + count >= limit.events
            || open.size.payloadBytes + payloadBytes >= limit.payloadBytes
    }

    /// Returns whether a whole batch is packed. A remainder that is left as rows would be packed with the next batch,
    /// and so be written twice.
    private func isPackedAtOnce(_ count: Int, _ payloadBytes: Int) -> Bool {
        count >= limit.events / 2 || payloadBytes >= limit.payloadBytes / 2
    }

    /// Replaces the open events with a block, within a transaction.
    /// - Parameter block: the open events, packed when `generation` had its current value. Newer events may have been
    ///   added since.
    mutating func replaceOpen(by block: PackedBlock, _ db: Database) throws {
        try PackedBlockTable.insert(block, db)
        try OpenEventTable.removeAll(upTo: block.ids.upperBound, db)
        try reload(db)
    }

    private mutating func pack(_ events: some RandomAccessCollection<BlockEvent>, _ db: Database) throws {
        let frames = BlockFrames()
        var packer = BlockPacker()
        try OpenEventTable.forEach(db) { try append($0, to: &packer, frames, db) }
        try OpenEventTable.removeAll(db)
        open = OpenBlock()
        generation &+= 1
        var rest = events[...]
        while let event = rest.first {
            // A small remainder of a batch becomes rows.
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
        !isPackedAtOnce(rest.count, 0) && !isPackedAtOnce(rest.count, rest.reduce(0) { $0 + $1.contentBytes })
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
        if packer.payloadBytes + event.contentBytes > limit.payloadBytes { try Self.save(&packer, frames, db) }
        packer.append(event)
        if packer.count == limit.events || packer.payloadBytes >= limit.payloadBytes {
            try Self.save(&packer, frames, db)
        }
    }

    private static func save(_ packer: inout BlockPacker, _ frames: BlockFrames, _ db: Database) throws {
        if let block = try packer.packed(by: frames) { try PackedBlockTable.insert(block, db) }
        packer = BlockPacker()
    }

    private mutating func insert(_ event: BlockEvent, _ db: Database) throws {
        try OpenEventTable.insert(numbered(event), &open.names, db)
        open.size.count += 1
        open.size.payloadBytes += event.contentBytes
    }
}
