import Model

/// `GET /v1/checklists/{run}`: a run of a checklist, and what it has counted.
package struct ChecklistReply: Sendable, Hashable, Codable, DescribedObject {
    package enum State: String, Sendable, Codable, CaseIterable, ExampleValue { case running, stopped, held }

    /// What the whole, or a part of it, has come to.
    package enum Result: String, Sendable, Codable, CaseIterable, ExampleValue, Comparable {
        case failed, missing, done

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
    }

    package var name: String
    package var list: String
    package var description: String?
    package var state: State
    package var reason: String?
    package var result: Result
    package var startedAt: WireTime
    package var since: WireTime
    package var stoppedAt: WireTime?
    package var predicate: String?
    package var violating: String
    package var position: Int64
    package var behind: Int64
    package var done: Int
    package var total: Int
    package var items: [Item]
    package var orders: [Order]
    package var funnels: [Funnel]
    package var format: String?
    package var text: String?

    package init(
        name: String, list: String, description: String?, state: State, reason: String?, result: Result,
        startedAt: WireTime, since: WireTime, stoppedAt: WireTime?, predicate: String?, violating: String,
        position: Int64, behind: Int64, done: Int, total: Int, items: [Item], orders: [Order], funnels: [Funnel]
    ) {
        (self.name, self.list, self.description, self.state) = (name, list, description, state)
        (self.reason, self.result, self.startedAt, self.since) = (reason, result, startedAt, since)
        (self.stoppedAt, self.predicate, self.violating, self.position) = (stoppedAt, predicate, violating, position)
        (self.behind, self.done, self.total) = (behind, done, total)
        (self.items, self.orders, self.funnels) = (items, orders, funnels)
    }

    package static let object = ObjectDescription("Checklist", "A run of a checklist, and what it has counted", members)

    static let members = [
        member("name", \.name, "The name of the run", "release-ios"),
        member("list", \.list, "The name of its list", "release"),
        member("description", \.description, "What the list is for", nil),
        member(
            "state", \.state, "Held: a predicate of it cannot be used, and nothing is counted until it can be",
            .running),
        member("reason", \.reason, "Why it is held", nil),
        member(
            "result", \.result,
            "Done: all is. Failed: something that must not be was, which later events do not change",
            .missing),
        member("started_at", \.startedAt, "When it was started, or counted from the beginning again", .example),
        member("since", \.since, "Events that were sent from then on are counted", .example),
        member("stopped_at", \.stoppedAt, "When it was stopped; later events are not counted", nil),
        member(
            "predicate", \.predicate,
            "Which events it is about; left out for all, and for clients that may not see values in it",
            "app_version >= 25.4"),
        member(
            "violating", \.violating, "Whether events that violate their definition count as sent", "warn",
            as: .choice(of: Checklist.WhenViolating.self)),
        member("position", \.position, "The id of the last event that was looked at", 4711),
        member("behind", \.behind, "How many stored events were not looked at yet, at most", 0),
        member(
            "done", \.done, "How many items, orders and funnels are done, without items that must not be sent", 3),
        member("total", \.total, "How many there are", 5),
        member("items", \.items, "The events, in the order of the list"),
        member("orders", \.orders, "What has to be sent one after the other"),
        member("funnels", \.funnels, "What users send one after the other"),
        member("format", \.format, "The form of the text", "yaml", as: .choice(of: ChecklistFormat.self)),
        member("text", \.text, "The list, as it was when the run was started; not in streams", "items: [recipe/show]"),
    ]

    package struct Item: Sendable, Hashable, Codable, DescribedObject {
        package var name: String
        package var event: String
        package var predicate: String?
        package var min: Int
        package var max: Int?
        package var isDefined: Bool
        package var closest: String?
        package var result: Result
        package var count: Int64
        package var violating: Int64
        package var first: Sample?
        package var last: Sample?

        package init(
            name: String, event: String, predicate: String?, min: Int, max: Int?, isDefined: Bool, result: Result,
            count: Int64, violating: Int64, first: Sample?, last: Sample?
        ) {
            (self.name, self.event, self.predicate, self.min, self.max) = (name, event, predicate, min, max)
            (self.isDefined, self.result, self.count, self.violating) = (isDefined, result, count, violating)
            (self.first, self.last) = (first, last)
        }

        package static let object = ObjectDescription(
            "ChecklistItem", "An event that has to be sent, or must not be",
            [
                member("name", \.name, "The name of the item", "recipe/tap"),
                member("event", \.event, "The key of its events", "recipe/tap"),
                member("predicate", \.predicate, "What they meet besides", "payload.position == 0"),
                member("min", \.min, "How many it takes", 1),
                member("max", \.max, "How many there may be; 0 if none may be sent; left out for any number", nil),
                member("is_defined", \.isDefined, "Whether a dictionary defines the event", true),
                member(
                    "closest", \.closest, "If not, the defined key that is most similar; left out if none is", nil),
                member("result", \.result, "Failed: there are too many", .done),
                member("count", \.count, "How many were sent", 3),
                member("violating", \.violating, "How many of them violate their definition", 0),
                member("first", \.first, "The event that was sent first"),
                member("last", \.last, "The event that was sent last"),
            ])
    }

    /// An event that was counted. Retention may have removed it.
    package struct Sample: Sendable, Hashable, Codable, DescribedObject {
        package var id: Int64
        package var time: WireTime

        package init(id: Int64, time: WireTime) { (self.id, self.time) = (id, time) }

        package static let object = ObjectDescription(
            "ChecklistSample", "An event that was counted; retention may have removed it",
            [
                member("id", \.id, "Its id", 4711), member("time", \.time, "When it was sent", .example),
            ])
    }

    package struct Order: Sendable, Hashable, Codable, DescribedObject {
        package var steps: [String]
        package var withinSeconds: Double?
        package var result: Result
        package var problem: OrderProblem?

        package init(steps: [String], withinSeconds: Double?, result: Result, problem: OrderProblem?) {
            (self.steps, self.withinSeconds, self.result, self.problem) = (steps, withinSeconds, result, problem)
        }

        /// Gives an item another name.
        package mutating func rename(_ old: String, to new: String) {
            func renamed(_ name: String) -> String { name == old ? new : name }
            steps = steps.map(renamed)
            guard case .steps(let later, let text, let earlier)? = problem else { return }
            problem = .steps(later: renamed(later), text, earlier: renamed(earlier))
        }

        package static let object = ObjectDescription(
            "ChecklistOrder", "Items whose first events have to come one after the other",
            [
                member("steps", \.steps, "The names of the items", ["recipe/show", "recipe/tap"]),
                member("within_seconds", \.withinSeconds, "The longest time between one and the next", nil),
                member("result", \.result, "What it has come to", .done),
                member("problem", \.problem, "What is wrong, if it has failed", nil),
            ])
    }

    /// What is wrong with two steps of an order: a sentence in JSON, which clients do not take apart.
    package enum OrderProblem: Sendable, Hashable, Codable, ExampleValue, CustomStringConvertible {
        case steps(later: String, String, earlier: String)
        case sentence(String)

        package static var valueType: ValueType { .text }
        package var document: DocumentNode? { .text(description) }

        package var description: String {
            switch self {
            case .steps(let later, let text, let earlier): "\(later) \(text) \(earlier)"
            case .sentence(let text): text
            }
        }

        package init(from decoder: any Decoder) throws { self = .sentence(try String(from: decoder)) }
        package func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
    }

    package struct Funnel: Sendable, Hashable, Codable, DescribedObject {
        package var name: String
        package var by: String
        package var withinSeconds: Double?
        package var min: Int
        package var result: Result
        package var steps: [Step]
        package var isCut: Bool

        package init(
            name: String, by: String, withinSeconds: Double?, min: Int, result: Result, steps: [Step], isCut: Bool
        ) {
            (self.name, self.by, self.withinSeconds, self.min) = (name, by, withinSeconds, min)
            (self.result, self.steps, self.isCut) = (result, steps, isCut)
        }

        package static let object = ObjectDescription(
            "ChecklistFunnel", "Items whose events each user, or another subject, sends one after the other",
            [
                member("name", \.name, "Its name", "signup"),
                member("by", \.by, "The key of the subject", "user"),
                member("within_seconds", \.withinSeconds, "The longest time between one step and the next", nil),
                member("min", \.min, "How many subjects have to reach the last step", 1),
                member("result", \.result, "What it has come to", .missing),
                member("steps", \.steps, "The steps"),
                member("is_cut", \.isCut, "Whether there are more subjects than are counted", false),
            ])
    }

    package struct Step: Sendable, Hashable, Codable, DescribedObject {
        package var name: String
        package var reached: Int

        package init(name: String, reached: Int) { (self.name, self.reached) = (name, reached) }

        package static let object = ObjectDescription(
            "ChecklistStep", "A step of a funnel",
            [
                member("name", \.name, "The name of the item", "recipe/show"),
                member("reached", \.reached, "How many subjects have reached it, by all steps before it", 12),
            ])
    }
}

