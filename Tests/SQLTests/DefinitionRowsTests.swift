import API
import Model
import TestSupport
import Testing

@testable import SQL

struct DefinitionRowsTests {
    @Test func `a process gets the request that another one sends`() async throws {
        try await Shop.with(events: 1) { shop in
            let catalog = SQLCatalog([shop.dictionary])
            let tables = catalog.names.compactMap { catalog[$0] }
            #expect(tables.contains { if case .rows(let rows) = $0.content { rows.count == 2 } else { false } })
            let request = SQLRequest(
                statement: "SELECT '\n[]'", tables: tables, predicate: .nothing, limit: 3, limits: SQLLimits())
            let read = try SQLRequest(encoded: try request.encoded())
            #expect(read.tables == tables && read.statement == request.statement)
            #expect(read.predicate == .nothing && read.limit == 3 && read.limits == request.limits)
        }
    }

    @Test func `a process gets the deepest predicate`() throws {
        // Two for each level, as deep as PredicateBinder takes them.
        var deepest = Model.Predicate.parameter(.init(names: ["a"]), .among(["x"]))
        for level in 1..<134 { deepest = level % 2 == 0 ? .any([.nothing, deepest]) : .all([deepest, .everything]) }
        #expect(deepest.depth == 134)
        let request = SQLRequest(
            statement: "SELECT 1", tables: [], predicate: .everything.and(.all([.not(.nothing), deepest])), limit: 1,
            limits: SQLLimits())
        #expect(try SQLRequest(encoded: try request.encoded()).predicate == request.predicate)
    }

    @Test(arguments: [Model.Predicate.everything, .text(.sender(.category), .among([ExactString("c1")]))])
    func `the rows of all definitions are those of their tables`(predicate: Model.Predicate) async throws {
        try await Shop.with { shop in
            let names = ["shop_buy", "shop_sell"]
            let tables = try shop.sql(
                names.map { "SELECT * FROM \($0) ORDER BY gloss_id" }, predicate: predicate)
            for (isNarrowing, condition) in [
                (true, ""), (false, ""), (true, "WHERE id > 4000 AND id <= 8700"),
                (true, "WHERE table_name = 'shop_buy'"),
            ] {
                let rows = try shop.sql(
                    ["SELECT id, table_name, cells FROM gloss_rows \(condition) ORDER BY id"],
                    isNarrowing: isNarrowing, predicate: predicate)[0]
                let ids = rows.compactMap { Int($0[0].text.dropFirst()) }
                #expect(ids == ids.sorted())
                for (name, table) in zip(names, tables) {
                    let wanted = table.filter { row in
                        let id = Int(row[0].text.dropFirst()) ?? 0
                        return condition.contains("id >")
                            ? id > 4000 && id <= 8700
                            : condition.isEmpty || name == "shop_buy"
                    }
                    let found = try rows.filter { $0[1].text == "t" + name }.map { row in
                        guard
                            case .row(let cells) = try ExportLine.parse(ExportLine.row(String(row[2].text.dropFirst())))
                        else { throw CancellationError() }
                        return cells
                    }
                    #expect(found.count == wanted.count && (condition.contains("name") || !found.isEmpty))
                    for (cells, row) in zip(found, wanted) {
                        #expect(cells.count == row.count && zip(cells, row).allSatisfy(Self.isSame), "\(cells) \(row)")
                    }
                }
            }
        }
    }

    private static func isSame(_ cell: SQLCell, _ value: SQLQuoted) -> Bool {
        let text = String(value.text.dropFirst())
        return switch cell {
        case .null: value == "null"
        case .text(let found): value.text.first == "t" && found.text == text
        // SQLite shows fewer digits of a real number.
        case .number(let found):
            value.text.first == "r"
                ? Self.isNear(Double(found.text), Double(text)) : value.text.first == "i" && found.text == text
        }
    }

    private static func isNear(_ one: Double?, _ other: Double?) -> Bool {
        guard let one, let other else { return false }
        return one == other || abs(one - other) <= abs(other) * 1e-14
    }
}
