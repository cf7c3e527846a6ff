import Definitions
import Foundation
import Model
import TestSupport

@testable import SQL
@testable import Store

/// A store whose payloads have every kind of value, with the definitions that they should meet and often do not.
struct Shop {
    static let definitions = """
        # shop
        ## buy
        Something was bought.

        - count: !integer
            - How many.
        - price: !double
        - code: !string 64
        - gift: !boolean
        - time: !timestamp
        - device: Device
        - tags: Tags

        ## sell
        Something was sold.

        - device: Device
        - code: !string 64
        """
    static let types = """
        ## Device
        - os: !string
        - size: !integer
        """

    static let tags = """
        ## Tags
        - [!string] 5
        """

    let path: String
    let dictionary: EventDictionary
    private let time: (UInt64) -> UInt64
    private let values: [String]
    private(set) var payloads: [String] = []
    private(set) var times: [Int64] = []

    /// JSON texts that stand for numbers, texts that are numbers, and values of other types.
    static let values = [
        "1", "2", "3", "42", "-7", "0", "-0", "42.0", "4.2e1", "4.20", "0.1", "0.10000000000000000555", "1e400", "1E2",
        "0.30000000000000004",
        "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e-320", "2.50",
        "0e9223372036854775807", "1.5e-9223372036854775808", "10e9223372036854775807",
        #""1""#, #""42""#, #""042""#, #"" 42 ""#, #""42.0""#, #""4.2""#, #""true""#, #""""#, #""abc""#,
        #""a\"b\u3042""#,
        #""夕食 42""#, #""1e2""#, #""+42""#, #"".5""#, #""5.""#, #""0x10""#, #""inf""#, "true", "false", "null", "[]",
        "[1,2]",
        #"["a","b"]"#, "{}", #"{"os":"ios"}"#, #"{"os":17,"size":"x"}"#,
    ]

