import JSON
import Model

/// Validates one payload against the definition of its key, with the objects and arrays in it.
struct PayloadCheck {
    let payload: UnsafeRawBufferPointer
    let layout: CompiledLayout
    /// Where the payload has its key. These values are no parameters, even if a shared list has their names.
    let keyPlaces: KeyPlaces
    /// Whether a placeholder is valid for every parameter: the value was checked before it was replaced.
    let admitsPlaceholders: Bool
    /// What was found before values were replaced.
    let earlier: [Violation]
    var findings: FindingsList
    /// Where in the payload the check is.
    var place: PayloadPlace
    /// Memory for the members of objects within the payload.
    private var members: [PayloadMembers]
    /// Whether an object is checked again since it is not plain. What is in it is not tried in one go once more: the time would
    /// double with each level.
    private var isAgain = false

    /// - Parameters:
    ///   - findings: the findings so far.
    ///   - memory: the memory of an earlier check.
    init(
        payload: UnsafeRawBufferPointer, layout: CompiledLayout, keyPlaces: KeyPlaces, admitsPlaceholders: Bool,
        earlier: [Violation], findings: FindingsList, memory: consuming CheckMemory
    ) {
        self.payload = payload
        self.layout = layout
        self.keyPlaces = keyPlaces
        self.admitsPlaceholders = admitsPlaceholders
        self.earlier = earlier
        self.findings = findings
        place = memory.place
        members = memory.members
    }

    /// Ends the check.
    /// - Returns: the memory for the next one.
    consuming func takeMemory() -> CheckMemory { CheckMemory(place: place, members: members) }

    /// - Parameter members: the members of the payload.
    mutating func run(_ members: borrowing PayloadMembers, against event: CompiledDictionary.Event) {
        if event.isObsolete { findings.warn(.obsoleteEvent) }
        guard !layout.envelope.isEmpty, let envelope = event.envelope else { return check(members, event.payload) }
        check(members, in: envelope)
    }

    // MARK: members

    mutating func check(_ members: borrowing PayloadMembers, _ object: ObjectCheck) {
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
        let value = JSONElement(value: member.value, kind: member.kind)
        return PayloadMembers.withKey(of: member, in: payload) { key in
            if let index = object.own.index(of: key, hash: hash) { return take(value, object.own, index) }
            if let index = object.category.index(of: key, hash: hash) { return take(value, object.category, index) }
            if let index = object.common.index(of: key, hash: hash) { return take(value, object.common, index) }
            unknown(member, hash: hash, object)
            return false
        }
    }

