internal import FoundationEssentials
internal import Model
internal import Settings
internal import Store

extension ChecklistRun {
    private struct Kept: Codable {
        var start: ChecklistStart
        var counts: Counts
    }

    var saved: SavedWatch? {
        guard let state = try? JSONEncoder().encode(Kept(start: start, counts: counts)) else { return nil }
        return SavedWatch(name: name, position: position, state: String(decoding: state, as: UTF8.self))
    }

    /// - Throws: if it is not what `saved` returned.
    init(_ saved: SavedWatch) throws {
        let kept = try JSONDecoder().decode(Kept.self, from: Data(saved.state.utf8))
        try self.init(kept.start, position: saved.position)
        // What was counted belongs to the list as it was read then.
        guard kept.counts.items.count == list.items.count, kept.counts.funnels.count == list.funnels.count,
            zip(kept.counts.funnels, list.funnels).allSatisfy({ $0.isSound(steps: $1.steps.count) }),
            kept.counts.items.allSatisfy(\.isSound)
        else {
            throw PredicateFault("what was counted is not of this list, or damaged")
        }
        counts = kept.counts
        for place in counts.funnels.indices { counts.funnels[place].weigh() }
        isSaved = true
    }
}

extension ChecklistRun.Counts.Item {
    fileprivate var isSound: Bool {
        SavedNumbers.areCounts([Int(count), Int(violating)])
            && [first, last, firstAccepted].allSatisfy { $0?.isOfRun ?? true }
    }
}

extension EventPlace {
    /// Whether it can be that of an event that a run has counted, which counts none of before 1970.
    var isOfRun: Bool { time >= 0 && SavedNumbers.areTimes([time]) && SavedNumbers.areIDs([id]) }
}
