package import Model

/// A column for a parameter, or for a member of an object.
package struct ColumnReply: Sendable, Hashable, Codable, DescribedObject {
    package var path: String
    package var column: String
    package var type: String

    package init(_ column: ParameterColumn) {
        path = column.path
        self.column = column.name
        type = column.parameter.type.name
    }

    package static let object = ObjectDescription(
        "Column", "A column of a table with the events of a definition",
        [
            member("path", \.path, "Where payloads have the value: a name, or the path of a member", "device.os"),
            member("column", \.column, "The name of the column, which needs no quotes in SQL", "device_os"),
            member("type", \.type, "The type of the parameter or member, as in its own description", "string"),
        ])
}
