/// Columns that were unpacked for a scan, for the next ones: a statement may scan a table for each row of another, and several
/// statements may share a moment. The first blocks are kept, as many as there is room for: of those that are read in turn, the
/// latest would always be gone when they are needed again.
final class KeptBlocks {
    private var columns: [Int64: (columns: UnpackedColumns, bytes: Int)] = [:]
    private var bytes = 0
    private var scans = 0

    private static let capacity = 48 << 20
    /// One statement may read a few tables, each once.
    private static let fewScans = 4

    /// Call it when the blocks are read again.
    func beginScan() { scans += 1 }

    func columns(of block: StoredBlock) -> UnpackedColumns {
        columns[block.ids.lowerBound]?.columns ?? UnpackedColumns()
    }

    /// Keeps what was unpacked of a block, if there is room.
    func keep(_ unpacked: UnpackedColumns, of block: StoredBlock) {
        guard scans > Self.fewScans else { return }
        let (size, before) = (unpacked.bytes, columns[block.ids.lowerBound]?.bytes ?? 0)
        guard bytes + size - before <= Self.capacity else { return }
        columns[block.ids.lowerBound] = (unpacked, size)
        bytes += size - before
    }
}
