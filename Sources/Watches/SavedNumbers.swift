/// What numbers of a saved state can be. Those of a damaged row may be any: with them, sums and differences would be out of
/// range, which ends the process, at each start again.
enum SavedNumbers {
    /// Of events, subjects or bytes: half a million of them can be added.
    static func areCounts(_ counts: [Int]) -> Bool { counts.allSatisfy { (0...1 << 44).contains($0) } }

    /// In microseconds since 1970. Those of damaged entries may be negative.
    static func areTimes(_ times: [Int64?]) -> Bool {
        times.allSatisfy { (Int64.min / 2...Int64.max / 2).contains($0 ?? 0) }
    }

    /// Of stored events.
    static func areIDs(_ ids: [Int64?]) -> Bool { ids.allSatisfy { (0...Int64.max / 2).contains($0 ?? 0) } }
}
