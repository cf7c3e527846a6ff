import JSON
import Model

/// Validates one payload against the definition of its key, with the objects and arrays in it.
struct PayloadCheck {
    let payload: UnsafeRawBufferPointer
    /// The members of the payload itself that name its definition.
    let keys: [PayloadKey]
    /// Whether a placeholder is valid for every parameter: the value was checked before it was replaced.
    let admitsPlaceholders: Bool
    /// What was found about the values that were replaced since.
    let earlier: [Violation]
    private(set) var findings: FindingsList
    private var place = PayloadPlace()
    /// Memory for the members of objects within the payload.
    private(set) var memory: [PayloadMembers]

    /// - Parameters:
    ///   - findings: the findings so far.
    ///   - memory: reused; it is returned in the property of this name.
    init(
        payload: UnsafeRawBufferPointer, keys: [PayloadKey], admitsPlaceholders: Bool, earlier: [Violation],
        findings: FindingsList, memory: consuming [PayloadMembers]
    ) {
        self.payload = payload
        self.keys = keys
        self.admitsPlaceholders = admitsPlaceholders
        self.earlier = earlier
        self.findings = findings
        self.memory = memory
    }

    /// - Parameter members: the members of the payload.
    mutating func run(_ members: borrowing PayloadMembers, against event: CompiledDictionary.Event) {
        if event.isObsolete { findings.warn(.obsoleteEvent) }
        check(members, event.payload)
    }

    private mutating func check(_ members: borrowing PayloadMembers, _ object: ObjectCheck) {
        var required = 0
        let hasRepeated = !members.superseded.isEmpty
        for index in members.members.indices {
            if hasRepeated, members.superseded.contains(index) { continue }
            if take(members.members[index], hash: members.hashes[index], object) { required += 1 }
        }
        if required < object.requiredCount { missing(members, object) }
    }

    /// - Returns: whether it is a required parameter that has a value.
    @inline(__always)
    private mutating func take(_ member: JSONMember, hash: UInt64, _ object: ObjectCheck) -> Bool {
        let found = PayloadMembers.withKey(of: member, in: payload) { object.place(of: $0, hash: hash) }
        guard let (set, index) = found else {
            unknown(member, hash: hash, object)
            return false
        }
        if case .null = member.kind { return false }
        let outline = set.outlines[index]
        if outline.isObsolete {
            findings.warn(.obsoleteParameter(ExactString(place.path(to: set.entries[index].name))))
        }
        let text = UnsafeRawBufferPointer(rebasing: payload[member.value])
        if !outline.form.plainlyAdmits(text, kind: member.kind) || isHidden(text) {
            place.enter(set.entries[index].name)
            check(JSONElement(value: member.value, kind: member.kind), set.entries[index].check)
            place.leave()
        }
        return outline.isRequired
    }

    /// Checks the value at `place`.
    private mutating func check(_ value: JSONElement, _ check: ValueCheck) {
        let text = UnsafeRawBufferPointer(rebasing: payload[value.value])
        if isHidden(text) { return hidden(check) }
        if let fault = check.fault(of: text, kind: value.kind) {
            // Of a list with a placeholder in it, it is no longer known which list it was.
            if admitsPlaceholders, fault.isAboutWhich, Placeholder.isWithin(text) { return hidden(check) }
            return findings.violate(place.path, fault)
        }
        switch check.nested {
        case .object(let object): members(of: value, object)
        case .array(let array): elements(of: value, array)
        case nil: break
        }
    }

    private mutating func members(of value: JSONElement, _ object: ObjectCheck) {
        var members = memory.popLast() ?? PayloadMembers()
        defer { memory.append(members) }
        // It was scanned with the payload: there is no error.
        _ = members.scan(payload, in: value.value, limits: JSONLimits(maximumDepth: .max))
        for index in members.repeated {
            let name = FindingsList.name(of: members.members[index], in: payload)
            findings.warn(.duplicateKey(ExactString(place.path(to: name))))
        }
        check(members, object)
    }

