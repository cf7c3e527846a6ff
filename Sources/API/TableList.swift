import Model

/// `GET /v1/tables`: the tables that statements of SQL may use.
package struct TableList: Sendable, Hashable, Codable, DescribedObject {
    package var tables: [TableReply]
    /// `after` of the next page; `nil` at the end.
    package var next: String?

    package init(tables: [TableReply], next: String? = nil) { (self.tables, self.next) = (tables, next) }

    package static let object = ObjectDescription(
        "TableList", "The tables of SQL",
        [
            member("tables", \.tables, "Those of the daemon first, then one for each definition"),
            member("next", \.next, "The next page: pass it as after. Absent if there is none", nil),
        ])
}

package struct TableReply: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var description: String
    package var columns: [ColumnOfTable]
    package var dictionary: String?
    package var event: String?

    package init(
        name: String, description: String, columns: [ColumnOfTable], dictionary: String? = nil, event: String? = nil
    ) {
        (self.name, self.description, self.columns) = (name, description, columns)
        (self.dictionary, self.event) = (dictionary, event)
    }

    package static let object = ObjectDescription(
        "Table", "A table of SQL",
        [
            member("name", \.name, "Its name, which needs no quotes", "recipe_detail_tap_save_button"),
            member(
                "description", \.description, "What its rows are", "recipe_detail/tap_save_button: A recipe was saved"),
            member("columns", \.columns, "Its columns"),
            member("dictionary", \.dictionary, "The dictionary, if it is the table of a definition", "shop"),
            member(
                "event", \.event, "The key of the definition, CATEGORY/NAME", "recipe_detail/tap_save_button"),
        ])
}

package struct ColumnOfTable: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var type: String
    package var description: String
    package var hidden: Bool?

    package init(name: String, type: String, description: String, hidden: Bool? = nil) {
        (self.name, self.type, self.description, self.hidden) = (name, type, description, hidden)
    }

    package static let object = ObjectDescription(
        "ColumnOfTable", "A column of a table",
        [
            member("name", \.name, "Its name, which needs no quotes", "recipe_id"),
            member(
                "type", \.type, "Its declared type. Values that violate their definition may have another", "INTEGER",
                as: .choice(["INTEGER", "REAL", "TEXT", "BOOLEAN"])),
            member("description", \.description, "What it means", "The recipe (!bigint)"),
            member(
                "hidden", \.hidden, "Whether SELECT * leaves it out, as exports do; absent if not", nil),
        ])
}

/// The query of `GET /v1/tables`.
package struct TableQuery: Sendable, Hashable {
    package static let maximumLimit = 10_000

    /// The names of the tables; none for all.
    package var names: [String] = []
    /// The table before the first one.
    package var after: String?
    /// The most tables; `nil` for all.
    package var limit: Int?

    package init() {}

    package init(names: [String] = [], limit: Int? = nil) { (self.names, self.limit) = (names, limit) }
}

extension TableQuery: APIQuery {
    package static let fields: [QueryField<Self>] = [
        .list(
            "name", { $1(&$0.names) }, .text("the name of a table"), "The name of a table; without one, all tables",
            example: "events"),
        .optional(
            "after", { $1(&$0.after) }, .text("the name of a table"),
            "Only tables after this one; see next in the reply",
            example: "events"),
        .optional(
            "n", { $1(&$0.limit) }, .number(1...maximumLimit), "The maximum number of tables; all by default",
            example: 100),
    ]
}
