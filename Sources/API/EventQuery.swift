package import Model

/// The query of `GET /v1/events`.
package struct EventQuery: Sendable, Hashable {
    package enum Order: String, Sendable, CaseIterable { case oldest, newest }

    package var filter = EventFilter()
    /// A predicate, as it was written.
    @Exact package var predicate: String?
    /// Values of the parameters with the role `user`; an event needs one of them.
    package var users: [String] = []
    /// Values of the parameters with the role `device`; an event needs one of them.
    package var devices: [String] = []
    /// The most events in the reply; see `isByTime`. `nil` means `n=all`. For a tail: how many stored events come
    /// first.
    package var limit: Int? = 100
    /// Which events come first. Tails always begin with the oldest.
    package var order = Order.newest
    /// Selects events after the one with this id.
    package var after: Int64?
    /// Selects events before the one with this id.
    package var before: Int64?
    /// A tail: the last `limit` events (or with `after`, all that follow it), then live ones until the client leaves.
    package var follow = false
    /// For a tail: whether it includes events that were sent before it began and are read while it runs.
    package var late = false

    package init() {}

    /// Whether the query selects the `limit` events that were sent last, ordered by time. All other queries select
    /// events in the order in which they were read. The two orders differ when journal files are read late.
    package var isByTime: Bool { limit != nil && after == nil && before == nil }
}

extension EventQuery {
    /// The names of all query parameters.
    package static let parameterNames = Name.allCases.map(\.rawValue)

    enum Name: String, CaseIterable {
        case subsystem, category, event, level, since, until
        case programSince = "program_since"
        case programUntil = "program_until"
        case boot, unit, identifier, host, pid, resolution, user, device
        case `where`, grep, predicate
        case n, order, after, before, follow, late

        /// Whether the parameter may be repeated. An event needs one of the values; only of `where` it needs all.
        var isList: Bool {
            switch self {
            case .subsystem, .category, .event, .boot, .unit, .identifier, .host, .pid, .resolution, .user, .device,
                .where:
                true
            case .level, .since, .until, .programSince, .programUntil, .grep, .predicate, .n, .order, .after, .before,
                .follow,
                .late:
                false
            }
        }
    }

    /// The query as URL parameters, not percent-encoded; parameters with their default values are left out.
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
        add(.programSince, filter.programSinceMicroseconds.map(String.init))
        add(.programUntil, filter.programUntilMicroseconds.map(String.init))
        add(.boot, filter.boots.map(\.description))
        add(.unit, filter.units)
        add(.identifier, filter.identifiers)
        add(.host, filter.hosts)
        add(.pid, filter.pids.map(String.init))
        add(.resolution, filter.resolutions.map(\.rawValue))
        add(.user, users)
        add(.device, devices)
        add(.where, filter.parameters.map(\.text))
        add(.grep, filter.grep)
        add(.predicate, predicate)
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
    /// A regular expression for names: ASCII letters, digits, `_`, `-` and `.`, and all non-ASCII characters.
    /// Definitions allow fewer, but undefined payloads have other names. Operators of other query languages, and
    /// spaces, are excluded.
    package static let namePattern = #"[^\u0000-,/:-@\[-^`{-\u007f]+"#

    /// Whether `namePattern` allows a byte.
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

    /// The text that the condition was made from.
    package var text: String { "\(names.first ?? "")=\(values.first ?? "")" }
}
