package import Model

/// A gap record: `{"type":"gap","id":3,"after":4711,"cause":"deleted",…}`.
package struct GapLine: Sendable, Hashable, Codable, DescribedObject {
    package var id: Int64
    package var after: Int64
    package var cause: String
    package var time: WireTime
    package var count: UInt64?
    package var certainty: String
    package var from: String?
    package var to: String?
    package var file: FilePart?
    package var numbers: Numbers?
    package var message: String

    /// A part of a journal file: a half-open range of bytes.
    package struct FilePart: Sendable, Hashable, Codable, DescribedObject {
        package var id: String
        package var path: String
        package var from: UInt64
        package var to: UInt64

        package init(id: String, path: String, from: UInt64, to: UInt64) {
            self.id = id
            self.path = path
            self.from = from
            self.to = to
        }

        package static let object = ObjectDescription(
            "FilePart", "The part of a journal file that could not be read",
            [
                member(
                    "id", \.id, "The file's own id, which stays when it is renamed", "b2c3d4e5f60718293a4b5c6d7e8f9012"),
                member("path", \.path, "Where it was when it was last read", "/var/log/journal/m/system.journal"),
                member("from", \.from, "The offset of the first missing byte", 81_920),
                member("to", \.to, "The offset after the last missing byte", 86_016),
            ])
    }

    /// Sequence numbers from the first to the last, both included.
    package struct Numbers: Sendable, Hashable, Codable, DescribedObject {
        package var first: UInt64
        package var last: UInt64

        package init(first: UInt64, last: UInt64) {
            self.first = first
            self.last = last
        }

        package static let object = ObjectDescription(
            "SequenceNumbers", "Sequence numbers that no journal file has",
            [
                member("first", \.first, "The first of them", 4711),
                member("last", \.last, "The last of them", 4722),
            ])
    }

    package static let object = ObjectDescription(
        "Gap", "A place where entries or events are missing",
        [
            member("id", \.id, "The number of the gap record", 3),
            member("after", \.after, "The event before the gap; 0 if the gap is before the first event", 10),
            member("cause", \.cause, "Why something is missing", "deleted", as: .choice(of: Gap.Cause.self)),
            member("time", \.time, "When the gap was found", .example),
            member("count", \.count, "How many entries or events are missing, if that is known", 3210),
            member(
                "certainty", \.certainty, "Whether count is exact or an upper bound", "exact",
                as: .choice(of: Gap.Certainty.self)),
            member(
                "from", \.from, "The cursor of the last entry before the gap, if it is known", JournalCursor.example),
            member("to", \.to, "The cursor of the first entry after the gap, if it is known", nil),
            member("file", \.file, "The part of a journal file that could not be read", showing: nil),
            member(
                "numbers", \.numbers, "The sequence numbers that no journal file has, if the cause is missing",
                showing: nil),
            member(
                "message", \.message, "The gap as a sentence",
                "a journal file was deleted before it was read to its end"),
        ])
}

extension GapLine {
    package init(_ record: GapRecord) {
        let gap = record.gap
        self.init(
            id: record.id, after: record.afterEventID, cause: gap.cause.rawValue,
            time: WireTime(microseconds: gap.realtimeMicroseconds), count: gap.count,
            certainty: gap.certainty.rawValue, from: gap.from?.description, to: gap.to?.description,
            file: gap.part.map(FilePart.init),
            numbers: gap.numbers.map { Numbers(first: $0.lowerBound, last: $0.upperBound) }, message: gap.message)
    }
}

extension GapLine.FilePart {
    init(_ part: Gap.FilePart) {
        self.init(
            id: part.fileID.description, path: part.path, from: part.range.lowerBound, to: part.range.upperBound)
    }
}

/// `GET /v1/gaps`: the gap records, oldest first, a page at a time.
package struct GapList: Sendable, Hashable, Codable, DescribedObject {
    package var gaps: [GapLine]
    package var next: Int64?

    package init(gaps: [GapLine], next: Int64?) {
        self.gaps = gaps
        self.next = next
    }

    package static let object = ObjectDescription(
        "GapList", "Gap records",
        [
            member("gaps", \.gaps, "The oldest first"),
            member("next", \.next, "The value of after for the next page; absent on the last page", nil),
        ])
}

/// The query of `GET /v1/gaps`.
package struct GapQuery: Sendable, Hashable {
    package static let maximumLimit = 1000

    /// Selects gap records after the one with this id.
    package var after: Int64 = 0
    /// The most records on a page, from 1.
    package var limit = maximumLimit

    package init() {}

    package init(after: Int64) { self.after = after }
}

extension GapQuery: APIQuery {
    package static let fields: [QueryField<Self>] = [
        .value(
            "after", { $1(&$0.after) }, .number(0...Int64.max),
            "Only records after the one with this id; see next in the reply", example: 0),
        .value(
            "n", { $1(&$0.limit) }, .number(1...maximumLimit),
            "The maximum number of records; \(maximumLimit) by default",
            example: 10),
    ]
}
