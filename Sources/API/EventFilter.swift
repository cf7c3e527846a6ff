package import Model
package import Predicates

/// The conditions of a request, as they were written. An event must meet all of them.
package struct EventFilter: Sendable, Hashable {
    private var values: [FilterParameter: [ExactString]] = [:]

    package init() {}

    /// The values of a parameter; at most one unless the parameter is a list.
    package subscript(parameter: FilterParameter) -> [String] {
        get { (values[parameter] ?? []).map { $0.text } }
        set { values[parameter] = newValue.isEmpty ? nil : newValue.map { ExactString($0) } }
    }

    package mutating func add(_ value: String, to parameter: FilterParameter) {
        values[parameter, default: []].append(ExactString(value))
    }

    /// The parameters that have values, in the order of `FilterParameter`.
    package var parameters: [FilterParameter] { FilterParameter.allCases.filter { values[$0] != nil } }

    /// The conditions as URL parameters, not percent-encoded.
    package var items: [(name: String, value: String)] {
        parameters.flatMap { parameter in self[parameter].map { (parameter.name, $0) } }
    }

    /// Whether what it means depends on the dictionaries.
    package var asksForDefinitions: Bool {
        parameters.contains { [.user, .device, .where, .predicate].contains($0) }
    }

    /// Returns what it means.
    /// - Parameter check: finds what else may be wrong with the predicate of a parameter.
    /// - Throws: `QueryError` for a value that means nothing.
    package func predicate(
        _ times: TimeExpression, _ names: PredicateBinder.Names,
        check: (Predicate, FilterParameter) throws(QueryError) -> Void = { _, _ in }
    ) throws(QueryError) -> Predicate {
        var whole = Predicate.everything
        for parameter in parameters {
            let part: Predicate
            do throws(PredicateError) {
                let values = parameter.isTime ? self[parameter].map(Self.timeExpression) : self[parameter]
                part = try parameter.predicate(values, times, names)
            } catch {
                throw QueryError(parameter, error)
            }
            try check(part, parameter)
            whole = whole.and(part)
        }
        return whole
    }

    /// Returns what `TimeExpression` understands for a time of the API, and other texts as they are.
    private static func timeExpression(_ text: String) -> String {
        QueryItems.time(text).map(TimeExpression.text) ?? text
    }
}

extension QueryError {
    /// - Parameter error: of a value of the parameter.
    fileprivate init(_ parameter: FilterParameter, _ error: PredicateError) {
        // Only predicates are long enough for a place in them to say more than the value.
        let description =
            switch parameter.form {
            case .predicate: "is not understood: \(error)"
            case .like, .equal, .ordered, .member, .grep: "is not understood: \(error.reason)"
            }
        self.init(parameter: parameter.name, description: description, isUnprocessable: parameter.isFree)
    }
}

extension FilterParameter {
    /// Whether no schema says which values are wrong: times, levels, what definitions say, and predicates.
    fileprivate var isFree: Bool {
        if case .role = key?.meaning { return true }
        return isTime || self == .level || self == .predicate
    }
}