/// `GET /v1/checklists`: the runs, without what their items counted.
package struct ChecklistList: Sendable, Hashable, Codable, DescribedObject {
    package var checklists: [Run]

    package init(checklists: [Run]) { self.checklists = checklists }

    package static let object = ObjectDescription(
        "ChecklistList", "The runs of checklists", [member("checklists", \.checklists, "By name")])

    package struct Run: Sendable, Hashable, Codable, DescribedObject {
        package var name: String
        package var list: String
        package var state: ChecklistReply.State
        package var result: ChecklistReply.Result
        package var startedAt: WireTime
        package var done: Int
        package var total: Int

        package init(_ reply: ChecklistReply) {
            (name, list, state, result) = (reply.name, reply.list, reply.state, reply.result)
            (startedAt, done, total) = (reply.startedAt, reply.done, reply.total)
        }

        package static let object = ObjectDescription(
            "ChecklistRun", "A run of a checklist",
            [
                member("name", \.name, "The name of the run", "release-ios"),
                member("list", \.list, "The name of its list", "release"),
                member("state", \.state, "Whether it counts", .running),
                member("result", \.result, "What it has come to", .missing),
                member("started_at", \.startedAt, "When it was started", .example),
                member(
                    "done", \.done, "How many items, orders and funnels are done, without items that must not be sent",
                    3),
                member("total", \.total, "How many there are", 5),
            ])
    }
}
