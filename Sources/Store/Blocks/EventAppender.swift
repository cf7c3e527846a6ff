internal import GRDB
internal import Model

/// Puts new events where they belong: a few become rows of their own, safe at once; as many as fill a block are packed, and
/// those that a catch-up brings are never rows. What it keeps in memory says the same as the database.
struct EventAppender {
    /// From so many events of one batch on, all of it is packed: what would be left over as rows would be packed with the
    /// next batch, and be written twice.
    private static let packedAtOnce = BlockPacker.capacity / 2

    /// Of the next event.
    private(set) var nextID: Int64
    private var open = OpenBlock()
    private let frames: BlockFrames

    /// What is in the tables of the newest events.
    private struct OpenBlock {
        var count = 0
        var payloadBytes = 0
        var senders = Numbering<Origin>()
        var kinds = KindNumbering()
    }

    /// Takes up what is in the database.
    init(_ db: Database, frames: BlockFrames, lastID: Int64) throws {
        self.frames = frames
        nextID = lastID + 1
        let (count, bytes) = try OpenEventTable.size(db)
        (open.count, open.payloadBytes) = (count, bytes)
        for sender in try OpenEventTable.senders(db) { _ = open.senders.number(of: sender) }
        for kind in try OpenEventTable.kinds(db) { _ = open.kinds.number(of: kind) }
    }

    /// Within a transaction.
    /// - Parameter events: their ids are set here.
    mutating func append(_ events: [BlockEvent], _ db: Database) throws {
        let bytes = events.reduce(0) { $0 + $1.payload.count }
        let isFull =
            open.count + events.count >= BlockPacker.capacity
            || open.payloadBytes + bytes >= BlockPacker.payloadCapacity
        if isFull || events.count >= Self.packedAtOnce || events.contains(where: \.isLarge) {
            try pack(events, db)
        } else {
            for event in events { try insert(event, db) }
        }
    }

    private mutating func pack(_ events: [BlockEvent], _ db: Database) throws {
        var packer = BlockPacker()
        try OpenEventTable.forEach(db) { try Self.append($0, to: &packer, frames, db) }
        try OpenEventTable.removeAll(db)
        open = OpenBlock()
        for (index, event) in events.enumerated() {
            // What is left over of a batch becomes rows, as long as it is little.
            let rest = events[index...]
            if packer.count == 0, rest.count < Self.packedAtOnce, rest.allSatisfy({ !$0.isLarge }) {
                for event in rest { try insert(event, db) }
                return
            }
            try Self.append(numbered(event), to: &packer, frames, db)
        }
        try Self.save(&packer, frames, db)
    }

    private mutating func numbered(_ event: BlockEvent) -> BlockEvent {
        var event = event
        event.id = nextID
        nextID += 1
        return event
    }

    private static func append(
        _ event: BlockEvent, to packer: inout BlockPacker, _ frames: BlockFrames, _ db: Database
    ) throws {
        if packer.payloadBytes + event.payload.count > BlockPacker.payloadCapacity { try save(&packer, frames, db) }
        packer.append(event)
        if packer.count == BlockPacker.capacity || packer.payloadBytes >= BlockPacker.payloadCapacity {
            try save(&packer, frames, db)
        }
    }

    private static func save(_ packer: inout BlockPacker, _ frames: BlockFrames, _ db: Database) throws {
        if let block = packer.packed(by: frames) { try PackedBlockTable.insert(block, db) }
        packer = BlockPacker()
    }

    private mutating func insert(_ event: BlockEvent, _ db: Database) throws {
        let known = (senders: open.senders.values.count, kinds: open.kinds.values.count)
        let (sender, kind) = (open.senders.number(of: event.origin), open.kinds.number(of: event.kind))
        if sender == known.senders { try OpenEventTable.insert(event.origin, sender: sender, db) }
        if kind == known.kinds { try OpenEventTable.insert(event.kind, kind: kind, db) }
        try OpenEventTable.insert(numbered(event), sender: sender, kind: kind, db)
        open.count += 1
        open.payloadBytes += event.payload.count
    }
}

extension BlockEvent {
    /// Whether it has a block of its own.
    fileprivate var isLarge: Bool { payload.count > BlockPacker.payloadCapacity }
}
