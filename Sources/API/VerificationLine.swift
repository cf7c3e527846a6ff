import JSON
package import Model

/// One line of the NDJSON of `GET /v1/verify`, as the reading end sees it.
package enum VerificationLine: Sendable, Hashable {
    /// How far it is, 0 to 100, and what was found so far; without examples.
    case progress(percent: Double, JournalVerification)
    /// The last line.
    case result(JournalVerification)
    /// Something failed: the last line.
    case error(Problem)
    /// A type of a newer daemon; to be passed over.
    case other(type: String)

    /// Reads one line, with or without its line break.
    /// - Throws: `StreamLineError` when it is not such a line. Keys that are not known are passed over.
    package static func parse(_ line: [UInt8]) throws(StreamLineError) -> VerificationLine {
        let object = try WireObject(line)
        switch try object.string("type") {
        case "progress": return .progress(percent: try object.number("percent"), try JournalVerification(object))
        case "verification": return .result(try JournalVerification(object))
        case "error": return .error(try Problem(try object.object("problem")))
        case let type: return .other(type: type)
        }
    }
}

extension JournalVerification {
    fileprivate init(_ object: WireObject) throws(StreamLineError) {
        self.init()
        stored = try object.integer("stored")
        passed = try object.integer("passed")
        duplicates = try object.integer("duplicates")
        expired = try object.integer("expired")
        damaged = try object.integer("damaged")
        unexplained = try object.integer("unexplained")
        missing = try object.integer("missing")
        unexplainedNumbers = try object.integer("unexplained_numbers")
        unread = try object.integer("unread")
        unreadableFiles = try object.integer("unreadable_files")
        examples = try object.strings("examples")
    }
}

extension JSONWriter {
    mutating func append(_ found: JournalVerification, percent: Double) {
        beginObject()
        key("type")
        string("progress")
        key("percent")
        double((percent * 10).rounded() / 10)
        counts(found)
        endObject()
    }

    mutating func append(_ result: JournalVerification) {
        beginObject()
        key("type")
        string("verification")
        key("whole")
        bool(result.isWhole)
        counts(result)
        key("examples")
        beginArray()
        for example in result.examples { string(example) }
        endArray()
        endObject()
    }

    private mutating func counts(_ found: JournalVerification) {
        let counts: [(StaticString, Int64)] = [
            ("entries", found.entries), ("stored", found.stored), ("passed", found.passed),
            ("duplicates", found.duplicates), ("expired", found.expired), ("damaged", found.damaged),
            ("unexplained", found.unexplained), ("missing", found.missing),
            ("unexplained_numbers", found.unexplainedNumbers), ("unread", found.unread),
            ("unreadable_files", found.unreadableFiles),
        ]
        for (name, count) in counts {
            key(name)
            integer(count)
        }
    }
}

/// What `GET /v1/verify` is asked for.
package struct VerifyQuery: Sendable, Hashable {
    /// Only entries that were not written before; microseconds since 1970. `nil` for all.
    package var sinceMicroseconds: UInt64?

    package init(sinceMicroseconds: UInt64? = nil) {
        self.sinceMicroseconds = sinceMicroseconds
    }

    package static let parameterNames = ["since"]

    /// Reads the part of a URL behind the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is given twice, or has a value it cannot have.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            guard let time = EventQuery.time(value) else {
                throw QueryError(parameter: name, description: "must be \(EventQuery.allowedTimes)")
            }
            sinceMicroseconds = time
        }
    }

    package var parameters: [(name: String, value: String)] {
        sinceMicroseconds.map { [("since", String($0))] } ?? []
    }
}