    /// Runs `body` with a store of several blocks and open events.
    /// - Parameters:
    ///   - values: the JSON texts of parameters.
    ///   - time: the time of each event, by its number from 1.
    static func with(
        events count: Int = 9000, seed: UInt64 = 1, maximumBytes: Int64 = 1 << 30, values: [String] = values,
        time: @escaping (UInt64) -> UInt64 = { 1_795_000_000_000_000 + $0 * 1_234_567 }, _ body: (Shop) throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "events.sqlite").path
            let store = try await EventStore(
                StoreOptions(path: path, maximumBytes: maximumBytes, maximumAge: nil, whenFull: .pause))
            var random = SeededGenerator(seed: seed)
            let dictionary = try DictionaryParser.parse(
                [
                    DefinitionFile(name: "shop.md", bytes: Array(definitions.utf8)),
                    DefinitionFile(name: "types/device.md", bytes: Array(types.utf8)),
                    DefinitionFile(name: "types/tags.md", bytes: Array(tags.utf8)),
                ], options: DictionaryOptions(name: "shop", path: folder.path)
            ).dictionary
            var shop = Shop(path: path, dictionary: dictionary, time: time, values: values)
            while shop.payloads.count < count {
                try await shop.save(min(1500, count - shop.payloads.count), in: store, &random)
            }
            let gap = Gap(
                cause: .deleted, realtimeMicroseconds: 1_800_000_000_000_000, message: "a file was deleted")
            try await store.save(ResolvedBatch(gaps: [gap]), journal: "test")
            try body(shop)
            await store.close()
        }
    }

    private mutating func save(_ count: Int, in store: EventStore, _ random: inout SeededGenerator) async throws {
        var batch = ResolvedBatch(entriesRead: count)
        var (payloads, times) = (payloads, times)
        for _ in 0..<count {
            let number = UInt64(payloads.count + 1)
            let payload = Self.payload(number, values, &random)
            let time = time(number)
            payloads.append(payload)
            times.append(Int64(bitPattern: time))
            let entry = Entry(
                origin: Self.origins[Int(random.next() % 3)], level: Level(rawValue: UInt8(random.next() % 8)) ?? .info,
                pid: random.next() % 4 == 0 ? nil : Int32(random.next() % 100), seqnum: number,
                monotonicMicroseconds: number, realtimeMicroseconds: time, entryHash: random.next(),
                payload: batch.bytes.count..<batch.bytes.count + payload.utf8.count)
            batch.bytes += payload.utf8
            let isViolating = random.next() % 2 == 0
            let kind = Self.kinds[Int(random.next() % 3)]
            batch.events.append(
                ResolvedEvent(
                    entry: entry,
                    resolution: kind.dictionary == nil ? .undefined : isViolating ? .violating : .resolved,
                    kind: kind,
                    findings: kind.dictionary != nil && isViolating
                        ? Findings(
                            violations: [
                                Violation("count", .type("integer", found: .string)),
                                Violation("price", .missing(type: "double", found: nil)),
                            ], warnings: [.obsoleteParameter("old")]) : nil, text: nil, program: .none))
        }
        (self.payloads, self.times) = (payloads, times)
        _ = try await store.save(batch, journal: "machine")
    }

    private static let origins = (0..<3).map { number in
        Origin(
            [
                .subsystem: "com.example.shop", .category: "c\(number)", .host: "web\(number)",
                .identifier: number == 0 ? nil : "shop", .unit: nil, .processUID: "\(1000 + number)",
            ], bootID: ID128(high: 1, low: UInt64(number)), seqnumID: ID128(high: 2, low: 1), source: "all")
    }

    private static let kinds = [
        EventKind(
            dictionary: "shop", definitionsVersion: "0123456789abcdef", key: EventKey(category: "shop", name: "buy")),
        EventKind(
            dictionary: "shop", definitionsVersion: "0123456789abcdef", key: EventKey(category: "shop", name: "sell")),
        EventKind(dictionary: nil, definitionsVersion: nil, key: EventKey(category: "other", name: "x")),
    ]

    private static func payload(
        _ number: UInt64, _ values: [String], _ random: inout SeededGenerator
    ) -> String {
        var members = ["\"n\":\(number)"]
        for name in ["count", "price", "code", "gift", "time", "device", "tags"] where random.next() % 4 > 0 {
            members.append("\"\(name)\":\(values[Int(random.next() % UInt64(values.count))])")
        }
        // A duplicate key: such payloads are kept whole.
        if random.next() % 20 == 0 { members.append("\"count\":5,\"count\":6") }
        return "{\(members.joined(separator: ","))}"
    }

    // MARK: statements

    /// Runs statements on the tables.
    /// - Parameters:
    ///   - isNarrowing: whether conditions leave out events before SQLite sees them.
    ///   - isExact: whether columns of texts have the digits of numbers that were sent.
    func sql(
        _ statements: [String], isNarrowing: Bool = true, isExact: Bool = false,
        predicate: Model.Predicate = .everything, limit: Int? = nil
    ) throws -> [[[SQLQuoted]]] {
        try StoreReader(path).read { snapshot in
            let catalog = SQLCatalog([dictionary])
            let connection = try SQLConnection(heapBytes: 0)
            let events = try snapshot.count()
            let tables = catalog.names.compactMap { isExact ? catalog[$0]?.exact : catalog[$0] }
            for table in tables {
                try connection.add(
                    OpenTable(
                        table, among: tables, snapshot, predicate, events: events, isNarrowing: isNarrowing))
            }
            try connection.restrict()
            return try statements.map { statement in
                var rows: [[SQLQuoted]] = []
                _ = try connection.run(
                    statement, limit: limit, columns: { _ in }, row: { rows.append(SQLQuoted.row($0)) })
                return rows
            }
        }
    }

    /// Runs each statement with and without the help that tables give SQLite: conditions that they meet, and orders.
    func withAndWithoutHelp(
        _ statements: [String]
    ) throws -> [(statement: String, helped: [[SQLQuoted]], plain: [[SQLQuoted]])] {
        let (helped, plain) = (try sql(statements), try sql(statements, isNarrowing: false))
        return statements.indices.map { (statements[$0], helped[$0], plain[$0]) }
    }

    func sql(_ statement: String) throws -> [[SQLQuoted]] { try sql([statement], isNarrowing: true)[0] }
}
