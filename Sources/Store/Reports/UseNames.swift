internal import Model

/// What events are counted by.
struct EventUseName: UseName {
    @Exact var dictionary: String?
    var key: EventKey?
    var origin: EventUse.Origin?
    var resolution: Resolution

    init(_ use: EventUseKey) {
        let dictionary = use.dictionary.isEmpty ? nil : use.dictionary
        let origin = EventUse.Origin(subsystem: use.subsystem, category: use.category)
        self.init(
            dictionary: dictionary, key: use.isKeyed ? use.key : nil,
            origin: use.isKeyed && dictionary != nil ? nil : origin, resolution: use.resolution)
    }

    private init(dictionary: String?, key: EventKey?, origin: EventUse.Origin?, resolution: Resolution) {
        self.dictionary = dictionary
        self.key = key
        self.origin = origin
        self.resolution = resolution
    }

    /// Events that a dictionary has are counted by name however many they are; made-up names may be too many.
    var bounded: EventUseName {
        guard resolution != .resolved, resolution != .violating else { return self }
        return EventUseName(
            dictionary: dictionary, key: key.map { _ in .other }, origin: origin.map { _ in .other },
            resolution: resolution)
    }

    var textBytes: Int { (key?.textBytes ?? 0) + (origin?.textBytes ?? 0) + 64 }

    func use(_ sum: UseSum) -> EventUse {
        EventUse(
            dictionary: dictionary, key: key, origin: origin, resolution: resolution, count: sum.count,
            firstMicroseconds: UInt64(bitPattern: sum.firstTime), lastMicroseconds: UInt64(bitPattern: sum.lastTime),
            lastEventID: sum.lastEvent)
    }
}

/// What findings are counted by.
struct FindingUseName: UseName {
    @Exact var dictionary: String?
    var key: EventKey?
    @Exact var rule: String
    /// Empty for rules that are about none.
    @Exact var parameter: String

    init(_ use: EventUseKey, rule: String, parameter: String) {
        self.init(
            dictionary: use.dictionary.isEmpty ? nil : use.dictionary, key: use.isKeyed ? use.key : nil, rule: rule,
            parameter: parameter)
    }

    private init(dictionary: String?, key: EventKey?, rule: String, parameter: String) {
        self.dictionary = dictionary
        self.key = key
        self.rule = rule
        self.parameter = parameter
    }

    var bounded: FindingUseName {
        FindingUseName(dictionary: dictionary, key: key == nil ? nil : .other, rule: rule, parameter: EventUseKey.other)
    }

    var textBytes: Int { (key?.textBytes ?? 0) + parameter.utf8.count + 64 }

    func use(_ sum: UseSum) -> FindingUse {
        let isViolation = FindingUseKey.isViolation(rule)
        return FindingUse(
            dictionary: dictionary, key: key, rule: rule, isViolation: isViolation,
            parameter: parameter.isEmpty && !isViolation ? nil : parameter, count: sum.count,
            firstMicroseconds: UInt64(bitPattern: sum.firstTime), lastMicroseconds: UInt64(bitPattern: sum.lastTime),
            lastEventID: sum.lastEvent)
    }
}

extension EventKey {
    /// Stands for those that are too many to be counted by name.
    static let other = EventKey(category: EventUseKey.other, name: EventUseKey.other)

    fileprivate var textBytes: Int { category.utf8.count + name.utf8.count }
}

extension EventUse.Origin {
    fileprivate static let other = EventUse.Origin(subsystem: EventUseKey.other, category: EventUseKey.other)

    fileprivate var textBytes: Int { subsystem.utf8.count + category.utf8.count }
}
