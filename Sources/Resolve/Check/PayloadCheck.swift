import JSON
import Model

/// Validates one payload against the definition of its key.
struct PayloadCheck {
    let payload: UnsafeRawBufferPointer
    let categoryKey: PayloadKey
    let nameKey: PayloadKey
    let admitsPlaceholders: Bool
    private(set) var findings: FindingsList

    /// - Parameters:
    ///   - admitsPlaceholders: whether a placeholder is valid for every parameter: the value was checked before it was
    ///     replaced.
    ///   - findings: the findings so far.
    static func check(
        _ members: borrowing PayloadMembers, of payload: UnsafeRawBufferPointer,
        against event: CompiledDictionary.Event,
        categoryKey: PayloadKey, nameKey: PayloadKey, admitsPlaceholders: Bool, _ findings: FindingsList
    ) -> FindingsList {
        var check = PayloadCheck(
            payload: payload, categoryKey: categoryKey, nameKey: nameKey, admitsPlaceholders: admitsPlaceholders,
            findings: findings)
        if event.isObsolete { check.findings.warn(.obsoleteEvent) }
        check.run(members, against: event)
        return check.findings
    }

    private mutating func run(_ members: borrowing PayloadMembers, against event: CompiledDictionary.Event) {
        var required = 0
        let hasRepeated = !members.superseded.isEmpty
        for index in members.members.indices {
            if hasRepeated, members.superseded.contains(index) { continue }
            if take(members.members[index], hash: members.hashes[index], event) { required += 1 }
        }
        if required < event.requiredCount { missing(members, event) }
    }

    /// - Returns: whether it is a required parameter that has a value.
    @inline(__always)
    private mutating func take(_ member: JSONMember, hash: UInt64, _ event: CompiledDictionary.Event) -> Bool {
        let place = Self.withPlace(of: member, hash: hash, in: payload, event)
        guard let (set, index) = place else {
            unknown(member, hash: hash)
            return false
        }
        if case .null = member.kind { return false }
        let outline = set.outlines[index]
        if outline.isObsolete {
            findings.warn(.obsoleteParameter(ExactString(set.entries[index].name)))
        }
        let text = UnsafeRawBufferPointer(rebasing: payload[member.value])
        if !outline.form.plainlyAdmits(text, kind: member.kind),
            !(admitsPlaceholders && Placeholder.isOne(text)),
            let fault = set.entries[index].check.fault(of: text, kind: member.kind),
            // It is no longer known which list it was.
            !(admitsPlaceholders && fault.isAboutWhich && Placeholder.isWithin(text))
        {
            findings.violate(set.entries[index].name, fault)
        }
        return outline.isRequired
    }

    @inline(__always)
    private static func withPlace(
        of member: JSONMember, hash: UInt64, in payload: UnsafeRawBufferPointer, _ event: CompiledDictionary.Event
    ) -> (ParameterSet, Int)? {
        PayloadMembers.withKey(of: member, in: payload) { key in
            if let index = event.own.index(of: key, hash: hash) { return (event.own, index) }
            if let index = event.category.index(of: key, hash: hash) { return (event.category, index) }
            if let index = event.common.index(of: key, hash: hash) { return (event.common, index) }
            return nil
        }
    }

    private mutating func unknown(_ member: JSONMember, hash: UInt64) {
        let isKey = PayloadMembers.withKey(of: member, in: payload) { key in
            (hash == categoryKey.hash && categoryKey.equals(key)) || (hash == nameKey.hash && nameKey.equals(key))
        }
        guard !isKey else { return }
        findings.violate(
            FindingsList.name(of: member, in: payload), .unknownParameter(found: member.kind.valueKind))
    }

    private mutating func missing(_ members: borrowing PayloadMembers, _ event: CompiledDictionary.Event) {
        let sets = [event.own, event.category, event.common]
        for (place, set) in sets.enumerated() {
            for (entry, outline) in zip(set.entries, set.outlines) where outline.isRequired {
                let key = PayloadKey(entry.name)
                let member = members.member(key, in: payload)
                guard (member?.kind ?? .null) == .null, !sets[..<place].contains(where: { $0.has(key) }) else {
                    continue
                }
                findings.violate(
                    entry.name, .missing(type: entry.check.name, found: member == nil ? nil : .null))
            }
        }
    }
}

extension Violation.Fault {
    /// Whether the value has the right type but is not one of the allowed values.
    fileprivate var isAboutWhich: Bool { if case .value = self { true } else { false } }
}
