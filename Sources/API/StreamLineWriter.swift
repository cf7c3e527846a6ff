import FoundationEssentials
package import JSON
package import Model

/// Writes lines of NDJSON, each with its line break, into one buffer.
///
/// Events do not go through JSONEncoder: payloads stay unchanged, their numbers are never parsed, and an event takes
/// one or two microseconds.
package struct StreamLineWriter: Sendable {
    private var json: JSONWriter
    private var repeated: RepeatedMembers

    /// - Parameters:
    ///   - members: those that event lines have.
    ///   - bytes: an empty array, whose memory is used for the lines.
    ///   - minimumDeferred: payloads of at least this many bytes are deferred: they stay references until they are taken.
    package init(
        of members: LineMembers = .all, in bytes: consuming [UInt8] = [], deferringFrom minimumDeferred: Int? = nil
    ) {
        repeated = RepeatedMembers(members)
        json = JSONWriter(bytes: bytes, deferringFrom: minimumDeferred)
    }

    /// The lines so far, if no payloads are kept as references.
    package var bytes: [UInt8] { json.bytes }

    /// The approximate number of bytes.
    package var pendingBytes: Int { json.pendingBytes }

    /// Removes and returns the lines.
    package mutating func take() -> JSONPieces {
        repeated.forget()
        return json.take()
    }

    /// - Parameter isHighlighted: whether the line says that the event is marked.
    package mutating func append(_ event: borrowing Event, isHighlighted: Bool = false) {
        json.append(event, &repeated, isHighlighted: isHighlighted)
        json.newline()
    }

    /// Appends complete lines.
    package mutating func append(lines: ArraySlice<UInt8>) {
        json.bytes.append(contentsOf: lines)
    }

    /// - Throws: `EncodingError`.
    package mutating func append(_ gap: GapRecord) throws {
        json.beginObject()
        json.member("type", "gap")
        try json.append(membersOf: GapLine(gap))
        json.endObject()
        json.newline()
    }

    /// - Parameter missed: the number of events that a tail skips.
    package mutating func append(missed: Int64) {
        append("missed", count: missed)
    }

    /// - Parameter late: the number of events that a tail leaves out because they are older than it.
    package mutating func append(late: Int64) {
        append("late", count: late)
    }

    /// Appends the progress of a verification.
    /// - Parameter percent: 0 to 100.
    package mutating func append(_ found: JournalVerification, percent: Double) {
        json.append(found, percent: percent)
        json.newline()
    }

    /// Appends the result of a verification.
    package mutating func append(_ result: JournalVerification) {
        json.append(result)
        json.newline()
    }

    private mutating func append(_ type: String, count: Int64) {
        json.beginObject()
        json.member("type", type)
        json.member("count", count)
        json.endObject()
        json.newline()
    }

    /// Appends the last line of a stream in which something failed.
    /// - Throws: `EncodingError`.
    package mutating func append(_ problem: Problem) throws {
        json.beginObject()
        json.member("type", "error")
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
    /// - Parameters:
    ///   - bytes: only such lines, with the same `repeated`.
    package static func append(_ event: Event, to bytes: inout [UInt8], _ repeated: inout RepeatedMembers) {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        var json = JSONWriter(bytes: consume taken)
        json.append(event, &repeated)
        json.newline()
        bytes = json.bytes
    }
}

extension JSONWriter {
    /// Appends the members of an object, in the order of its description.
    /// - Throws: `EncodingError`.
    mutating func append<Object: DescribedObject & Encodable>(membersOf object: Object) throws {
        let json = Array(try APICoding.encode(object))
        let members = try JSONScanner.members(of: json)
        for name in Object.object.members.map(\.name) {
            guard let member = members.first(where: { json[$0.key].elementsEqual(name.utf8) }) else { continue }
            key(name)
            raw(json[member.value])
        }
    }
}
