/// What has to be sent, and what must not, as a file of a team describes it. See docs/checklists.md.
package struct Checklist: Sendable, Hashable {
    @Exact package var name: String
    @Exact package var description = ""
    /// Which events it is about, as a predicate; `nil` for all.
    @Exact package var predicate: String?
    /// The line of the file that the predicate is in.
    package var predicateLine: Int?
    package var whenViolating = WhenViolating.warn
    /// At least one. Each has a name of its own.
    package var items: [Item] = []
    /// The lines of the file that the items are in.
    package var itemLines: [Int?] = []
    package var orders: [Order] = []
    package var funnels: [Funnel] = []

    package init(name: String) {
        self.name = name
    }

    /// What events that violate their definition do for an item.
    package enum WhenViolating: String, Sendable, CaseIterable {
        /// They count, and the item has a warning.
        case warn
        /// They do not count as sent.
        case refuse
    }

    package struct Item: Sendable, Hashable {
        @Exact package var name: String
        package var event: EventKey
        /// What its events meet besides, as a predicate.
        @Exact package var predicate: String?
        /// How many events it takes.
        package var minimum: Int
        /// How many there may be; `nil` for any number, 0 if none may be sent.
        package var maximum: Int?

        package init(name: String, event: EventKey, predicate: String? = nil, minimum: Int = 1, maximum: Int? = nil) {
            (self.name, self.event, self.predicate) = (name, event, predicate)
            (self.minimum, self.maximum) = (minimum, maximum)
        }

        package var isForbidden: Bool { maximum == 0 }
    }

    /// Items whose first events have to come one after the other.
    package struct Order: Sendable, Hashable {
        /// The places of the items; at least two.
        package var steps: [Int]
        /// The longest time between one and the next.
        package var within: Duration?

        package init(steps: [Int], within: Duration? = nil) { (self.steps, self.within) = (steps, within) }
    }

    /// Items whose events a user, or another subject, sends one after the other.
    package struct Funnel: Sendable, Hashable {
        @Exact package var name: String
        /// The places of the items; at least two.
        package var steps: [Int]
        /// The key of the subject, as in predicates.
        @Exact package var by: String
        /// The longest time between one step and the next.
        package var within: Duration?
        /// How many subjects have to reach the last step.
        package var minimum: Int

        package init(name: String, steps: [Int], by: String, within: Duration? = nil, minimum: Int = 1) {
            (self.name, self.steps, self.by) = (name, steps, by)
            (self.within, self.minimum) = (within, minimum)
        }
    }

    /// Returns what is wrong with the name of a list or a run, and what to write; `nil` if nothing is.
    package static func fault(ofName name: String) -> String? {
        let fault =
            if name.isEmpty {
                "the name is empty"
            } else if name.utf8.count > 100 {
                "the name has more than 100 bytes"
            } else if name.utf8.contains(UInt8(ascii: "/")) {
                "the name has a /"
            } else if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                "the name has a control character"
            } else if name == "." || name == ".." {
                "the name is only dots"
            } else {
                nil as String?
            }
        return fault.map { "\($0): write 1 to 100 bytes without / and control characters, other than . and .." }
    }

    /// The most items.
    package static let mostItems = 1000
    /// The most orders, and the most funnels.
    package static let mostSequences = 100
    /// The most steps of one.
    package static let mostSteps = 20
}

/// The forms that a checklist can be written in.
package enum ChecklistFormat: String, Sendable, CaseIterable {
    case yaml, markdown

    /// - Parameter file: the name of a file.
    package init?(file: String) {
        let parts = file.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        switch parts.count > 1 ? parts.last.map({ String(Substring($0)) }) : nil {
        case "yaml", "yml": self = .yaml
        case "md", "markdown": self = .markdown
        default: return nil
        }
    }
}
