import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Random filters and their expected results, which are computed by checking every event without code of the store.
struct Oracle {
    /// The events, ascending by id.
    let events: [Event]
    private let parameters: KnownPayload.Parameters
    /// The special characters of regular expressions.
    private let special = #"\^$.|?*+()[]{}"#

    init(_ events: some Sequence<Event>, _ parameters: KnownPayload.Parameters) {
        (self.events, self.parameters) = (Array(events), parameters)
    }

    // MARK: asking the store

    /// Queries the same filter in ascending and descending order of ids, and by time.
    func check(_ store: EventStore, _ random: inout SeededGenerator) async throws {
        let filter = filter(&random)
        let found = try events.filter(meeting(filter))
        try await checkPages(store, filter, found, &random)
        try await checkNewest(store, filter, found, &random)
        if filter.predicate.isOnStoredEvents {
            let counts = try await store.eventCounts(matching: filter.predicate).byGroup
            #expect(counts == CountedByHand(found).events, "\(filter)")
        }
    }

    private func checkPages(
        _ store: EventStore, _ filter: SimpleFilter, _ found: [Event], _ random: inout SeededGenerator
    ) async throws {
        let after = random.next() % 3 == 0 ? id(&random) : nil
        let before = random.next() % 3 == 0 ? id(&random) : nil
        let wanted = found.filter { $0.id > after ?? 0 && $0.id < before ?? .max }
        let limit = [1000, 250, wanted.count + 1, 10_000].randomElement(using: &random) ?? 1
        let ascending = try await store.all(filter, after: after, before: before, limit: limit)
        #expect(same(ascending, wanted), "\(filter) after \(after ?? 0) before \(before ?? 0)")
        let descending = try await store.all(filter, after: after, before: before, order: .newest, limit: limit)
        #expect(same(descending, wanted.reversed()), "\(filter) after \(after ?? 0) before \(before ?? 0)")
        let count = try await store.count(matching: filter.predicate, after: after ?? 0, through: (before ?? .max) - 1)
        #expect(count == wanted.count, "\(filter) after \(after ?? 0) before \(before ?? 0)")
    }

    private func checkNewest(
        _ store: EventStore, _ filter: SimpleFilter, _ found: [Event], _ random: inout SeededGenerator
    ) async throws {
        let last = random.next() % 3 == 0 ? id(&random) : events.last?.id ?? 1
        let before = random.next() % 3 == 0 ? events.randomElement(using: &random)?.place : nil
        let wanted = found.filter { $0.id <= last && $0.place < before ?? .last }.sorted { $0.place > $1.place }
        for count in [0, 1, 100, wanted.count, wanted.count + 1] {
            let newest = try await store.newest(
                count, matching: filter.predicate, upTo: last, before: before, bytes: 9000)
            let some = wanted.prefix(count)
            #expect(newest.places == some.map(\.place), "\(filter) upTo \(last)")
            #expect(newest.hasMore == (count > 0 && count <= wanted.count && last > 0))
            let read = some.filter { newest.read[$0.id] != nil }
            #expect(same(read.compactMap { newest.read[$0.id] }, read) && read.count == newest.read.count)
        }
    }

    /// Returns the id of an event, or one outside of the range.
    private func id(_ random: inout SeededGenerator) -> Int64 {
        Int64(random.next() % UInt64((events.last?.id ?? 0) + 3))
    }

    // MARK: filters

