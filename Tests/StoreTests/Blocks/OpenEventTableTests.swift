import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct OpenEventTableTests {
    @Test func `events are returned with all fields, from any id on`() throws {
        for seed in FuzzBudget.seeds(5) {
            let (queue, events) = try Self.stored(120, seed: seed)
            #expect(try same(queue.read { try OpenEvents($0, ids: 1 ... .max).events() }, events), "seed \(seed)")
            for ids in [events[7].id...events[7].id, events[30].id...events[90].id, 1...events[0].id - 1] {
                let wanted = events.filter { ids.contains($0.id) }
                #expect(try same(queue.read { try OpenEvents($0, ids: ids).events() }, wanted), "seed \(seed)")
            }
        }
    }

    @Test func `uids are those of events in any order`() throws {
        let (queue, events) = try Self.stored(50, seed: 2)
        for some in [Array(0..<50), Array(0..<50).reversed(), [5, 4], [4, 9, 6, 6, 49, 0]] {
            let uids = try queue.read { try OpenEvents($0, ids: 1 ... .max).uids(of: some) }
            #expect(uids == some.map { events[$0].uid })
        }
    }

    @Test func `nothing is left when all events are removed`() throws {
        let (queue, _) = try Self.stored(50, seed: 3)
        try queue.write { try OpenEventTable.removeAll($0) }
        try queue.read { db in
            for table in ["open_events", "open_senders", "open_kinds"] {
                let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
                #expect(count == 0)
            }
            let events = try OpenEvents(db, ids: 1 ... .max).events()
            #expect(events.isEmpty)
        }
    }

    @Test(arguments: [
        "DELETE FROM open_senders WHERE sender = 1", "UPDATE open_senders SET boot_id = 'x'",
        "UPDATE open_kinds SET resolution = 'x'", "DELETE FROM open_kinds WHERE kind = 0",
        "UPDATE open_events SET sender = -1", "UPDATE open_events SET kind = 5000", "UPDATE open_events SET level = 9",
        "UPDATE open_events SET findings = '{'", "UPDATE open_events SET findings = '{\"violations\":[{}]}'",
        "UPDATE open_events SET payload = CAST(payload || '#' AS BLOB)", "UPDATE open_events SET time = time + 1",
        "UPDATE open_events SET pid = coalesce(pid, 0) + 1", "UPDATE open_events SET text = x'00'",
        "UPDATE open_events SET checksum = checksum + 1", "UPDATE open_senders SET host = host || 'x'",
        "UPDATE open_senders SET identifier = 'x'", "UPDATE open_kinds SET event_name = 'x'",
    ])
    func `damage is an error`(_ sql: String) throws {
        let (queue, _) = try Self.stored(50, seed: 4)
        try queue.write { try $0.execute(sql: sql) }
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { try OpenEvents($0, ids: 1 ... .max).events() }
        }
        #expect(error?.resultCode == .SQLITE_CORRUPT)
        // It does not get into a block either.
        #expect(throws: DatabaseError.self) { try queue.read { try OpenEventTable.forEach($0) { _ in } } }
    }

    private static func stored(_ count: Int, seed: UInt64) throws -> (DatabaseQueue, [Event]) {
        var generator = BlockEventGenerator(seed: seed)
        let events = (0..<count).map { _ in generator.next() }
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: OpenEventTable.schema)
            try OpenEventTable.replaceAll(by: events, db)
        }
        return (queue, events)
    }
}
