internal import GRDB

/// A block in the database.
struct StoredBlock: Hashable {
    var ids: ClosedRange<Int64>
    var count: Int
    /// The earliest and the latest time, in microseconds since 1970.
    var times: ClosedRange<Int64>
    var payloadBytes: Int

    /// Whether the block consists of one event whose payload exceeds the capacity of a block.
    var isOneLargePayload: Bool { count == 1 && payloadBytes > BlockPacker.payloadCapacity }

    var size: EventAppender.Size { EventAppender.Size(count: count, payloadBytes: payloadBytes) }

    /// Returns the checksum of the columns that are stored beside the block's data.
    func checksum(levels: UInt8) -> UInt64 {
        [
            ids.lowerBound, ids.upperBound, Int64(count), times.lowerBound, times.upperBound, Int64(payloadBytes),
            Int64(levels),
        ].reduce(0) { ByteHash.mixed($0 ^ UInt64(bitPattern: $1)) }
    }

    /// Reads from the block's content.
    /// - Parameter isKept: whether the cache keeps the columns that were unpacked, once `body` has returned. It never
    ///   keeps those of one large payload: the next page begins behind it.
    /// - Throws: an error that names the block when its data is damaged.
    func read<Value>(
        _ db: Database, _ frames: BlockFrames, _ cache: ColumnCache.Reader? = nil,
        keepingIf isKept: (Value) -> Bool = { _ in true }, _ body: (BlockContent) throws -> Value
    ) throws -> Value {
        try naming {
            let content = try content(db, frames, cache?.columns(of: self) ?? UnpackedColumns())
            let value = try body(content)
            if !isOneLargePayload, isKept(value) { cache?.keep(content.columns, of: self) }
            return value
        }
    }

    /// Returns the block's content, which is valid within the access to the database.
    /// - Parameter columns: columns of it that were unpacked earlier.
    func content(
        _ db: Database, _ frames: BlockFrames, _ columns: UnpackedColumns = UnpackedColumns()
    ) throws -> BlockContent {
        let content = try BlockContent(count: count, times: times, frames: frames, columns: columns) {
            try BlobSource(ofBlock: ids.lowerBound, db)
        }
        let column = try content.ids()
        guard column[0] == ids.lowerBound, column[count - 1] == ids.upperBound else {
            throw BlockDamage("its data belongs to another block")
        }
        return content
    }

    /// - Throws: an error that names the block when its data is damaged.
    func naming<Value>(_ body: () throws -> Value) throws -> Value { try Self.naming(ids, body) }

    /// Returns how many of these ids its events have: of a damaged block, all that it may have.
    func count(of wanted: ClosedRange<Int64>, _ db: Database) throws -> Int64 {
        guard ids.overlaps(wanted) else { return 0 }
        let part = ids.clamped(to: wanted)
        // Between the ids of most blocks are no others.
        guard part != ids, count != ids.count else { return Int64(min(count, part.count)) }
        do {
            return try read(db, BlockFrames()) { content in
                let ids = try content.ids()
                return Int64((0..<content.count).count { part.contains(ids[$0]) })
            }
        } catch let error as DatabaseError where error.isDamage {
            return Int64(min(count, part.count))
        }
    }

    /// Returns the stored data of the block, to detect later whether it has changed.
    func data(_ db: Database) throws -> [UInt8] {
        try Self.naming(ids) {
            let source = try BlobSource(ofBlock: ids.lowerBound, db)
            var data: [UInt8] = []
            try source.read(0..<source.count, into: &data)
            return data
        }
    }

    private static func naming<Value>(_ ids: ClosedRange<Int64>, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let damage as BlockDamage {
            throw damaged(ids, "\(damage)")
        } catch let error as DatabaseError where error.isDamage {
            throw damaged(ids, error.message ?? "the database is damaged")
        }
    }

    private static func damaged(_ ids: ClosedRange<Int64>, _ what: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "the block with the events \(ids.lowerBound) to \(ids.upperBound): \(what)")
    }
}

extension StoredBlock {
    init(_ block: PackedBlock) {
        self.init(ids: block.ids, count: block.count, times: block.times, payloadBytes: block.payloadBytes)
    }

