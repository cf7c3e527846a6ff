import JSON
package import Model

/// A line of the NDJSON of `GET /v1/verify`, as clients read it.
package enum VerificationLine: Sendable, Hashable {
    /// The part of the entries that was examined, from 0 to 100, and what was found so far, without examples.
    case progress(percent: Double, JournalVerification)
    /// The last line.
    case result(JournalVerification)
    /// Something failed: the last line.
    case error(Problem)
    /// A line of a newer daemon, to be ignored.
    case other

    /// Reads one line, with or without its line break.
    /// - Throws: `StreamLineError` if it is not such a line. Unknown keys are ignored.
    package static func parse(_ line: [UInt8]) throws(StreamLineError) -> VerificationLine {
        let object = try WireObject(line)
        switch try object.string("type") {
        case "progress": return .progress(percent: try object.number("percent"), try JournalVerification(object))
        case "verification": return .result(try JournalVerification(object))
        case "error": return .error(try object.object("problem").decode(Problem.self))
        default: return .other
        }
    }
}

extension VerificationLine {
    package static let stream = StreamDescription(
        name: "VerificationStreamLine", summary: "One line of the stream of a verification",
        lines: [
            ObjectDescription(
                "VerificationProgressLine", "What has been found so far",
                [
                    .type("progress"),
                    MemberDescription(
                        name: "percent", type: .number, text: "How many of the entries were examined, from 0 to 100",
                        example: 50),
                ] + JournalVerification.members),
            ObjectDescription(
                "VerificationLine", "What was found: the last line",
                [
                    .type("verification"),
                    MemberDescription(
                        name: "whole", type: .flag, text: "Whether everything is accounted for", example: false),
                ] + JournalVerification.members + [
                    MemberDescription(
                        name: "examples", type: .list(.text),
                        text: "The first of the unexplained and unreadable things, as sentences",
                        example: ["not in the store: \(JournalCursor.example)"])
                ]),
            Problem.line,
        ])
}

extension JournalVerification {
    private typealias Count = (
        name: String, property: any WritableKeyPath<JournalVerification, Int64> & Sendable, text: String,
        example: DocumentNode
    )

    /// The numbers in the lines, in their order.
    private static let counts: [Count] = [
        ("stored", \.stored, "Entries whose events are in the store", 512_339),
        ("skipped", \.skipped, "Entries that no source takes with the current settings", 690_000),
        ("duplicates", \.duplicates, "Entries that a full file has half-written and the next file has whole", 55),
        (
            "expired", \.expired,
            "Entries older than events are kept, or older than the oldest events that retention has left", 1000
        ),
        ("damaged", \.damaged, "Entries that cannot be read, with gap records that say so", 5),
        (
            "unexplained", \.unexplained,
            "Entries that should be in the store and are not, or that cannot be read without a gap record that says so",
            1
        ),
        ("missing", \.missing, "Sequence numbers that no file has and that gap records name", 12),
        (
            "unexplained_numbers", \.unexplainedNumbers,
            "Sequence numbers that no file has, no gap record names and no earlier read has seen", 0
        ),
        ("unread", \.unread, "Entries that had not been read when the verification began", 12),
        ("unreadable_files", \.unreadableFiles, "Files and folders that cannot be read", 0),
    ]

    fileprivate static let members =
        [
            MemberDescription(
                name: "entries", type: .integer,
                text: "The number of entries that were examined: the sum of the next six numbers", example: 1_203_400)
        ]
        + counts.map { MemberDescription(name: $0.name, type: .integer, text: $0.text, example: $0.example) }

    fileprivate init(_ object: WireObject) throws(StreamLineError) {
        self.init()
        for count in Self.counts {
            self[keyPath: count.property] = try object.integer(WireKey(stringLiteral: count.name))
        }
        examples = try object.strings("examples")
    }

    fileprivate func writeCounts(to json: inout JSONWriter) {
        json.member("entries", entries)
        for count in Self.counts {
            json.key(count.name)
            json.integer(self[keyPath: count.property])
        }
    }
}

extension JSONWriter {
    mutating func append(_ found: JournalVerification, percent: Double) {
        beginObject()
        member("type", "progress")
        key("percent")
        double((percent * 10).rounded() / 10)
        found.writeCounts(to: &self)
        endObject()
    }

    mutating func append(_ result: JournalVerification) {
        beginObject()
        member("type", "verification")
        member("whole", result.isWhole)
        result.writeCounts(to: &self)
        key("examples")
        beginArray()
        for example in result.examples { string(example) }
        endArray()
        endObject()
    }
}

/// The query of `GET /v1/verify`.
package struct VerifyQuery: APIQuery {
    /// Selects entries written at or after this time, in microseconds since 1970; `nil` selects all.
    package var sinceMicroseconds: UInt64?

    package init() {}

    package init(sinceMicroseconds: UInt64) { self.sinceMicroseconds = sinceMicroseconds }

    package static let fields: [QueryField<Self>] = [
        .optional(
            "since", { $1(&$0.sinceMicroseconds) }, .time,
            "Only entries not written before this time: RFC 3339, or microseconds since 1970",
            example: "2026-11-21T01:00:00Z")
    ]
}
