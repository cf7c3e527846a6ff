import Model

/// Which members event lines have, besides `type` and `id`.
package struct LineMembers: Sendable, Hashable {
    /// Their places in the order of lines, the first one in the lowest bit.
    private let places: UInt64
    private let isAll: Bool

    package static let all = LineMembers(EventLine.order.names)
    /// The names of all members that an event line may have.
    package static var names: [String] { EventLine.order.names }

    /// - Parameter names: of members.
    init(_ names: [String]) {
        places = (names + ["type", "id"]).reduce(0) { $0 | 1 << UInt64(WireKey($1, in: EventLine.order).place ?? 0) }
        isAll = places.nonzeroBitCount == EventLine.order.names.count
    }

    /// The members of lines that are read: these, and what every `EventLine` has.
    /// - Parameter names: of members.
    package init(toRead names: [String]) { self.init(names + ["time", "level", "resolution"]) }

    /// Reads names that are separated by commas.
    /// - Returns: `nil` if one of them is no member.
    init?(list: String) {
        let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ EventLine.order.place(of: $0) != nil }) else { return nil }
        self.init(names)
    }

    /// The names, separated by commas.
    var list: String {
        EventLine.order.names.enumerated().filter { places >> UInt64($0.offset) & 1 == 1 }.map(\.element)
            .joined(separator: ",")
    }

    /// - Parameter key: looked at unless all members are wanted.
    @inline(__always)
    func contains(_ key: @autoclosure () -> WireKey) -> Bool {
        isAll || key().place.map { places >> UInt64($0) & 1 == 1 } ?? false
    }

    /// An event line of which any member but `type` and `id` may be absent.
    static let line = ObjectDescription(
        "ChosenEventLine", "An event: all members of EventLine, or those that the parameter members names",
        EventLine.object.members.map { member in
            var member = member
            if !["type", "id"].contains(member.name), !member.type.isOptional { member.type = .optional(member.type) }
            return member
        })
}

extension EventLine {
    /// The members of an event line, as `JSONWriter` writes them.
    static let order = WireOrder(
        [
            "type", "id", "uid", "time", "cursor", "level", "program_level", "program_time", "pid", "highlighted",
            "boot_id",
        ] + SenderField.allCases.map(\.name) + [
            "event", "dictionary", "definitions_version", "resolution", "violations", "warnings", "reason", "payload",
            "message", "raw_base64",
        ])
}

extension WireKey {
    private static func of(_ name: String) -> WireKey { WireKey(name, in: EventLine.order) }

    static let type = of("type")
    static let id = of("id")
    static let uid = of("uid")
    static let time = of("time")
    static let cursor = of("cursor")
    static let level = of("level")
    static let programLevel = of("program_level")
    static let programTime = of("program_time")
    static let pid = of("pid")
    static let highlighted = of("highlighted")
    static let bootID = of("boot_id")
    static let event = of("event")
    static let dictionary = of("dictionary")
    static let definitionsVersion = of("definitions_version")
    static let resolution = of("resolution")
    static let violations = of("violations")
    static let warnings = of("warnings")
    static let reason = of("reason")
    static let payload = of("payload")
    static let message = of("message")
    static let raw = of("raw_base64")

    static let senderFields = SenderField.allCases.map { (field: $0, key: of($0.name)) }
}