    private mutating func elements(of value: JSONElement, _ array: ArrayCheck) {
        guard var elements = JSONElements(of: payload, in: value.value) else { return }
        var count = 0
        place.enterElements()
        while let element = elements.next() {
            let text = UnsafeRawBufferPointer(rebasing: payload[element.value])
            let isAllowedNull = element.kind == .null && array.allowsNull
            if !isAllowedNull, !array.element.form.plainlyAdmits(text, kind: element.kind) || isHidden(text) {
                place.element = count
                check(element, array.element)
            }
            count += 1
        }
        place.leave()
        if count > array.maximumCount {
            findings.violate(place.path, .count(maximum: array.maximumCount, found: count))
        }
    }

    @inline(__always)
    private func isHidden(_ text: UnsafeRawBufferPointer) -> Bool { admitsPlaceholders && Placeholder.isOne(text) }

    /// Repeats what was found about a value before it was replaced, as far as it still holds.
    private mutating func hidden(_ check: ValueCheck) {
        guard !earlier.isEmpty else { return }
        let path = place.path
        for violation in earlier where violation.parameter == path {
            if let fault = check.fault(knowing: violation.fault) { findings.violate(path, fault) }
        }
    }

    private mutating func unknown(_ member: JSONMember, hash: UInt64, _ object: ObjectCheck) {
        guard !object.allowsExtra else { return }
        let isAllowed = PayloadMembers.withKey(of: member, in: payload) { key in
            (place.isPayload && keys.contains { $0.hash == hash && $0.equals(key) })
                || object.extra.index(of: key, hash: hash) != nil
        }
        guard !isAllowed else { return }
        let path = place.path(to: FindingsList.name(of: member, in: payload))
        findings.violate(path, .unknownParameter(found: member.kind.valueKind))
        // The parameter may be defined again later.
        let text = UnsafeRawBufferPointer(rebasing: payload[member.value])
        guard admitsPlaceholders, Placeholder.isOne(text) || Placeholder.isWithin(text) else { return }
        for violation in earlier where violation.parameter == path { findings.violate(path, violation.fault) }
    }

    private mutating func missing(_ members: borrowing PayloadMembers, _ object: ObjectCheck) {
        let sets = [object.own, object.category, object.common]
        for (index, set) in sets.enumerated() {
            for (entry, outline) in zip(set.entries, set.outlines) where outline.isRequired {
                let key = PayloadKey(entry.name)
                let member = members.member(key, in: payload)
                guard (member?.kind ?? .null) == .null, !sets[..<index].contains(where: { $0.has(key) }) else {
                    continue
                }
                findings.violate(
                    place.path(to: entry.name), .missing(type: entry.check.name, found: member == nil ? nil : .null))
            }
        }
    }
}

/// The place of a value in a payload. It becomes a text only when there is a finding.
private struct PayloadPlace {
    private enum Step {
        case member(String)
        case element(Int)
    }

    private var steps: [Step] = []

    private static let maximumBytes = 256

    /// Whether it is the payload itself.
    var isPayload: Bool { steps.isEmpty }

    mutating func enter(_ name: String) { steps.append(.member(name)) }
    mutating func enterElements() { steps.append(.element(0)) }
    mutating func leave() { steps.removeLast() }

    /// The index of the element, after `enterElements`.
    var element: Int {
        get { if case .element(let index)? = steps.last { index } else { 0 } }
        set { steps[steps.count - 1] = .element(newValue) }
    }

    /// Such as `items[3].price`; of limited length.
    var path: String {
        if steps.count == 1, case .member(let name) = steps[0] { return name }
        var path = ""
        for step in steps {
            switch step {
            case .member(let name): path += path.isEmpty ? name : ".\(name)"
            case .element(let index): path += "[\(index)]"
            }
        }
        return Array(path.utf8).withUnsafeBytes { $0.text(atMost: Self.maximumBytes) }
    }

    func path(to name: String) -> String {
        guard !isPayload else { return name }
        var member = self
        member.enter(name)
        return member.path
    }
}

extension Violation.Fault {
    /// Whether the value has the right type but is not one of the allowed values.
    fileprivate var isAboutWhich: Bool { if case .value = self { true } else { false } }
}
