package import Model

/// What `GET /v1/events` is asked for.
package struct EventQuery: Sendable, Hashable {
    package enum Order: String, Sendable, CaseIterable { case oldest, newest }

    package var filter = EventFilter()
    /// Values of the parameters that definitions call `user`; any of them.
    package var users: [String] = []
    /// Values of the parameters that definitions call `device`; any of them.
    package var devices: [String] = []
    /// How many events at most, see `isByTime`; `nil` is `n=all`. Of a tail: how many that are there already come first.
    package var limit: Int? = 100
    /// Which come first. Tails are always oldest first.
    package var order = Order.newest
    /// Only events after this one.
    package var after: Int64?
    /// Only events before this one.
    package var before: Int64?
    /// A tail: the last `limit` events (or with `after`, all that follow it), then live ones until the client leaves.
    package var follow = false
    /// Of a tail: whether events are shown that come while it runs and were sent before it began.
    package var late = false

    package init() {}

    /// Whether it asks for the `limit` events that were sent last, in the order of time. All other queries get theirs in the
    /// order of arrival, those that come first: files may be read late, and what came last need not have been sent last.
    package var isByTime: Bool { limit != nil && after == nil && before == nil }
}

extension EventQuery {
    /// The names of all parameters, as URLs have them.
    package static let parameterNames = Name.allCases.map(\.rawValue)

    enum Name: String, CaseIterable {
        case subsystem, category, event, level, since, until, boot, unit, identifier, host, pid, resolution, user,
            device
        case parameter, grep
        case n, order, after, before, follow, late

        /// Whether it may occur more than once; any of its values will do then, but of `parameter` all must hold.
        var isList: Bool {
            switch self {
            case .subsystem, .category, .event, .boot, .unit, .identifier, .host, .pid, .resolution, .user, .device,
                .parameter:
                true
            case .level, .since, .until, .grep, .n, .order, .after, .before, .follow, .late: false
            }
        }
    }

    /// The query as URL parameters, not yet percent-encoded; what is at its default is left out.
    package var parameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        func add(_ name: Name, _ values: [String]) {
            parameters += values.map { (name.rawValue, $0) }
        }
        func add(_ name: Name, _ value: String?) {
            add(name, value.map { [$0] } ?? [])
        }
        let defaults = EventQuery()
        add(.subsystem, filter.subsystems)
        add(.category, filter.categories)
        add(.event, filter.events)
        add(.level, filter.level?.name)
        add(.since, filter.sinceMicroseconds.map(String.init))
        add(.until, filter.untilMicroseconds.map(String.init))
        add(.boot, filter.boots.map(\.description))
        add(.unit, filter.units)
        add(.identifier, filter.identifiers)
        add(.host, filter.hosts)
        add(.pid, filter.pids.map(String.init))
        add(.resolution, filter.resolutions.map(\.rawValue))
        add(.user, users)
        add(.device, devices)
        add(.parameter, filter.parameters.map(\.text))
        add(.grep, filter.grep)
        if limit != defaults.limit { add(.n, limit.map(String.init) ?? "all") }
        if order != defaults.order { add(.order, order.rawValue) }
        add(.after, after.map(String.init))
        add(.before, before.map(String.init))
        if follow { add(.follow, "true") }
        if late { add(.late, "true") }
        return parameters
    }
}

extension ParameterCondition {
    /// What a name consists of, as a regular expression: ASCII letters, digits, `_`, `-` and `.`, and whatever is not
    /// ASCII. Definitions allow less, but payloads that nobody defined have other names. Signs that other languages compare
    /// by, and spaces, are in none.
    package static let namePattern = #"[^\u0000-,/:-@\[-^`{-\u007f]+"#

    /// The same of one byte.
    package static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    /// - Parameter text: `NAME=VALUE`
    package init?(_ text: String) {
        guard let parts = text.parts(at: "="), !parts.before.isEmpty, parts.before.utf8.allSatisfy(Self.isNameByte)
        else { return nil }
        self.init(names: [ExactString(String(parts.before))], values: [ExactString(String(parts.after))])
    }

    /// Of a condition that was made of a text.
    package var text: String { "\(names.first ?? "")=\(values.first ?? "")" }
}
