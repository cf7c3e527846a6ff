import Model
import Predicates

/// The query of a request: what the part of a URL after the `?` may say.
package protocol APIQuery: Sendable, Hashable {
    /// The query without any parameter.
    init()

    /// Its parameters: reading, writing and the OpenAPI document follow this list.
    static var fields: [QueryField<Self>] { get }

    /// Checks what no parameter shows by itself.
    /// - Parameter given: the names of the parameters in the URL.
    /// - Throws: `QueryError` for a parameter that is missing or conflicts with others.
    func check(_ given: [String]) throws(QueryError)
}

extension APIQuery {
    /// Reads the part of a URL after the `?`.
    ///
    /// - Parameter urlQuery: the query, percent-encoded; `nil` if there is none. `+` means a space, as most HTTP
    ///   libraries write it.
    /// - Throws: `QueryError` for a parameter that does not exist, is missing or repeated, or has an invalid value, and for
    ///   parameters that exclude each other. What predicates, keys, statements and the values of filters mean is found out
    ///   later.
    package init(urlQuery: String?) throws(QueryError) { try self.init(urlQuery, Self.fields) }

    /// - Parameter fields: those that the query may have.
    init(_ urlQuery: String?, _ fields: [QueryField<Self>]) throws(QueryError) {
        self.init()
        let items = try QueryItems.parse(urlQuery, fields)
        for (field, value) in items { try field.read(value, &self) }
        try check(items.map(\.field.name))
    }

    package func check(_ given: [String]) throws(QueryError) {}

    /// The query as URL parameters, not percent-encoded; parameters with their default values are left out.
    package var parameters: [(name: String, value: String)] { Self.fields.flatMap { $0.items(of: self) } }

    package static var documentation: [QueryParameter] { fields.map { $0.parameter() } }

    /// The parameters of a filter, and others.
    static func withFilter(
        _ filter: @escaping QueryField<Self>.Property<EventFilter>, _ others: [QueryField<Self>]
    ) -> [QueryField<Self>] {
        FilterParameter.allCases.map { QueryField($0, filter) } + others
    }
}

/// A parameter of a query.
package struct QueryField<Query: APIQuery>: Sendable {
    package let name: String
    /// Whether it may be repeated.
    let isList: Bool
    /// What the OpenAPI document says.
    let parameter: @Sendable () -> QueryParameter
    let read: @Sendable (_ value: String, _ query: inout Query) throws(QueryError) -> Void
    /// Returns the values in a query; none for its default.
    private let write: @Sendable (Query) -> [String]

    func items(of query: Query) -> [(name: String, value: String)] { write(query).map { (name, $0) } }

    /// Lends a property of a query to a function: `{ $1(&$0.limit) }`. With key paths, the start of glossctl would take 0.1 ms
    /// longer, since their classes are made at run time.
    typealias Property<Value> = @Sendable (inout Query, (inout Value) -> Void) -> Void

    fileprivate init(_ filter: FilterParameter, _ property: @escaping Property<EventFilter>) {
        name = filter.name
        isList = filter.isList
        parameter = { QueryParameter(filter) }
        read = { value, query in property(&query) { $0.add(value, to: filter) } }
        write = { query in
            var (query, values) = (query, [String]())
            property(&query) { values = $0[filter] }
            return values
        }
    }

    /// - Parameter values: returns those in a property, which may have its default value.
    private init<Value, Whole>(
        _ name: String, _ property: @escaping Property<Whole>, _ form: QueryForm<Value>,
        _ description: @escaping @Sendable () -> String, _ example: DocumentNode, isList: Bool = false,
        isRequired: Bool = false, add: @escaping @Sendable (Value, inout Whole) -> Void,
        values: @escaping @Sendable (Whole, _ usual: Whole) -> [Value]
    ) {
        self.name = name
        self.isList = isList
        parameter = {
            QueryParameter(
                name: name, description: description(), isList: isList, isRequired: isRequired, schema: form.schema(),
                example: example)
        }
        read = { text, query throws(QueryError) in
            let value = try form.value(text, of: name)
            property(&query) { add(value, &$0) }
        }
        write = { query in
            var (query, usual, found) = (query, Query(), [Value]())
            property(&query) { whole in property(&usual) { found = values(whole, $0) } }
            return found.map { form.write($0) }
        }
    }

    /// A parameter with a default value.
    static func value<Value: Equatable>(
        _ name: String, _ property: @escaping Property<Value>, _ form: QueryForm<Value>,
        _ description: @autoclosure @escaping @Sendable () -> String, example: DocumentNode, isRequired: Bool = false
    ) -> Self {
        Self(
            name, property, form, description, example, isRequired: isRequired, add: { $1 = $0 },
            values: { $0 == $1 ? [] : [$0] })
    }

    /// A parameter without which its property is `nil`.
    static func optional<Value>(
        _ name: String, _ property: @escaping Property<Value?>, _ form: QueryForm<Value>,
        _ description: @autoclosure @escaping @Sendable () -> String, example: DocumentNode
    ) -> Self {
        Self(
            name, property, form, description, example, add: { $1 = $0 },
            values: { value, _ in value.map { [$0] } ?? [] })
    }

    /// A parameter that may be repeated.
    static func list<Value>(
        _ name: String, _ property: @escaping Property<[Value]>, _ form: QueryForm<Value>,
        _ description: @autoclosure @escaping @Sendable () -> String, example: DocumentNode
    ) -> Self {
        Self(
            name, property, form, description, example, isList: true, add: { $1.append($0) },
            values: { whole, _ in whole })
    }
}
