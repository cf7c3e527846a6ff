import API
internal import FoundationEssentials
import Model
import Store

/// A rule, and what it has come to.
struct RunningAlert {
    var rule: AlertRule
    var progress: AlertProgress
    /// The id of the last event that was looked at.
    var position: Int64
    /// Nothing is sent until then, in microseconds since 1970.
    var silencedUntil: UInt64?
    /// Why nothing can be looked at.
    var fault: String?
    /// When events behind the position were looked at, before a crash.
    var looks: [AlertLook] = []
    /// The number of its last change, of all changes.
    var revision: Int64 = 0
    var isSaved = false
    /// Whether what is saved of it has values that must not be kept any more.
    var replacesValues = false

    func notice(_ notice: AlertNotice, isSilenced: Bool) -> UnsavedNotice {
        UnsavedNotice(
            notice: notice, notifiers: isSilenced ? [] : rule.notify.map(\.text), isSilenced: isSilenced)
    }

    /// Whether it sends nothing at a time, in microseconds since 1970.
    func isSilenced(at now: UInt64) -> Bool { silencedUntil.map { $0 > now } ?? false }

    /// - Parameter now: microseconds since 1970.
    func reply(at now: UInt64) -> AlertReply {
        let firing = progress.causes.filter { $1.firedAt != nil }
        let causes = firing.sorted { ($0.value.firedAt ?? 0) < ($1.value.firedAt ?? 0) }.prefix(100).map {
            cause, progress in
            AlertReply.Cause(
                parts: zip(rule.by, cause).map { .init(key: $0.text, value: $1?.text) },
                since: WireTime(microseconds: UInt64(max(0, progress.heldSince ?? progress.firedAt ?? 0))),
                event: progress.last?.id)
        }
        return AlertReply(
            name: rule.name, predicate: rule.predicate, when: rule.words,
            state: fault != nil ? .held : firing.isEmpty ? .ok : .firing, reason: fault, firing: firing.count,
            causes: causes, isCut: progress.isCut, notify: rule.notify.map(\.text),
            silencedUntil: isSilenced(at: now) ? silencedUntil.map { WireTime(microseconds: $0) } : nil)
    }
}

extension RunningAlert {
    private struct Kept: Codable {
        var meaning: String
        var progress: AlertProgress
        var silencedUntil: UInt64?
    }

    /// - Returns: `nil` if what is saved is not of a rule that means the same.
    /// - Throws: if it is not what `saved` returned.
    init?(_ saved: SavedWatch, of rule: AlertRule) throws {
        let kept = try JSONDecoder().decode(Kept.self, from: Data(saved.state.utf8))
        guard kept.meaning == rule.meaning else { return nil }
        guard kept.progress.isSound else { throw PredicateFault("what was seen is damaged") }
        self.init(
            rule: rule, progress: kept.progress, position: saved.position, silencedUntil: kept.silencedUntil,
            isSaved: true)
    }

    /// Until when the rule of that name is silenced, whatever it means; `nil` if it is not, or that cannot be read.
    static func silence(in saved: SavedWatch) -> UInt64? {
        struct Silence: Decodable { var silencedUntil: UInt64? }
        return (try? JSONDecoder().decode(Silence.self, from: Data(saved.state.utf8)))?.silencedUntil
    }

    var saved: SavedWatch? {
        let kept = Kept(meaning: rule.meaning, progress: progress, silencedUntil: silencedUntil)
        guard let state = try? JSONEncoder().encode(kept) else { return nil }
        return SavedWatch(name: rule.name, position: position, state: String(decoding: state, as: UTF8.self))
    }
}

extension AlertNotice {
    /// As it is stored.
    /// - Parameter encoder: of `APICoding`.
    func stored(_ encoder: JSONEncoder = APICoding.encoder()) -> String {
        (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension AlertRule {
    /// What is counted for the rule.
    func group(_ meanings: StandingPredicates) throws(PredicateFault) -> EventWatch.Group {
        let keys = try StandingPredicates.groupKeys(keys.map(\.text), meanings.names)
        let (event, rest) = try meanings.predicate(predicate).byEvent
        return EventWatch.Group(
            predicate: .everything, keeping: keys, items: [EventWatch.Item(event: event, predicate: rest)])
    }

    /// Why the rule is held by dictionaries; `nil` if it is not.
    func fault(_ meanings: StandingPredicates) -> String? {
        do {
            _ = try EventWatch([group(meanings)])
            return nil
        } catch {
            return (error as? PredicateFault)?.reason ?? "\(error)"
        }
    }
}
