import Model
import Predicates

extension EventQuery {
    /// Reads the part of a URL after the `?`.
    ///
    /// - Parameter urlQuery: the query, percent-encoded; `nil` if there is none. `+` means a space, as most HTTP
    ///   libraries write it.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value, and for
    ///   parameters that exclude each other.
    package init(urlQuery: String?) throws(QueryError) {
        self.init()
        let lists = Name.allCases.filter(\.isList).map(\.rawValue)
        var seen: Set<Name> = []
        for item in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: Set(exact: lists)) {
            if let name = Name(rawValue: item.name) { seen.insert(name) }
            try set(item.name, to: item.value)
        }
        try check(seen)
    }

    /// - Parameter name: one of `parameterNames`.
    mutating func set(_ name: String, to value: String) throws(QueryError) {
        guard let name = Name(rawValue: name) else { return }
        try set(name, to: value)
    }

    private mutating func set(_ name: Name, to value: String) throws(QueryError) {
        func checked<Value>(_ value: Value?, _ allowed: String) throws(QueryError) -> Value {
            guard let value else { throw QueryError(parameter: name.rawValue, description: "must be \(allowed)") }
            return value
        }
        switch name {
        case .subsystem: filter.subsystems.append(value)
        case .category: filter.categories.append(value)
        case .event:
            let isPair = value.utf8.contains(UInt8(ascii: "/"))
            filter.events.append(try checked(isPair ? value : nil, "CATEGORY/NAME, with * and ? as wildcards"))
        case .level:
            filter.level = try checked(Self.level(value), "one of \(oneOf(Level.allCases.map(\.name))), or 0 to 7")
        case .since: filter.sinceMicroseconds = try checked(Self.time(value), Self.allowedTimes)
        case .until: filter.untilMicroseconds = try checked(Self.time(value), Self.allowedTimes)
        case .programSince:
            filter.programSinceMicroseconds = try checked(Self.time(value), Self.allowedTimes)
        case .programUntil:
            filter.programUntilMicroseconds = try checked(Self.time(value), Self.allowedTimes)
        case .boot: filter.boots.append(try checked(ID128(value), "a boot id: 32 hexadecimal digits"))
        case .unit: filter.units.append(value)
        case .identifier: filter.identifiers.append(value)
        case .host: filter.hosts.append(value)
        case .pid:
            let pid = QueryItems.number(value, in: 0...Int64(Int32.max)).map { Int32($0) }
            filter.pids.append(try checked(pid, "a process id"))
        case .resolution:
            let names = oneOf(Resolution.allCases.map(\.rawValue))
            filter.resolutions.append(try checked(Resolution(rawValue: value), "one of \(names)"))
        case .user: users.append(value)
        case .device: devices.append(value)
        case .where:
            filter.parameters.append(
                try checked(
                    ParameterCondition(value), "NAME=VALUE, and the name has letters, digits, _, - and . only"))
        case .grep: filter.grep = try checked(value.isEmpty ? nil : value, "a regular expression")
        case .predicate:
            do throws(PredicateError) {
                _ = try PredicateParser.parse(value)
            } catch {
                throw QueryError(
                    parameter: name.rawValue, description: "is not a predicate: \(error)", isUnprocessable: true)
            }
            predicate = value
        case .n:
            limit =
                value == "all" ? nil : try checked(Self.count(value), "a number from 0 to \(Self.maximumLimit), or all")
        case .order: order = try checked(Order(rawValue: value), "oldest or newest")
        case .after: after = try checked(Self.id(value), "the id of an event, or 0")
        case .before: before = try checked(Self.id(value), "the id of an event")
        case .follow: follow = try checked(Self.flag(value), "true or false")
        case .late: late = try checked(Self.flag(value), "true or false")
        }
    }

    private func check(_ given: Set<Name>) throws(QueryError) {
        guard follow else {
            guard late else { return }
            throw QueryError(
                parameter: "late", description: "goes with follow=true: a range has all events that are there",
                isUnprocessable: true)
        }
        for name in [Name.before, .until] where given.contains(name) {
            throw QueryError(
                parameter: name.rawValue, description: "does not go with follow=true, which has no end",
                isUnprocessable: true)
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

    private func oneOf(_ names: [String]) -> String { names.joined(separator: ", ") }

    static let allowedTimes =
        "a time such as 2026-11-21T01:00:00Z (RFC 3339), or microseconds since 1970"

    /// - Returns: microseconds since 1970; `nil` if the text is not one of `allowedTimes`.
    static func time(_ text: String) -> UInt64? {
        if QueryItems.isNumber(text) { return UInt64(text) }
        if let time = WireTime(text) { return time.microseconds }
        // The "+" of an offset that was not percent-encoded has become a space. No other space is possible near the
        // end.
        guard let space = text.lastIndex(of: " ") else { return nil }
        return WireTime("\(text[..<space])+\(Substring(text.utf8[space...].dropFirst()))")?.microseconds
    }

    private static let maximumLimit: Int64 = 999_999_999_999_999

    private static func count(_ text: String) -> Int? {
        QueryItems.number(text, in: 0...maximumLimit).map { Int($0) }
    }

    /// The id of an event in decimal digits, or 0.
    package static func id(_ text: String) -> Int64? { QueryItems.number(text, in: 0...Int64.max) }

    private static func level(_ text: String) -> Level? {
        Level.allCases.first { $0.name == text || String($0.rawValue) == text }
    }

    private static func flag(_ text: String) -> Bool? {
        switch text {
        case "true": true
        case "false": false
        default: nil
        }
    }
}
