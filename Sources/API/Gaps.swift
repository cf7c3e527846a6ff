package import Model

/// A gap record on the wire: `{"type":"gap","id":3,"after":4711,"cause":"deleted",…}`.
package struct GapLine: Sendable, Hashable, Codable {
    package var id: Int64
    /// The gap lies behind this event; 0: before the first.
    package var after: Int64
    /// A `Gap.Cause`.
    package var cause: String
    /// When the gap was found.
    package var time: WireTime
    /// How many entries or events are missing, where known.
    package var count: UInt64?
    /// A `Gap.Certainty`: whether `count` is known, or the most that may be missing.
    package var certainty: String
    /// The cursor of the last entry before the gap, where known.
    package var from: String?
    /// The cursor of the first entry after the gap, where known.
    package var to: String?
    /// What could not be read, where it is a part of a file.
    package var file: FilePart?
    /// Which sequence numbers nobody has, of the cause `missing`.
    package var numbers: Numbers?
    package var message: String

    /// A part of a journal file, from one byte to before another.
    package struct FilePart: Sendable, Hashable, Codable {
        /// The file's own id, which stays when it is renamed.
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
    }

    /// Sequence numbers from the first to the last, both included.
    package struct Numbers: Sendable, Hashable, Codable {
        package var first: UInt64
        package var last: UInt64

        package init(first: UInt64, last: UInt64) {
            self.first = first
            self.last = last
        }
    }

    package init(
        id: Int64, after: Int64, cause: String, time: WireTime, count: UInt64?, certainty: String, from: String? = nil,
        to: String? = nil, file: FilePart? = nil, numbers: Numbers? = nil, message: String
    ) {
        self.id = id
        self.after = after
        self.cause = cause
        self.time = time
        self.count = count
        self.certainty = certainty
        self.from = from
        self.to = to
        self.file = file
        self.numbers = numbers
        self.message = message
    }

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
package struct GapList: Sendable, Hashable, Codable {
    package var gaps: [GapLine]
    /// Where the next page goes on: `after=` this. Absent: there is no more.
    package var next: Int64?

    package init(gaps: [GapLine], next: Int64?) {
        self.gaps = gaps
        self.next = next
    }
}

/// What `GET /v1/gaps` is asked for.
package struct GapQuery: Sendable, Hashable {
    package static let maximumLimit = 1000

    /// Only gap records after this one.
    package var after: Int64 = 0
    /// How many at most, from 1.
    package var limit = maximumLimit

    package init() {}

    package static let parameterNames = ["after", "n"]

    /// Reads the part of a URL behind the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is given twice, or has a value it cannot have.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            let range = name == "n" ? 1...Int64(Self.maximumLimit) : 0...Int64.max
            guard let number = QueryItems.number(value, in: range) else {
                throw QueryError(
                    parameter: name, description: "must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
            if name == "n" { limit = Int(number) } else { after = number }
        }
    }

    package var parameters: [(name: String, value: String)] {
        let defaults = GapQuery()
        return (after == defaults.after ? [] : [("after", String(after))])
            + (limit == defaults.limit ? [] : [("n", String(limit))])
    }
}
