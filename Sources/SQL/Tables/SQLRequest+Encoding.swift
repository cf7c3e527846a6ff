package import FoundationEssentials
import Model

/// The form in which one process passes a request to the other, which has the same version: a line of JSON without the tables,
/// then a line for each table, and one for each of its rows if these are given. There may be thousands, and one document of all
/// would take many times their size while it is made.
extension SQLRequest {
    private static let lineBreak = UInt8(ascii: "\n")

    package init(encoded bytes: Data) throws {
        let (decoder, lines) = (JSONDecoder(), bytes.split(separator: Self.lineBreak))
        self = try decoder.decode(Self.self, from: lines.first ?? Data())
        var rows: [[SQLValue]] = []
        for line in lines.dropFirst() {
            if line.first == UInt8(ascii: "[") {
                rows.append(try decoder.decode([SQLValue].self, from: line))
            } else {
                endTable(&rows)
                tables.append(try decoder.decode(SQLTable.self, from: line))
            }
        }
        endTable(&rows)
    }

    private mutating func endTable(_ rows: inout [[SQLValue]]) {
        if !rows.isEmpty, !tables.isEmpty { tables[tables.count - 1].content = .rows(rows) }
        rows = []
    }

    package func encoded() throws -> Data {
        let encoder = JSONEncoder()
        var head = self
        head.tables = []
        var bytes = try encoder.encode(head)
        func append(_ line: some Encodable) throws {
            bytes.append(Self.lineBreak)
            bytes.append(try encoder.encode(line))
        }
        for var table in tables {
            guard case .rows(let rows) = table.content else {
                try append(table)
                continue
            }
            table.content = .rows([])
            try append(table)
            for row in rows { try append(row) }
        }
        return bytes
    }
}