    /// Returns a filter of up to four conditions, each of which some event meets, or nearly.
    func filter(_ random: inout SeededGenerator) -> SimpleFilter {
        var filter = SimpleFilter()
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            guard let event = events.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<18, using: &random) {
            case 0: filter.subsystems.append(glob(event.origin.subsystem, &random))
            case 1: filter.categories.append(glob(event.origin.category, &random))
            case 2: filter.events.append(glob(event.kind.key?.description ?? "c/n", &random))
            case 3: filter.level = event.effectiveLevel
            case 16: filter.programSinceMicroseconds = event.program.timeMicroseconds
            case 17: filter.programUntilMicroseconds = event.program.timeMicroseconds
            case 4: filter.sinceMicroseconds = event.realtimeMicroseconds
            case 5: filter.untilMicroseconds = event.realtimeMicroseconds
            case 6: filter.boots.append(event.origin.bootID)
            case 7: filter.resolutions.append(event.resolution)
            case 8: filter.grep = pattern(event, &random)
            case 9: filter.units.append(glob(event.origin[.unit] ?? "", &random))
            case 10: filter.identifiers.append(glob(event.origin[.identifier] ?? "", &random))
            case 11: filter.hosts.append(glob(event.origin[.host] ?? "", &random))
            case 12: filter.pids.append(event.pid ?? 0)
            default: if let condition = condition(event, &random) { filter.parameters.append(condition) }
            }
        }
        return filter
    }

    private func glob(_ text: String, _ random: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...text.unicodeScalars.count, using: &random)
        let (start, end) = (text.unicodeScalars.prefix(count), text.unicodeScalars.dropFirst(count))
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: "\(start)*"
        case 1: "*\(end)"
        case 2: "*\(end.prefix(3))*"
        case 3: "\(start)?\(end.dropFirst())"
        case 4: "absent*"
        default: text
        }
    }

    /// Returns a piece of a payload, sometimes with a character replaced by a pattern.
    private func pattern(_ event: Event, _ random: inout SeededGenerator) -> String {
        let text = random.next() % 2 == 0 ? event.payload : event.message
        let ascii = text.map { $0 < 0x80 ? Character(Unicode.Scalar($0)) : "." }
        let piece = ascii.dropFirst(Int.random(in: 0...ascii.count, using: &random)).prefix(
            Int.random(in: 1...8, using: &random))
        return piece.map { letter in
            if random.next() % 20 == 0 { return "." }
            return special.contains(letter) ? #"\\#(letter)"# : String(letter)
        }.joined()
    }

    private func condition(_ event: Event, _ random: inout SeededGenerator) -> SimpleFilter.ParameterCondition? {
        guard let one = parameters(of: event).randomElement(using: &random) else { return nil }
        var condition = SimpleFilter.ParameterCondition(
            names: [ExactString(one.name)], values: [ExactString(one.value)])
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            guard let other = events.randomElement(using: &random).map(parameters(of:))?.randomElement(using: &random)
            else {
                continue
            }
            if Bool.random(using: &random) { condition.values.insert(other.value) }
            if Bool.random(using: &random) { condition.names.insert(other.name) }
        }
        return condition
    }

    // MARK: looking

    private func parameters(of event: Event) -> [KnownPayload.Parameter] {
        event.resolution.hasPayload ? parameters[event.payload] ?? [] : []
    }

    func meeting(_ filter: SimpleFilter) throws -> (Event) -> Bool {
        let hasPattern = try filter.grep.map(having)
        return { event in
            fits(filter.subsystems, event.origin.subsystem) && fits(filter.categories, event.origin.category)
                && fits(filter.events, event.kind.key?.description)
                && (event.program.level ?? event.level).rawValue <= filter.level?.rawValue ?? 7
                && isWithin(filter.programSinceMicroseconds, filter.programUntilMicroseconds, event.program)
                && event.realtimeMicroseconds >= filter.sinceMicroseconds ?? 0
                && event.realtimeMicroseconds <= filter.untilMicroseconds ?? .max
                && (filter.boots.isEmpty || filter.boots.contains(event.origin.bootID))
                && fits(filter.units, event.origin[.unit]) && fits(filter.identifiers, event.origin[.identifier])
                && fits(filter.hosts, event.origin[.host])
                && (filter.pids.isEmpty || event.pid.map(filter.pids.contains) ?? false)
                && (filter.resolutions.isEmpty || filter.resolutions.contains(event.resolution))
                && filter.parameters.allSatisfy { condition in
                    parameters(of: event).contains {
                        condition.names.contains($0.name) && condition.values.contains($0.value)
                    }
                }
                && hasPattern.map { $0(event.payload) || event.text != nil && $0(event.message) } ?? true
        }
    }

    private func isWithin(_ since: UInt64?, _ until: UInt64?, _ program: ProgramFacts) -> Bool {
        guard since != nil || until != nil else { return true }
        return program.timeMicroseconds.map { $0 >= since ?? 0 && $0 <= until ?? .max } ?? false
    }

    private func having(_ pattern: String) throws -> ([UInt8]) -> Bool {
        // Most patterns are literals, and regular expressions are slow.
        let ignoresCase = !pattern.contains { $0.isASCII && $0.isUppercase }
        if !pattern.contains(where: special.contains) {
            func folded(_ bytes: some Sequence<UInt8>) -> Data {
                Data(ignoresCase ? bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } : Array(bytes))
            }
            let bytes = folded(pattern.utf8)
            return { bytes.isEmpty || folded($0).range(of: bytes) != nil }
        }
        let expression = try Regex(pattern).ignoresCase(ignoresCase)
        return { String(decoding: $0, as: UTF8.self).firstMatch(of: expression) != nil }
    }

    private func fits(_ globs: [String], _ text: String?) -> Bool {
        globs.isEmpty
            || globs.contains { glob in
                text.map { matches(Array(glob.unicodeScalars)[...], Array($0.unicodeScalars)[...]) } ?? false
            }
    }

    private func matches(_ glob: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
        switch glob.first {
        case nil: text.isEmpty
        case "*":
            matches(glob.dropFirst(), text) || !text.isEmpty && matches(glob, text.dropFirst())
        case let letter:
            !text.isEmpty && (letter == "?" || letter == text.first) && matches(glob.dropFirst(), text.dropFirst())
        }
    }
}

extension Event {
    var place: EventPlace { EventPlace(time: Int64(bitPattern: realtimeMicroseconds), id: id) }
}
