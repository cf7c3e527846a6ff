import API
import Dictionaries
import Model
import Settings

extension Configuration {
    /// The differences from the previous configuration, one sentence each.
    func changes(from old: Settings, inForce loaded: [LoadedDictionary]) -> [String] {
        var changes: [String] = []
        if settings.sources != old.sources {
            let (count, before) = (settings.sources.count, old.sources.count)
            changes.append(count == before ? "sources changed" : "sources: \(count) instead of \(before)")
        }
        if settings.privacy != old.privacy {
            changes.append("privacy: \(settings.privacy) instead of \(old.privacy)")
        }
        if settings.predicates != old.predicates { changes.append("predicates changed") }
        if settings.diagnosticEvents != old.diagnosticEvents {
            changes.append("diagnostics.events: \(settings.diagnosticEvents) instead of \(old.diagnosticEvents)")
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
        let (before, after) = (old.dictionaries.map(\.name), settings.dictionaries.map(\.name))
        changes += Self.difference("dictionary", before, after)
        // The first that matches an event is used for it.
        if before.filter({ after.contains($0) }) != after.filter({ before.contains($0) }) {
            changes.append("dictionaries: another order")
        }
        changes += Self.changes("sink", old.sinks, settings.sinks, \.name)
        changes += Self.changes("alert", old.alerts, settings.alerts, \.name)
        changes += Self.changes("notifier", old.notifiers, settings.notifiers, \.name)
        return changes
    }

    private static func changes<Item: Equatable>(
        _ what: String, _ old: [Item], _ new: [Item], _ name: (Item) -> String
    ) -> [String] {
        let changed = new.compactMap { item -> String? in
            guard let known = old.first(where: { name($0) == name(item) }) else {
                return "\(what) \(name(item)) is new"
            }
            return known == item ? nil : "\(what) \(name(item)) changed"
        }
        return changed + difference(what, old.map(name), new.map(name))
    }

    private static func difference(_ what: String, _ old: [String], _ new: [String]) -> [String] {
        old.filter { !new.contains($0) }.map { "\(what) \($0) is gone" }
    }
}
