internal import GRDB
internal import Model

extension EventStore {
    /// Packs the open events when they nearly fill a block. It reads a snapshot, so that saving waits only while
    /// the block is written. Otherwise they are packed with the batch that fills the block.
    /// - Throws: `.full` as `save` does.
    package func packNewest() async throws(StoreError) {
        if let newest = try await packedNewest() { try await write(newest) }
    }

    /// A block made of the open events, and the state of them (`EventAppender.generation`) that it was made from.
    struct PackedNewest: Sendable {
        var generation: UInt64
        var block: PackedBlock
    }

    func packedNewest() async throws(StoreError) -> PackedNewest? {
        let generation = try await change { _, state in state.appender.isBlockReady ? state.appender.generation : nil }
        guard let generation else { return nil }
        let block = try await database.read(.delivery) { [limit] db in
            var (packer, isFull) = (BlockPacker(), false)
            try OpenEventTable.forEach(db) { event in
                isFull =
                    isFull || packer.count == limit.blockEvents
                    || packer.payloadBytes + event.contentBytes > limit.blockPayloadBytes
                if !isFull { packer.append(event) }
            }
            return try packer.packed(by: BlockFrames())
        }
        return block.map { PackedNewest(generation: generation, block: $0) }
    }

    /// Replaces the open events with the block, unless these events were changed or removed since it was made.
    func write(_ newest: PackedNewest) async throws(StoreError) {
        try await change { [self] db, state in
            let size = EventAppender.Size(count: newest.block.count, payloadBytes: newest.block.payloadBytes)
            try makeRoom(for: BatchCost([:], stored: size), db, &state)
            guard state.appender.generation == newest.generation else { return }
            try state.transaction(db) { state in try state.appender.replaceOpen(by: newest.block, db) }
        }
    }
}
