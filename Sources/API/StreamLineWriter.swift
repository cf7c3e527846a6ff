package import JSON
package import Model

/// Writes lines of NDJSON, each with its line break, into one buffer.
///
/// Byte by byte, not by JSONEncoder: a payload goes through unchanged, numbers are never parsed, and an event takes one
/// or two microseconds.
package struct StreamLineWriter: Sendable {
    private var json: JSONWriter
    private var repeated = RepeatedMembers()

    /// - Parameter keepsFrom: larger payloads are not written before they are taken.
    package init(keepingFrom keepsFrom: Int? = nil) {
        json = JSONWriter(keepingFrom: keepsFrom)
    }

    /// - Parameter bytes: empty memory for the lines.
    package init(in bytes: consuming [UInt8]) {
        json = JSONWriter(bytes: bytes)
    }

    /// The lines so far, where nothing is kept.
    package var bytes: [UInt8] { json.bytes }

    /// About how many bytes there are.
    package var pendingBytes: Int { json.pendingBytes }

    /// The lines, which are then forgotten.
    package mutating func take() -> JSONPieces { json.take() }

    package mutating func append(_ event: borrowing Event) {
        json.append(event, &repeated)
        json.newline()
    }

    /// Lines that were written already.
    package mutating func append(lines: ArraySlice<UInt8>) {
        json.bytes.append(contentsOf: lines)
    }

    /// - Throws: `EncodingError`.
    package mutating func append(_ gap: GapRecord) throws {
        json.beginObject()
        json.key("type")
        json.string("gap")
        try json.append(membersOf: GapLine(gap))
        json.endObject()
        json.newline()
    }

    /// - Parameter missed: how many events a tail passes over.
    package mutating func append(missed: Int64) {
        append("missed", count: missed)
    }

    /// - Parameter late: how many events a tail leaves out that are older than it.
    package mutating func append(late: Int64) {
        append("late", count: late)
    }

    /// How far a verification is.
    /// - Parameter percent: 0 to 100.
    package mutating func append(_ found: JournalVerification, percent: Double) {
        json.append(found, percent: percent)
        json.newline()
    }

    /// What a verification has found.
    package mutating func append(_ result: JournalVerification) {
        json.append(result)
        json.newline()
    }

    private mutating func append(_ type: String, count: Int64) {
        json.beginObject()
        json.key("type")
        json.string(type)
        json.key("count")
        json.integer(count)
        json.endObject()
        json.newline()
    }

    /// Appends the last line of a stream in which something failed.
    /// - Throws: `EncodingError`.
    package mutating func append(_ problem: Problem) throws {
        json.beginObject()
        json.key("type")
        json.string("error")
        json.key("problem")
        json.beginObject()
        try json.append(membersOf: problem)
        json.endObject()
        json.endObject()
        json.newline()
    }
}

extension EventLine {
    /// Appends the event's line with its line break.
    package static func append(_ event: Event, to bytes: inout [UInt8], _ repeated: inout RepeatedMembers) {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        var json = JSONWriter(bytes: consume taken)
        json.append(event, &repeated)
        json.newline()
        bytes = json.bytes
    }
}
