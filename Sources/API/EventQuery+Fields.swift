import Model
import Predicates

extension EventQuery: APIQuery {
    package static let highlightName = "highlight"

    package static let fields: [QueryField<Self>] = withFilter(
        { $1(&$0.filter) },
        [
            .value(
                "n", { $1(&$0.limit) }, .numberOrAll(maximumLimit),
                """
                The number of events: those that were sent last, ordered by time; \(usualLimit) by default. With all, after or \
                before, events come in the order in which they were read, and n is the most of them. For a tail: the \
                number of stored events that come first
                """, example: "10"),
            .value(
                "order", { $1(&$0.order) }, .choice, "Which events come first; newest by default", example: "oldest"),
            .optional(
                "after", { $1(&$0.after) }, .number(0...Int64.max, "the id of an event, or 0"),
                "Only events after the one with this id; a tail continues there and ignores n", example: 1),
            .optional("before", { $1(&$0.before) }, id, "Only events before the one with this id", example: 3),
            .value(
                "follow", { $1(&$0.follow) }, .flag,
                "A tail, oldest first; before, until, order=newest and n=all cannot be used with it", example: "false"),
            .value(
                "late", { $1(&$0.late) }, .flag,
                """
                For a tail: whether it includes events that were sent before it began and are read while it runs, from \
                a journal file that is read late. Without it, lines of type late count them
                """, example: "false"),
            .optional(
                highlightName, { $1(&$0.highlight) }, .text("a predicate"),
                "Predicate: lines of events that match it have the member highlighted; it leaves none out",
                example: "level == err"),
            .value(
                "members", { $1(&$0.members) }, members,
                """
                The members that event lines have, separated by commas; all by default. type and id are always there, and those \
                without a value never
                """, example: "time,level,event,payload"),
        ])

    package static let id = QueryForm.number(0...Int64.max, "the id of an event")

    private static let members = QueryForm<LineMembers>(
        schema: memberSchema,
        allowed: "names of members, separated by commas, of these: \(LineMembers.names.joined(separator: ", "))",
        read: { LineMembers(list: $0) }, write: { $0.list })

    private static var memberSchema: DocumentNode {
        let names = LineMembers.names.joined(separator: "|")
        return .pattern("^(\(names))(,(\(names)))*$")
    }

    package func check(_ given: [String]) throws(QueryError) {
        guard follow else {
            guard late else { return }
            throw QueryError(
                parameter: "late", description: "goes with follow=true: a range has all events that are there",
                isUnprocessable: true)
        }
        let hasEnd = !filter[.until].isEmpty
        if let end = before != nil ? "before" : hasEnd ? FilterParameter.until.name : nil {
            throw QueryError(
                parameter: end, description: "does not go with follow=true, which has no end", isUnprocessable: true)
        }
        if given.contains("order") && order == .newest {
            throw QueryError(parameter: "order", description: "must be oldest with follow=true", isUnprocessable: true)
        }
        if limit == nil {
            throw QueryError(
                parameter: "n", description: "must be a number with follow=true; use after=0 for all",
                isUnprocessable: true)
        }
    }
}
