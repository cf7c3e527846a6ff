package import Model
import Store

/// All tables, of which statements use a few: there may be tens of thousands of definitions.
package struct SQLCatalog: Sendable {
    private let dictionaries: [EventDictionary]
    private var entries: [Entry] = []
    /// The places of entries by name, in lower case.
    private var places: [ExactString: Int] = [:]

    private enum Entry: Sendable {
        case known(SQLTable)
        case definitions
        /// - Parameters: the names, and the numbers of dictionary, category and definition.
        case definition(name: String, Int, Int, Int)
    }

    /// - Parameter dictionaries: in the order of the settings.
    package init(_ dictionaries: [EventDictionary]) {
        self.dictionaries = dictionaries
        var roles = SQLTable.RoleNames()
        for dictionary in dictionaries {
            roles.user.formUnion(dictionary.paths(of: .user))
            roles.device.formUnion(dictionary.paths(of: .device))
        }
        var names = ColumnNames()
        for table in SQLTable.known(roles) { add(.known(table), names.name(for: table.name)) }
        add(.definitions, names.name(for: Self.definitions.name))
        add(.known(SQLTable.definitionRows), SQLTable.definitionRows.name)
        for (number, dictionary) in dictionaries.enumerated() {
            for (category, group) in dictionary.categories.enumerated() {
                for (place, definition) in group.definitions.enumerated() {
                    let text = definition.key.description
                    let name = names.name(for: Self.isOfSQLite(text) ? "_" + text : text)
                    add(.definition(name: name, number, category, place), name)
                }
            }
        }
    }

    /// Whether the name that it would have begins with sqlite_, which SQLite keeps for itself, or is that of a function.
    private static func isOfSQLite(_ text: String) -> Bool {
        var names = ColumnNames()
        let name = folded(names.name(for: text))
        return name.text.hasPrefix("sqlite_") || SQLConnection.tableFunctions.contains(name.text)
    }

    private mutating func add(_ entry: Entry, _ name: String) {
        places[Self.folded(name)] = entries.count
        entries.append(entry)
    }

    /// SQLite makes no difference between upper and lower case of the letters of ASCII.
    private static func folded(_ name: some StringProtocol) -> ExactString {
        ExactString(String(decoding: name.utf8.map(\.lowercased), as: UTF8.self))
    }

    // MARK: tables

    /// The names of all tables.
    package var names: [String] {
        entries.map { entry in
            switch entry {
            case .known(let table): table.name
            case .definitions: Self.definitions.name
            case .definition(let name, _, _, _): name
            }
        }
    }

    package subscript(name: String) -> SQLTable? { places[Self.folded(name)].map { table(entries[$0]) } }

    /// Returns the names that are like one that no table has, at most three: misspelt, or written as a key of an event or the
    /// last part of one.
    package func similar(to name: String) -> [String] {
        let wanted = Self.folded(name).text.unicodeScalars.map {
            $0 == "/" || $0 == "." ? UInt32(UInt8(ascii: "_")) : $0.value
        }
        let limit = max(1, wanted.count / 4)
        return EditDistance.threeNearest(among: names) { name in
            let known = Self.folded(name).text.unicodeScalars.map(\.value)
            let isPart =
                known.starts(with: wanted)
                || known.suffix(wanted.count + 1).elementsEqual([UInt32(UInt8(ascii: "_"))] + wanted)
            if wanted.count > 2, isPart { return limit }
            return EditDistance.between(wanted, known, limit: limit)
        }
    }

    /// The most tables of definitions that are searched for a column: each has to be made.
    private static let mostSearched = 2000

    /// Returns the names of tables that have a column, at most three.
    package func tables(withColumn name: String) -> [String] {
        let wanted = Self.folded(name)
        let having = entries.prefix(Self.mostSearched).lazy.map(table).filter { table in
            table.columns.contains { Self.folded($0.name) == wanted }
        }
        return having.prefix(3).map(\.name)
    }

    /// Returns the tables whose names occur in a statement, without descriptions.
    package func tables(of statement: String) -> [SQLTable] {
        // Names consist of what words consist of.
        let words = statement.utf8.split { !($0 >= 0x80 || $0.isWordByte) }
        let found = Set(words.lazy.compactMap { places[Self.folded(Substring($0))] })
        return found.sorted().map { place in
            var table = table(entries[place])
            table.description = ""
            for column in table.columns.indices { table.columns[column].description = "" }
            return table
        }
    }

    private func table(_ entry: Entry) -> SQLTable {
        switch entry {
        case .known(let table): return table
        case .definitions:
            var table = Self.definitions
            table.content = .rows(dictionaries.flatMap(Self.rows))
            return table
        case .definition(let name, let number, let category, let place):
            let dictionary = dictionaries[number]
            let group = dictionary.categories[category]
            return SQLTable(name, group.definitions[place], of: group, in: dictionary)
        }
    }

    // MARK: definitions

    private static let definitions = SQLTable(
        name: "definitions", description: "The definitions of all dictionaries",
        columns: [
            SQLColumn("dictionary", .text, "The dictionary"),
            SQLColumn("event", .text, "Its key, CATEGORY/NAME"),
            SQLColumn("event_category", .text, "The first part of its key"),
            SQLColumn("event_name", .text, "The second part of its key"),
            SQLColumn("sent_as", .text, "What payloads call it"),
            SQLColumn("is_obsolete", .boolean, "Whether it should not be sent any more"),
            SQLColumn("description", .text, "What it means"),
            SQLColumn("parameters", .integer, "How many parameters it has, without the common ones"),
        ], content: .rows([]))

    private static func rows(_ dictionary: EventDictionary) -> [[SQLValue]] {
        dictionary.categories.flatMap { group in
            group.definitions.map { definition in
                [
                    .text(dictionary.options.name), .text(definition.key.description), .text(definition.key.category),
                    .text(definition.key.name), .text(definition.sentAs), .integer(definition.isObsolete ? 1 : 0),
                    .text(definition.description),
                    .integer(Int64(definition.parameters.count + group.parameters.count)),
                ]
            }
        }
    }
}

