/// The filter of `show`, `tail` and `GET /v1/events`. An event must match every property that is set; if the property
/// is a list, it must match one of its items.
package struct EventFilter: Sendable, Hashable {
    /// Globs (`*`, `?`); empty means any.
    @Exact package var subsystems: [String] = []
    /// Globs; empty means any.
    @Exact package var categories: [String] = []
    /// Globs on `CATEGORY/NAME` of the event's key; empty means any.
    @Exact package var events: [String] = []
    /// The least severe level: more severe events match too. It is compared with the program's own level, if that is known.
    package var level: Level?
    /// The earliest time, in microseconds since 1970, inclusive.
    package var sinceMicroseconds: UInt64?
    /// The latest time, in microseconds since 1970, inclusive.
    package var untilMicroseconds: UInt64?
    /// The earliest and the latest time of the program's own, in microseconds since 1970, inclusive. Events without such a
    /// time do not match.
    package var programSinceMicroseconds: UInt64?
    package var programUntilMicroseconds: UInt64?
    package var boots: [ID128] = []
    /// Globs on the sender's systemd unit; empty means any.
    @Exact package var units: [String] = []
    /// Globs on the sender's syslog identifier; empty means any.
    @Exact package var identifiers: [String] = []
    /// Globs on the host that the sender ran on; empty means any.
    @Exact package var hosts: [String] = []
    /// The sender's process ids; empty means any.
    package var pids: [Int32] = []
    package var resolutions: [Resolution] = []
    /// Conditions on the payload's parameters; all of them must hold.
    package var parameters: [ParameterCondition] = []
    /// A regular expression on the text of the payload or message.
    @Exact package var grep: String?
    /// Any other condition.
    package var predicate: Predicate?

    package init() {}

    /// Whether it has conditions that only the payloads can answer.
    package var looksIntoPayloads: Bool {
        grep != nil || !parameters.isEmpty || predicate?.looksIntoPayloads ?? false
    }

    /// Whether it has conditions that only stored events can answer. Counters know subsystems, categories, keys and
    /// resolutions, also of events that retention removed.
    package var isOnStoredEvents: Bool {
        let hasSender = !boots.isEmpty || !units.isEmpty || !identifiers.isEmpty || !hosts.isEmpty || !pids.isEmpty
        let hasTime =
            sinceMicroseconds != nil || untilMicroseconds != nil || programSinceMicroseconds != nil
            || programUntilMicroseconds != nil
        return looksIntoPayloads || hasSender || hasTime || level != nil || predicate != nil
    }
}

/// A condition that holds when a parameter with one of these names has one of these values.
package struct ParameterCondition: Sendable, Hashable {
    package var names: Set<ExactString>
    /// The text of a JSON string or, for other values, their JSON text.
    package var values: Set<ExactString>

    package init(names: Set<ExactString>, values: Set<ExactString>) {
        self.names = names
        self.values = values
    }
}

/// A pattern of `*` (any run of characters) and `?` (any one character), as everywhere in Gloss.
package struct Glob: Sendable, Hashable {
    package let pattern: String
    private let bytes: [UInt8]
    private let kind: Kind

    private enum Kind: Sendable, Hashable { case anything, exact, prefix, general }

    package init(_ pattern: String) {
        self.pattern = pattern
        let bytes = Array(pattern.utf8)
        let wild = bytes.indices.filter { bytes[$0] == UInt8(ascii: "*") || bytes[$0] == UInt8(ascii: "?") }
        self.bytes = bytes
        kind =
            if pattern == "*" {
                .anything
            } else if wild.isEmpty {
                .exact
            } else if wild == [bytes.count - 1] && bytes.last == UInt8(ascii: "*") {
                .prefix
            } else {
                .general
            }
    }

    /// The only text that it matches; `nil` when it may match others.
    package var exactText: String? { kind == .exact ? pattern : nil }

    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        switch kind {
        case .anything: true
        case .exact: text.elementsEqual(bytes)
        case .prefix: text.count >= bytes.count - 1 && text.starts(with: bytes.dropLast())
        case .general: matchesGenerally(text)
        }
    }

    /// Scans linearly: on a mismatch it returns to the last `*`, which then takes one more character.
    private func matchesGenerally(_ text: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        var pattern = 0
        var star: (pattern: Int, text: Int)?
        while at < text.count {
            if pattern < bytes.count, bytes[pattern] == UInt8(ascii: "*") {
                star = (pattern, at)
                pattern += 1
            } else if pattern < bytes.count, bytes[pattern] == UInt8(ascii: "?") {
                at = characterEnd(text, at)
                pattern += 1
            } else if pattern < bytes.count, bytes[pattern] == text[at] {
                at += 1
                pattern += 1
            } else if let last = star {
                at = last.text + 1
                star = (last.pattern, at)
                pattern = last.pattern + 1
            } else {
                return false
            }
        }
        return bytes[pattern...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Returns the end of the UTF-8 character at `start`, so that `?` matches one character and not one byte.
    private func characterEnd(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
