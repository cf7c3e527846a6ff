import Model
import Predicates

extension EventQuery {
    /// Reads the part of a URL after the `?`.
    ///
    /// - Parameter urlQuery: the query, percent-encoded; `nil` if there is none. `+` means a space, as most HTTP
    ///   libraries write it.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value, and for
    ///   parameters that exclude each other. What the filter's values mean is found out later.
    package init(urlQuery: String?) throws(QueryError) {
        self.init()
        var seen: Set<Name> = []
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: QueryItems.lists) {
            if let parameter = FilterParameter(rawValue: name) {
                filter.add(value, to: parameter)
            } else if let name = Name(rawValue: name) {
                seen.insert(name)
                try set(name, to: value)
            }
        }
        try check(seen)
    }

    private mutating func set(_ name: Name, to value: String) throws(QueryError) {
        func checked<Value>(_ value: Value?, _ allowed: String) throws(QueryError) -> Value {
            try QueryItems.checked(value, of: name.rawValue, allowed)
        }
        switch name {
        case .n:
            let number = QueryItems.number(value, in: 0...Self.maximumLimit)
            limit = value == "all" ? nil : try checked(number, "a number from 0 to \(Self.maximumLimit), or all")
        case .order: order = try QueryItems.choice(value, of: name.rawValue)
        case .after: after = try checked(Self.id(value), "the id of an event, or 0")
        case .before: before = try checked(Self.id(value), "the id of an event")
        case .follow: follow = try QueryItems.flag(value, of: name.rawValue)
        case .late: late = try QueryItems.flag(value, of: name.rawValue)
        case .highlight: highlight = try QueryItems.text(value, of: name.rawValue, "a predicate")
        case .members:
            members = try checked(
                LineMembers(list: value),
                "names of members, separated by commas, of these: \(LineMembers.names.joined(separator: ", "))")
        }
    }

    private func check(_ given: Set<Name>) throws(QueryError) {
        guard follow else {
            guard late else { return }
            throw QueryError(
                parameter: "late", description: "goes with follow=true: a range has all events that are there",
                isUnprocessable: true)
        }
        let hasEnd = !filter[.until].isEmpty
        if let end = given.contains(.before) ? Name.before.rawValue : hasEnd ? FilterParameter.until.name : nil {
            throw QueryError(
                parameter: end, description: "does not go with follow=true, which has no end", isUnprocessable: true)
        }
        if given.contains(.order) && order == .newest {
            throw QueryError(parameter: "order", description: "must be oldest with follow=true", isUnprocessable: true)
        }
        if given.contains(.n) && limit == nil {
            throw QueryError(
                parameter: "n", description: "must be a number with follow=true; use after=0 for all",
                isUnprocessable: true)
        }
    }

    /// The id of an event in decimal digits, or 0.
    package static func id(_ text: String) -> Int64? { QueryItems.number(text, in: 0...Int64.max) }
}
