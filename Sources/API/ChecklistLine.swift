import Model

/// A line of `GET /v1/checklists/{run}/changes`.
package enum ChecklistLine: Sendable {
    /// What the run has come to.
    case checklist(ChecklistReply)
    /// Something failed, or the run was removed. The stream ends with this line.
    case error(Problem)
    /// A line of a newer daemon, to be ignored.
    case other

    package static let stream = StreamDescription(
        name: "ChecklistLine", summary: "One line of a watched checklist",
        lines: [
            ObjectDescription(
                "ChecklistChange", "What a run has come to: at first, and after each change",
                [.type("checklist"), Self.run]),
            Problem.line,
        ])

    private static let run = MemberDescription(
        name: "run", type: .object(ChecklistReply.object), text: "The run", example: ChecklistReply.object.example)

    /// Returns the line of a run.
    package static func line(_ run: ChecklistReply) throws -> [UInt8] {
        Array(#"{"type":"checklist","run":"#.utf8) + (try APICoding.encode(run)) + Array("}\n".utf8)
    }

    /// - Throws: `StreamLineError`
    package static func parse(_ line: [UInt8]) throws(StreamLineError) -> ChecklistLine {
        let object = try WireObject(line)
        return switch try object.string("type") {
        case "checklist": .checklist(try object.object("run").decode(ChecklistReply.self))
        case "error": .error(try object.object("problem").decode(Problem.self))
        default: .other
        }
    }
}
