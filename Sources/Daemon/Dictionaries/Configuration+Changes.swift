import Model
import Serve
import Settings

extension Configuration {
    /// What became different, one sentence each.
    func changes(from old: Settings, _ loaded: [LoadedDictionary]) -> [String] {
        var changes: [String] = []
        if settings.sources != old.sources {
            let (count, before) = (settings.sources.count, old.sources.count)
            changes.append(count == before ? "sources changed" : "sources: \(count) instead of \(before)")
        }
        if settings.privacy != old.privacy {
            changes.append("privacy: \(settings.privacy) instead of \(old.privacy)")
        }
        for next in dictionaries.compactMap(\.dictionary) {
            guard let known = loaded.first(where: { $0.dictionary.options.name == next.options.name }) else {
                changes.append("dictionary \(next.options.name) is new")
                continue
            }
            if known.dictionary.version != next.version || known.dictionary.options != next.options {
                changes.append("dictionary \(next.options.name) changed: version \(next.version)")
            }
        }
        changes += Self.difference("dictionary", old.dictionaries.map(\.name), settings.dictionaries.map(\.name))
        for sink in settings.sinks {
            guard let known = old.sinks.first(where: { $0.name == sink.name }) else {
                changes.append("sink \(sink.name) is new")
                continue
            }
            if known != sink { changes.append("sink \(sink.name) changed") }
        }
        changes += Self.difference("sink", old.sinks.map(\.name), settings.sinks.map(\.name))
        return changes
    }

    private static func difference(_ what: String, _ old: [String], _ new: [String]) -> [String] {
        old.filter { !new.contains($0) }.map { "\(what) \($0) is gone" }
    }
}
