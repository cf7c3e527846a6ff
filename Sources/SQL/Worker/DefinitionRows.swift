import JSON
import Model
import Store

/// The rows of several tables of definitions, in the order of ids: one scan reads them, not one for each table.
final class DefinitionRows: TableRows {
    private struct Table {
        var name: String
        /// The places of its columns among those of the scan.
        var columns: [Int]
    }

    private let scan: RowScan
    /// By dictionary and key, with a line break between them.
    private var tables: [[UInt8]: Table] = [:]
    private var table: Table?
    private var json = JSONWriter()
    private let held = HeldText()

    private static let key: [RowColumn] = [.text(.dictionary), .text(.event)]

    /// Returns what all events of the tables meet, and few others. A test for each table would take long for many.
    static func predicate(_ tables: [SQLTable]) -> Predicate {
        let definitions = tables.compactMap(\.definition)
        return .text(.event, .among(Set(definitions.map { ExactString($0.event) })))
            .and(.text(.dictionary, .among(Set(definitions.map { ExactString($0.dictionary) }))))
    }

    /// - Parameters:
    ///   - predicate: which events have rows, if they are of one of the definitions.
    ///   - tables: those of the definitions.
    init(
        _ snapshot: StoreSnapshot, _ predicate: Predicate, ids: ClosedRange<Int64>, _ tables: [SQLTable],
        isDescending: Bool
    ) throws {
        var columns = Self.key
        var places: [RowColumn: Int] = [:]
        for table in tables {
            guard let definition = table.definition else { continue }
            let ofTable = table.columns.filter { !$0.isHidden }.compactMap(\.source).map { source in
                if let place = places[source] { return place }
                places[source] = columns.count
                columns.append(source)
                return columns.count - 1
            }
            self.tables[Array("\(definition.dictionary)\n\(definition.event)".utf8)] = Table(
                name: table.name, columns: ofTable)
        }
        scan = try RowScan(snapshot, predicate, ids: ids, columns, isDescending: isDescending)
    }

    func next() throws -> Bool {
        while try scan.next() {
            table = tables[try text(of: 0) + [UInt8(ascii: "\n")] + text(of: 1)]
            if table != nil { return true }
        }
        return false
    }

    var rowID: Int64 { scan.rowID }

    private func text(of column: Int) throws -> [UInt8] {
        if case .text(let bytes) = try scan.value(of: column) { Array(bytes) } else { [] }
    }

    func value(of column: Int) throws -> RowValue {
        switch column {
        case 0: return .integer(scan.rowID)
        case 1: return held.value(table?.name)
        default:
            json.removeAll()
            json.beginArray()
            for column in table?.columns ?? [] { json.append(try scan.value(of: column)) }
            json.endArray()
            return json.bytes.withUnsafeBytes { held.value($0) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ value: RowValue) {
        switch value {
        case .null: null()
        case .integer(let number): integer(number)
        case .real(let number): real(number)
        case .text(let bytes): string(utf8: bytes)
        }
    }

    /// Writes a real number, or its name as a text: JSON has no infinity.
    mutating func real(_ number: Double) {
        if number.isFinite { double(number) } else { string(number < 0 ? "-Inf" : "Inf") }
    }
}
