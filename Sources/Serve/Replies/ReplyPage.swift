import JSON
import Model

/// What is written of an answer at once: lines of NDJSON.
struct ReplyPage: Sendable {
    var lines: [JSONPieces] = []
    /// Those that are among the lines.
    var gaps: [GapRecord] = []
    /// What they take in memory, where it is more than usual.
    var share: StreamMemory.Share?
    /// What gets the memory of the lines back.
    var memory: LineMemory?

    /// To be called when nobody needs the lines any more.
    consuming func giveBack() {
        if lines.count == 1, let bytes = lines.popLast()?.text { memory?.give(bytes) }
    }
}

extension Sequence<GapRecord> {
    /// By their places, and those of one place as they were found.
    func sorted(isAscending: Bool) -> [GapRecord] {
        let ascending = sorted { ($0.afterEventID, $0.id) < ($1.afterEventID, $1.id) }
        return isAscending ? ascending : ascending.reversed()
    }
}
