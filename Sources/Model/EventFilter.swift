/// Which events are asked for: what `show`, `tail` and `GET /v1/events` filter by. An event must fit every part that is
/// set; within a part that is a list, one of its members.
package struct EventFilter: Sendable, Hashable {
    /// Globs (`*`, `?`); empty means any.
    @Exact package var subsystems: [String] = []
    /// Globs; empty means any.
    @Exact package var categories: [String] = []
    /// Globs on `CATEGORY/NAME` of the event's key; empty means any.
    @Exact package var events: [String] = []
    /// That level or a more severe one.
    package var level: Level?
    /// Microseconds since 1970, inclusive.
    package var sinceMicroseconds: UInt64?
    /// Microseconds since 1970, inclusive.
    package var untilMicroseconds: UInt64?
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
    /// What the payload's parameters must be; all of these must hold.
    package var parameters: [ParameterCondition] = []
    /// A regular expression on the text of the payload or message.
    @Exact package var grep: String?

    package init() {}

    /// Whether it asks for what only the payloads say.
    package var looksIntoPayloads: Bool { grep != nil || !parameters.isEmpty }

    /// Whether it asks for what is only known of stored events. Counters know subsystems, categories, keys and resolutions,
    /// also of events that retention removed.
    package var isOnStoredEvents: Bool {
        let hasSender = !boots.isEmpty || !units.isEmpty || !identifiers.isEmpty || !hosts.isEmpty || !pids.isEmpty
        return looksIntoPayloads || hasSender || sinceMicroseconds != nil || untilMicroseconds != nil || level != nil
    }
}

/// That a parameter of the payload has one of these names and one of these values.
package struct ParameterCondition: Sendable, Hashable {
    package var names: Set<ExactString>
    /// The text of a JSON string, or, of other values, their JSON text.
    package var values: Set<ExactString>

    package init(names: Set<ExactString>, values: Set<ExactString>) {
        self.names = names
        self.values = values
    }
}

/// How `*` (any run of characters) and `?` (any one character) are matched, everywhere in Gloss.
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

    /// The only text that it matches; `nil` when there may be others.
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

    /// The usual linear scan: on a mismatch go back to the last `*` and let it swallow one character more.
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

    /// Where the UTF-8 character at `start` ends, so that `?` matches one character, not one byte.
    private func characterEnd(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
