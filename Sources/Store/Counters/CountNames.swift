internal import Model

/// The name that events are counted by in an answer.
struct EventCountName: CountName {
    @Exact var dictionary: String?
    var key: EventKey?
    var origin: EventCount.Origin?
    var resolution: Resolution

    /// The name itself for events that a dictionary defines, since the number of definitions is bounded. All others
    /// are counted together when there are too many.
    var bounded: EventCountName {
        guard resolution != .resolved, resolution != .violating else { return self }
        return EventCountName(
            dictionary: dictionary, key: key.map { _ in .other }, origin: origin.map { _ in .other },
            resolution: resolution)
    }

    var textBytes: Int { (key?.textBytes ?? 0) + (origin?.textBytes ?? 0) + 64 }

    func count(_ sum: Occurrences) -> EventCount {
        EventCount(
            dictionary: dictionary, key: key, origin: origin, resolution: resolution, count: sum.count,
            firstMicroseconds: UInt64(bitPattern: sum.times.lowerBound),
            lastMicroseconds: UInt64(bitPattern: sum.times.upperBound), lastEventID: sum.lastEvent)
    }
}

extension EventCountName {
    init(_ counted: CountKey) {
        let dictionary = counted.dictionary.isEmpty ? nil : counted.dictionary
        let origin = EventCount.Origin(subsystem: counted.subsystem, category: counted.category)
        self.init(
            dictionary: dictionary, key: counted.isKeyed ? counted.key : nil,
            origin: counted.isKeyed && dictionary != nil ? nil : origin, resolution: counted.resolution)
    }
}

/// The name that findings are counted by in an answer.
struct FindingCountName: CountName {
    @Exact var dictionary: String?
    var key: EventKey?
    @Exact var rule: String
    /// Empty for rules that do not concern a parameter.
    @Exact var parameter: String

    var bounded: FindingCountName {
        FindingCountName(dictionary: dictionary, key: key == nil ? nil : .other, rule: rule, parameter: CountKey.other)
    }

    var textBytes: Int { (key?.textBytes ?? 0) + parameter.utf8.count + 64 }

    func count(_ sum: Occurrences) -> FindingCount {
        let isViolation = Violation.Rule(rawValue: rule) != nil
        return FindingCount(
            dictionary: dictionary, key: key, rule: rule, isViolation: isViolation,
            parameter: parameter.isEmpty && !isViolation ? nil : parameter, count: sum.count,
            firstMicroseconds: UInt64(bitPattern: sum.times.lowerBound),
            lastMicroseconds: UInt64(bitPattern: sum.times.upperBound), lastEventID: sum.lastEvent)
    }
}

extension FindingCountName {
    init(_ counted: CountKey, rule: String, parameter: String) {
        self.init(
            dictionary: counted.dictionary.isEmpty ? nil : counted.dictionary,
            key: counted.isKeyed ? counted.key : nil, rule: rule, parameter: parameter)
    }
}

extension EventKey {
    /// The key that stands for all keys beyond the limit.
    static let other = EventKey(category: CountKey.other, name: CountKey.other)

    fileprivate var textBytes: Int { category.utf8.count + name.utf8.count }
}

extension EventCount.Origin {
    /// The origin that stands for all origins beyond the limit.
    package static let other = EventCount.Origin(subsystem: CountKey.other, category: CountKey.other)

    fileprivate var textBytes: Int { subsystem.utf8.count + category.utf8.count }
}