    // MARK: rows

    static let columns = "first_id, last_id, events, min_time, max_time, levels, names, payload_bytes"

    /// - Throws: an error that names the block when its row is damaged.
    init(_ row: borrowing BareStatement) throws { self = try Self.naming(row) { try Self.read(row).block } }

    /// Returns the block of the first row that is not damaged.
    static func first(
        of rows: borrowing BareStatement, passingOver passOver: (DatabaseError) -> Void = { _ in }
    ) throws -> StoredBlock? {
        while try rows.step() {
            do {
                return try StoredBlock(rows)
            } catch let error as DatabaseError where error.isDamage {
                passOver(error)
            }
        }
        return nil
    }

    fileprivate static func ids(_ row: borrowing BareStatement) -> ClosedRange<Int64> {
        row.int64(0)...max(row.int64(0), row.int64(1))
    }

    fileprivate static func naming<Value>(_ row: borrowing BareStatement, _ body: () throws -> Value) throws -> Value {
        try naming(ids(row), body)
    }

    fileprivate static func read(
        _ row: borrowing BareStatement
    ) throws -> (block: StoredBlock, levels: UInt8, names: UnsafeRawBufferPointer) {
        let (first, last) = (row.int64(0), row.int64(1))
        guard first <= last, row.int64(3) <= row.int64(4), let levels = UInt8(exactly: row.int64(5)),
            (1...Int64(BlockPacker.capacity)).contains(row.int64(2))
        else { throw BlockDamage("its row is damaged") }
        let block = StoredBlock(
            ids: first...last, count: Int(row.int64(2)), times: row.int64(3)...row.int64(4),
            payloadBytes: Int(row.int64(7)))
        return (block, levels, try PlainPart.checked(row.bytes(6), seed: block.checksum(levels: levels)))
    }
}

/// Iterates over the blocks that may have matching events.
struct BlockWalk: ~Copyable {
    enum Step {
        /// A block that may have matching events.
        case block(StoredBlock)
        /// The turn has expired. The range is that of the ids of the last block that was examined.
        case expired(ClosedRange<Int64>)
    }

    private let db: Database
    private let rows: BareStatement
    private let matcher: BlockMatcher
    private let wanted: ClosedRange<Int64>
    /// A turn does not end behind a block whose events are all before this id, since the next walk would begin with it
    /// again.
    private var first = Int64.min
    /// The latest time and the first id of the block that was examined last; before the first, the place where the walk
    /// starts. An error of reading the next row leaves it.
    private(set) var place = EventPlace.last

    private static let select = "SELECT \(StoredBlock.columns) FROM blocks"

    /// - Parameters:
    ///   - ids: the range of ids to examine.
    ///   - isAscending: whether the walk starts at the lowest id, or else at the highest.
    init(_ db: Database, ids: ClosedRange<Int64>, isAscending: Bool, _ matcher: BlockMatcher) throws {
        let rows = try BareStatement(
            db,
            reusing: """
                \(Self.select)
                WHERE first_id BETWEEN (SELECT coalesce(max(first_id), 0) FROM blocks WHERE first_id <= ?1) AND ?2
                ORDER BY first_id \(isAscending ? "ASC" : "DESC")
                """)
        try rows.bind(1, ids.lowerBound)
        try rows.bind(2, ids.upperBound)
        self.init(db, rows, ids, matcher)
        first = ids.lowerBound
    }

    /// Starts a walk by descending time: the block that has the latest event comes first.
    /// - Parameter newestBefore: the position to continue at, as a block's latest time and its first id.
    init(
        _ db: Database, ids: ClosedRange<Int64>, newestBefore place: EventPlace, _ matcher: BlockMatcher
    ) throws {
        let rows = try BareStatement(
            db,
            reusing:
                "\(Self.select) WHERE (max_time, first_id) < (?, ?) ORDER BY max_time DESC, first_id DESC")
        try rows.bind(1, place.time)
        try rows.bind(2, place.id)
        self.init(db, rows, ids, matcher)
        self.place = place
    }

