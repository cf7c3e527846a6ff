import Model
import Testing

@testable import Store

/// The expected content of reports, computed from every event.
struct CountedByHand {
    struct EventGroup: Hashable {
        var dictionary: String?
        var key: EventKey?
        var origin: EventCount.Origin?
        var resolution: Resolution
    }

    struct FindingGroup: Hashable {
        var dictionary: String?
        var key: EventKey?
        var rule: String
        var parameter: String?
    }

    struct Sum: Equatable {
        var count: Int64 = 0
        var first = UInt64.max
        var last: UInt64 = 0
        var lastEvent: Int64 = 0

        mutating func add(_ event: Event) {
            count += 1
            first = min(first, event.realtimeMicroseconds)
            last = max(last, event.realtimeMicroseconds)
            lastEvent = max(lastEvent, event.id)
        }
    }

    private(set) var events: [EventGroup: Sum] = [:]
    private(set) var findings: [FindingGroup: Sum] = [:]

    init(_ events: some Sequence<Event>) {
        for event in events {
            let (dictionary, key) = (event.kind.dictionary, event.kind.key)
            let origin = EventCount.Origin(subsystem: event.origin.subsystem, category: event.origin.category)
            let group = EventGroup(
                dictionary: dictionary, key: key, origin: key == nil || dictionary == nil ? origin : nil,
                resolution: event.resolution)
            self.events[group, default: Sum()].add(event)
            let violations = (event.findings?.violations ?? []).map { ($0.rule.rawValue, Optional($0.parameter)) }
            let warnings = (event.findings?.warnings ?? []).map { ($0.rule.rawValue, $0.parameter) }
            for (rule, parameter) in violations + warnings {
                let group = FindingGroup(
                    dictionary: event.kind.dictionary, key: event.kind.key, rule: rule, parameter: parameter)
                findings[group, default: Sum()].add(event)
            }
        }
    }
}

extension [EventCount] {
    var byGroup: [CountedByHand.EventGroup: CountedByHand.Sum] {
        reduce(into: [:]) { groups, use in
            let group = CountedByHand.EventGroup(
                dictionary: use.dictionary, key: use.key, origin: use.origin, resolution: use.resolution)
            #expect(groups[group] == nil)
            groups[group] = CountedByHand.Sum(
                count: use.count, first: use.firstMicroseconds, last: use.lastMicroseconds, lastEvent: use.lastEventID)
        }
    }
}

extension [FindingCount] {
    var byGroup: [CountedByHand.FindingGroup: CountedByHand.Sum] {
        reduce(into: [:]) { groups, use in
            let group = CountedByHand.FindingGroup(
                dictionary: use.dictionary, key: use.key, rule: use.rule, parameter: use.parameter)
            #expect(groups[group] == nil)
            groups[group] = CountedByHand.Sum(
                count: use.count, first: use.firstMicroseconds, last: use.lastMicroseconds, lastEvent: use.lastEventID)
        }
    }
}