    /// - Returns: whether it is a required parameter that has a value.
    @inline(__always)
    mutating func take(_ value: JSONElement, _ set: ParameterSet, _ index: Int) -> Bool {
        if case .null = value.kind { return false }
        let outline = set.outlines[index]
        if outline.isObsolete {
            findings.warn(.obsoleteParameter(ExactString(place.path(to: set.names[index]))))
        }
        let text = UnsafeRawBufferPointer(rebasing: payload[value.value])
        if !outline.form.plainlyAdmits(text, kind: value.kind) || isHidden(text), !keyPlaces.contains(value.value) {
            place.enter(set.names[index])
            check(value, set.checks[index])
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
        if let nested = check.nested { self.check(nested, in: value.value) }
    }

    // MARK: objects and arrays within the payload

    /// Checks the object or array at `place`.
    mutating func check(_ nested: ValueCheck.Nested, in value: Range<Int>) {
        guard var walk = JSONWalk(of: payload, in: value) else { return }
        // It was scanned with the payload: there is no error.
        try? check(nested, &walk)
    }

    /// Checks the object or array at `place`, where the walk is.
    private mutating func check(_ nested: ValueCheck.Nested, _ walk: inout JSONWalk) throws(JSONError) {
        switch nested {
        case .array(let array): try elements(&walk, array)
        case .object(let object):
            let (start, before, wasAgain) = (walk.offset, findings, isAgain)
            if !isAgain, try isPlain(&walk, object) { return }
            walk.offset = start
            findings = before
            isAgain = true
            withMembers(of: try walk.value().value) { $0.check($1, object) }
            isAgain = wasAgain
        }
    }

    /// Checks an object in one go, as long as it has no unknown or repeated members and lacks none, as nearly all have not.
    /// - Returns: whether that is so; if not, its findings are not complete.
    private mutating func isPlain(_ walk: inout JSONWalk, _ object: ObjectCheck) throws(JSONError) -> Bool {
        let set = object.own
        var (seen, required): (UInt64, Int) = (0, 0)
        var hasMore = try walk.enter()
        while hasMore {
            let (range, hasEscapes) = try walk.key()
            let key = UnsafeRawBufferPointer(rebasing: payload[range])
            guard !hasEscapes, let index = set.index(of: key, hash: KeyHash.of(key)), index < UInt64.bitWidth,
                seen & (1 &<< UInt64(index)) == 0
            else { return false }
            seen |= 1 &<< UInt64(index)
            let outline = set.outlines[index]
            if let nested = try nested(set.checks[index], outline.form, &walk) {
                place.enter(set.names[index])
                if outline.isObsolete { findings.warn(.obsoleteParameter(ExactString(place.path))) }
                try check(nested, &walk)
                place.leave()
                required += outline.isRequired ? 1 : 0
            } else {
                let value = try walk.value()
                if take(value, set, index) { required += 1 }
            }
            hasMore = try walk.hasMore()
        }
        return required == object.requiredCount
    }

    /// Returns what may be in the object or array at the walk's place; `nil` if it is another value than the type wants.
    @inline(__always)
    private func nested(
        _ check: @autoclosure () -> ValueCheck, _ form: ValueCheck.Form, _ walk: inout JSONWalk
    ) throws(JSONError) -> ValueCheck.Nested? {
        switch (form, try walk.firstByte()) {
        case (.object, UInt8(ascii: "{")), (.array, UInt8(ascii: "[")): check().nested
        default: nil
        }
    }

    /// Checks an element at `place` that needs no walk.
    @inline(__always)
    private mutating func take(_ element: JSONElement, of array: ArrayCheck) {
        if case .null = element.kind {
            if !array.allowsNull { findings.violate(place.path, array.element.typeFault(.null)) }
            return
        }
        let text = UnsafeRawBufferPointer(rebasing: payload[element.value])
        if !array.element.form.plainlyAdmits(text, kind: element.kind) || isHidden(text) {
            check(element, array.element)
        }
    }

    /// Calls `body` with the members of the object at `place`.
    mutating func withMembers(
        of value: Range<Int>, _ body: (inout PayloadCheck, borrowing PayloadMembers) -> Void
    ) {
        var members = self.members.popLast() ?? PayloadMembers()
        _ = members.scan(payload, in: value, limits: JSONLimits(maximumDepth: .max))
        for index in members.repeated {
            let name = FindingsList.name(of: members.members[index], in: payload)
            findings.warn(.duplicateKey(ExactString(place.path(to: name))))
        }
        body(&self, members)
        self.members.append(members)
    }

    private mutating func elements(_ walk: inout JSONWalk, _ array: ArrayCheck) throws(JSONError) {
        var count = 0
        place.enterElements()
        var hasMore = try walk.enter()
        while hasMore {
            if let nested = try nested(array.element, array.element.form, &walk) {
                place.go(to: count)
                try check(nested, &walk)
            } else {
                let element = try walk.value()
                place.go(to: count)
                take(element, of: array)
            }
            count += 1
            hasMore = try walk.hasMore()
        }
        place.leave()
        if count > array.maximumCount {
            findings.violate(place.path, .count(maximum: array.maximumCount, found: count))
        }
    }

    @inline(__always)
    func isHidden(_ text: UnsafeRawBufferPointer) -> Bool { admitsPlaceholders && Placeholder.isOne(text) }

    /// Repeats what was found about a value before it was replaced, as far as it still holds. What was found within an object
    /// or array is kept as long as there is one: its parts are not known any more.
    private mutating func hidden(_ check: ValueCheck) {
        guard !earlier.isEmpty else { return }
        let path = place.path
        for violation in earlier {
            if check.nested != nil, violation.isWithin(path) {
                findings.violate(violation.parameter, violation.fault)
            }
            guard violation.parameter == path, let fault = check.fault(knowing: violation.fault) else { continue }
            findings.violate(path, fault)
        }
    }

    mutating func keepFindings(at path: String) {
        for violation in earlier where violation.parameter == path || violation.isWithin(path) {
            findings.violate(violation.parameter, violation.fault)
        }
    }

    mutating func unknown(_ member: JSONMember, hash: UInt64, _ object: ObjectCheck) {
        guard !object.allowsExtra else { return }
        let isAllowed = PayloadMembers.withKey(of: member, in: payload) { key in
            (place.isPayload && layout.keys.contains { $0.hash == hash && $0.equals(key) })
                || object.extra.index(of: key, hash: hash) != nil
        }
        guard !isAllowed else { return }
        let path = place.path(to: FindingsList.name(of: member, in: payload))
        guard !layout.isOfKey(path) else { return }
        let text = UnsafeRawBufferPointer(rebasing: payload[member.value])
        let found =
            isHidden(text)
            ? earlier.lazy.compactMap { $0.parameter == path ? $0.fault.found : nil }.first ?? .replaced
            : member.kind.valueKind
        findings.violate(path, .unknownParameter(found: found))
        // The parameter may be defined again later.
        guard admitsPlaceholders, Placeholder.isOne(text) || Placeholder.isWithin(text) else { return }
        for violation in earlier
        where (violation.parameter == path && violation.rule.isAboutValues) || violation.isWithin(path) {
            findings.violate(violation.parameter, violation.fault)
        }
    }

    mutating func missing(_ members: borrowing PayloadMembers, _ object: ObjectCheck) {
        let sets = [object.own, object.category, object.common]
        for (index, set) in sets.enumerated() {
            for parameter in set.names.indices where set.outlines[parameter].isRequired {
                let name = set.names[parameter]
                let key = PayloadKey(name)
                let member = members.member(key, in: payload)
                guard (member?.kind ?? .null) == .null, !sets[..<index].contains(where: { $0.has(key) }) else {
                    continue
                }
                let fault = Violation.Fault.missing(
                    type: set.checks[parameter].name, found: member == nil ? nil : .null)
                findings.violate(place.path(to: name), fault)
            }
        }
    }
}

extension Violation {
    /// Whether it is about a part of the value at `path`.
    func isWithin(_ path: String) -> Bool { parameter.isPath(within: path) }
}

extension Violation.Rule {
    /// Whether the rule concerns the value, and not whether there may be one.
    var isAboutValues: Bool {
        switch self {
        case .type, .range, .length, .value: true
        case .missing, .unknownParameter: false
        }
    }
}

extension Violation.Fault {
    /// Whether the value has the right type but is not one of the allowed values.
    fileprivate var isAboutWhich: Bool { if case .value = self { true } else { false } }
}
