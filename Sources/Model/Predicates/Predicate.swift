/// A condition on events: what a filter, or the text of a predicate, means. Filters, the scan of the store, counters and
/// reports know only this form.
package indirect enum Predicate: Sendable, Hashable, Codable {
    /// All of them hold; none means any event.
    case all([Predicate])
    /// One of them holds; none means no event.
    case any([Predicate])
    case not(Predicate)
    /// A number of the event is in a range. An event without the number is in none.
    case number(NumberKey, ClosedRange<Int64>)
    /// One of the texts of the event passes a test.
    case text(TextKey, TextTest)
    /// It is one of these events.
    case identity(Identity)
    /// The text of the event passes a test: the message as it came, or the payload.
    case message(TextTest)
    /// A value in the payload passes a test.
    case parameter(ParameterPath, TextTest)
    /// A value that the event's journal entry has for a field passes a test. The entry is read again, which is slow. An entry
    /// that is no longer in the journal has no values.
    case journal(ExactString, TextTest)

    /// What is a number in every event.
    package enum NumberKey: Sendable, Hashable, CaseIterable, Codable {
        case id
        /// In microseconds since 1970.
        case time
        /// The time that the program says, in microseconds since 1970.
        case programTime
        /// 0 to 7; a lower number is more severe. What the program says goes before what the journal says.
        case level
        /// By the journal, or by the program.
        case journalLevel, programLevel
        case pid

        /// Whether its values are levels.
        package var isLevel: Bool { self == .level || self == .journalLevel || self == .programLevel }
    }

    /// What is a text, or may be several.
    package enum TextKey: Sendable, Hashable, Codable {
        case sender(SenderField)
        case boot
        case resolution
        case dictionary
        /// The version of the dictionary.
        case definitions
        /// `CATEGORY/NAME`
        case event
        case eventCategory, eventName
        case violationRule, violationParameter
        case warningRule, warningParameter
        /// Why it is malformed, or undefined although it has a definition.
        case reason
    }

    /// What only one event has.
    package enum Identity: Sendable, Hashable, Codable {
        case uids(Set<EventUID>)
        /// Of one entry, however its file numbers it.
        case cursor(JournalCursor)
    }

    /// Where a value stands in the payload.
    package struct ParameterPath: Sendable, Hashable, Codable {
        /// The names of members, with dots after the names of the objects that they are in. The value of any of them counts.
        package var names: Set<ExactString>
        /// The way from there through arrays.
        package var inner: [Step]

        package enum Step: Sendable, Hashable, Codable {
            /// From 0.
            case index(Int)
            case member(ExactString)
        }

        package init(names: Set<ExactString>, inner: [Step] = []) {
            (self.names, self.inner) = (names, inner)
        }
    }

    package static let everything = Predicate.all([])
    package static let nothing = Predicate.any([])
}

extension Predicate {
    /// Whether payloads have to be searched, or journal entries read.
    package var looksIntoPayloads: Bool {
        conditions.contains {
            switch $0 {
            case .message, .parameter, .journal: true
            case .all, .any, .not, .number, .text, .identity: false
            }
        }
    }

    /// Whether journal entries have to be read.
    package var readsJournal: Bool { conditions.contains { if case .journal = $0 { true } else { false } } }

    /// All conditions, at any depth.
    var conditions: [Predicate] {
        switch self {
        case .all(let parts), .any(let parts): parts.flatMap(\.conditions)
        case .not(let part): part.conditions
        case .number, .text, .identity, .message, .parameter, .journal: [self]
        }
    }

    /// Returns the predicate with other conditions.
    package func mapConditions<Failure>(
        _ body: (Predicate) throws(Failure) -> Predicate
    ) throws(Failure) -> Predicate {
        switch self {
        case .all(let parts): .all(try parts.map { part throws(Failure) in try part.mapConditions(body) })
        case .any(let parts): .any(try parts.map { part throws(Failure) in try part.mapConditions(body) })
        case .not(let part): .not(try part.mapConditions(body))
        case .number, .text, .identity, .message, .parameter, .journal: try body(self)
        }
    }
}

/// A test of a text, or of a value in a payload: the text of a JSON string, or the JSON text of another value.
package enum TextTest: Sendable, Hashable, Codable {
    /// There is one, and it is not null.
    case exists
    /// It is one of these.
    case among(Set<ExactString>, ignoresCase: Bool = false)
    /// It is before or behind another: numbers and versions by their size, other texts by their bytes.
    case ordered(Order, ExactString)
    /// It is this number, to fifteen digits, or a text that is, or `true` for 1 and `false` for 0.
    case number(Double)
    case matches(Match, ExactString, ignoresCase: Bool = false)

    package enum Order: String, Sendable, CaseIterable, Codable {
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
    }

    package enum Match: String, Sendable, CaseIterable, Codable {
        /// Has the text; of an array: has it as an element.
        case contains
        case beginsWith = "beginswith"
        case endsWith = "endswith"
        /// A `Glob` for the whole text.
        case like
        /// A regular expression of PCRE2 that is found in the text.
        case matches
    }
}

extension TextTest {
    /// Finds a regular expression. As in `journalctl --grep`, upper and lower case make no difference unless it has an
    /// upper-case letter of ASCII.
    /// - Source: pattern_compile_and_log() in systemd, which looks for `[[:upper:]]` in bytes
    package init(grep pattern: String) {
        let ignoresCase = !pattern.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        // Bytes are compared, which is much faster.
        let isPlain = !pattern.utf8.contains { #"\^$.|?*+()[]{}"#.utf8.contains($0) }
        self = .matches(isPlain ? .contains : .matches, ExactString(pattern), ignoresCase: ignoresCase)
    }

    /// The tests of which one is passed by a text that one of the patterns of `*` and `?` matches.
    package static func like(_ patterns: [String], ignoresCase: Bool = false) -> [TextTest] {
        let exact = patterns.filter { Glob($0).exactText != nil }
        let others = patterns.filter { Glob($0).exactText == nil }
        return (exact.isEmpty ? [] : [.among(Set(exact: exact), ignoresCase: ignoresCase)])
            + others.map { .matches(.like, ExactString($0), ignoresCase: ignoresCase) }
    }
}

/// Reads fields of journal entries again, for conditions on them.
package protocol JournalFieldSource: Sendable {
    /// Calls `body` with each value that entries have for a field, and the number of the entry in `places`. Entries that are
    /// no longer there, and fields that are damaged, have none. Blocks.
    /// - Parameter isWanted: asked before each entry; `false` ends the call.
    /// - Throws: what `body` throws; an error if an entry is not found, and files or folders cannot be read.
    func forEachValue(
        of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws
}
