import Foundation

/// Something to look for, and which events it finds.
struct Probe: Sendable {
    var what: String
    /// As parameters of `/v1/events`.
    var query: String
    /// The same for `journalctl`; `nil` where it takes part in no comparison.
    var journalctl: [String]?
    var finds: @Sendable (Int) -> Bool

    init(_ what: String, _ query: String, journalctl: [String]? = nil, finds: @escaping @Sendable (Int) -> Bool) {
        self.what = what
        self.query = query
        self.journalctl = journalctl
        self.finds = finds
    }

    /// - Parameter predicate: what is asked.
    init(_ what: String, predicate: String, finds: @escaping @Sendable (Int) -> Bool) {
        let text = predicate.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        self.init(what, "predicate=\(text)", finds: finds)
    }

    func count(in events: Int) -> Int { (0..<events).count(where: finds) }
}

/// What is looked for in a workload.
struct WorkloadProbes: Sendable {
    /// Of each the newest 100, by journal category.
    var categories: [(what: String, category: String)]
    /// All of it is asked for; `nil` where that is not measured.
    var wholeCategory: String?
    var values: [Probe]
    var texts: [Probe]
    /// Regular expressions.
    var expressions: [Probe] = []
    /// Predicates, and how long each may take.
    var predicates: [(probe: Probe, goal: String)] = []
    /// Groups of events.
    var groups: [GroupProbe] = []
    /// The category of an event.
    var category: @Sendable (Int) -> String

    func newest(_ place: Int) -> Probe {
        let (what, category) = categories[place]
        return of(category: category, "newest 100 of \(what) category")
    }

    func of(category wanted: String, _ what: String) -> Probe {
        Probe(what, "category=\(wanted)", journalctl: ["CATEGORY=\(wanted)"]) { [category] in category($0) == wanted }
    }
}

/// Events in groups, and how many groups there are.
struct GroupProbe: Sendable {
    var what: String
    /// As parameters of `/v1/stats`.
    var query: String
    /// What makes the group of an event; `nil` where the number of groups is not checked.
    var group: (@Sendable (Int) -> String)?
    /// What a shell does instead, with entries of journalctl as its input; `nil` where it takes part in no comparison.
    var shell: String?
    var goal: String

    func count(in events: Int) -> Int? { group.map { group in Set((0..<events).map(group)).count } }
}

/// A filter of reports, and which events it takes.
struct WorkloadFilter: Sendable {
    var what: String
    /// As parameters of a report, of so many events.
    var query: @Sendable (Int) -> String
    /// - Parameters: an event, and how many there are.
    var takes: @Sendable (_ event: Int, _ events: Int) -> Bool
    /// Whether it asks for names that only events with a key have.
    var isOfKeys = false
}