    private init(
        _ db: Database, _ rows: consuming BareStatement, _ wanted: ClosedRange<Int64>, _ matcher: BlockMatcher
    ) {
        self.db = db
        self.rows = rows
        self.matcher = matcher
        self.wanted = wanted
    }

    /// Returns the next step of the walk.
    /// - Parameters:
    ///   - turn: ends the walk when it has expired, but not before one block was examined that reaches into the range.
    ///   - time: ends the walk at a block whose events are all older.
    ///   - passOver: gets the blocks whose rows are damaged; `nil` throws their errors.
    /// - Returns: `nil` after the last block.
    mutating func next(
        until turn: ReadTurn? = nil, since time: Int64? = nil, passingOver passOver: DamagedBlocks.Receiver? = nil
    ) throws -> Step? {
        while try rows.step() {
            place = EventPlace(time: rows.int64(4), id: rows.int64(0))
            if let time, place.time < time { return nil }
            do {
                let block = try StoredBlock.naming(rows) { try candidate() }
                if let block { return .block(block) }
            } catch let error as DatabaseError where error.isDamage {
                guard let passOver else { throw error }
                passOver(StoredBlock.ids(rows), error)
                // A turn does not end here: the row does not say where to continue.
                continue
            }
            if let turn, rows.int64(1) >= first, turn.shouldEnd { return .expired(StoredBlock.ids(rows)) }
        }
        return nil
    }

    /// - Returns: the block of the current row, if it may have matching events.
    private func candidate() throws -> StoredBlock? {
        let (block, levels, names) = try StoredBlock.read(rows)
        guard block.ids.overlaps(wanted),
            matcher.mayMatch(ids: block.ids, times: block.times, levels: levels, names: names)
        else {
            return nil
        }
        return try PackedBlockTable.mayHaveValues(block.ids.lowerBound, matcher, db) ? block : nil
    }
}

/// Iterates over the columns of stored events in the order of their ids: the blocks that may have matching events,
/// and then the open events.
enum ColumnWalk {
    /// - Parameters:
    ///   - ids: the range of ids to visit. A block may also have events outside of it.
    ///   - turn: ends the walk when it has expired, but not before one block was visited.
    ///   - passOver: gets the blocks that are damaged, and the open events if one of them is; `nil` throws their errors.
    ///   - body: returns whether to continue.
    /// - Returns: the last id that was visited; `nil` when all were.
    static func forEach(
        of ids: ClosedRange<Int64>, _ matcher: BlockMatcher, _ db: Database, _ turn: ReadTurn? = nil,
        passingOver passOver: DamagedBlocks.Receiver? = nil, _ body: (any EventColumns) throws -> Bool
    ) throws -> Int64? {
        var (parts, damage) = ((packed: Optional(ids), open: ClosedRange<Int64>?.none), DatabaseError?.none)
        do {
            parts = try StoredRange.parts(of: ids, db)
        } catch let error as DatabaseError where error.isDamage {
            guard passOver != nil else { throw error }
            // Blocks are visited nevertheless.
            damage = error
        }
        if let packed = parts.packed {
            let frames = BlockFrames()
            var walk = try BlockWalk(db, ids: packed, isAscending: true, matcher)
            while let step = try walk.next(until: turn, passingOver: passOver) {
                switch step {
                // The last block may reach behind the range.
                case .expired(let looked): return min(looked.upperBound, ids.upperBound)
                case .block(let block):
                    var goesOn = true
                    do {
                        goesOn = try block.read(db, frames) { try body($0) }
                    } catch let error as DatabaseError where error.isDamage {
                        guard let passOver else { throw error }
                        passOver(block.ids, error)
                    }
                    let isEnough = !goesOn || turn?.shouldEnd ?? false
                    if isEnough, block.ids.upperBound < ids.upperBound { return block.ids.upperBound }
                }
            }
        }
        if let damage { passOver?(ids, damage) }
        guard let open = parts.open else { return nil }
        do {
            let events = try OpenEvents(db, ids: open)
            if events.count > 0 { _ = try body(events) }
        } catch let error as DatabaseError where error.isDamage {
            guard let passOver else { throw error }
            passOver(open, error)
        }
        return nil
    }
}