extension SQLTable {
    /// The table of a definition's events. Parameters have the names of columns that generated code has, too; what is known of
    /// the event itself begins with `gloss_`.
    fileprivate init(
        _ name: String, _ definition: Model.Definition, of category: DefinitionCategory, in dictionary: EventDictionary
    ) {
        var columns = Self.ofEvent
        var places: [ExactString: Int] = [:]
        var left: Set<ExactString> = []
        for layout in dictionary.options.layouts {
            for column in dictionary.columns(of: definition, in: category, layout: layout) {
                let paths = column.paths(in: layout)
                if let place = places[column.name] {
                    columns[place].add(paths)
                } else if columns.count == Self.maximumColumns {
                    left.insert(column.name)
                } else {
                    places[ExactString(column.name)] = columns.count
                    columns.append(SQLColumn(column, paths))
                }
            }
        }
        let isOfDictionary = Predicate.text(.dictionary, .among([ExactString(dictionary.options.name)]))
        var description = "\(definition.key.description): \(definition.description)"
        if !left.isEmpty {
            description += " (There is no room for \(left.count) of its parameters: they are in events.payload only.)"
        }
        self.init(
            name: name, description: description, columns: columns,
            content: .stored(
                .events, .text(.event, .among([ExactString(definition.key.description)])).and(isOfDictionary)))
        self.definition = Definition(dictionary: dictionary.options.name, event: definition.key.description)
    }

    /// SQLite permits no more, hidden ones included.
    private static let maximumColumns = 2000

    private static let ofEvent =
        [
            SQLColumn("gloss_id", .integer, "The number of the event, events.id", .id),
            SQLColumn("gloss_time", .text, "When it was sent, in UTC", .time),
        ] + SQLColumn.units(of: "gloss_time") + [
            SQLColumn("gloss_level", .text, "How severe it is: gloss_level >= 'err' are crit and so on, too", .level),
            SQLColumn("gloss_subsystem", .text, "Its subsystem", .text(.sender(.subsystem))),
            SQLColumn("gloss_category", .text, "Its category", .text(.sender(.category))),
            SQLColumn("gloss_host", .text, "The machine that it was sent on", .text(.sender(.host))),
            SQLColumn("gloss_identifier", .text, "What the sender calls itself", .text(.sender(.identifier))),
            SQLColumn("gloss_pid", .integer, "The sender's process id", .pid),
            SQLColumn("gloss_resolution", .text, "resolved or violating", .text(.resolution)),
            SQLColumn("gloss_violations", .integer, "How many rules of its definition it breaks", .violations),
        ]
}

extension SQLColumn {
    /// - Parameter paths: where payloads may have the value.
    fileprivate init(_ column: ParameterColumn, _ paths: Set<ExactString>) {
        let type = column.parameter.type.checked
        var notes = [column.parameter.typeText]
        if column.path != column.name { notes.append("payload.\(column.path)") }
        if column.parameter.isObsolete { notes.append("obsolete") }
        let text = column.parameter.description.joined(separator: " ")
        self.init(
            column.name, SQLType(column.parameter),
            (text.isEmpty ? "" : text + " ") + "(\(notes.joined(separator: ", ")))",
            .parameter(Predicate.ParameterPath(names: paths), isObject: type.mayBeObject))
    }

    fileprivate mutating func add(_ paths: Set<ExactString>) {
        guard case .parameter(var path, let isObject, let isExact) = source else { return }
        path.names.formUnion(paths)
        source = .parameter(path, isObject: isObject, isExact: isExact)
    }
}

extension ParameterColumn {
    fileprivate func paths(in layout: PayloadLayout) -> Set<ExactString> {
        isCommon ? Set(exact: layout.places(ofCommonParameter: path).map(\.text)) : [ExactString(path)]
    }
}

extension SQLType {
    fileprivate init(_ parameter: Parameter) {
        guard parameter.privacy == .public else {
            self = .text
            return
        }
        self =
            switch parameter.type.checked {
            case .smallint, .integer, .bigint: .integer
            case .real, .double: .real
            case .boolean: .boolean
            case .string, .date, .timestamp, .timestamptz, .any, .array, .custom: .text
            }
    }
}

extension ParameterType {
    fileprivate var mayBeObject: Bool { self == .any || object != nil }
}
