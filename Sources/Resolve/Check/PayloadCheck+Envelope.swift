import JSON
import Model

/// Payloads whose parameters are in an object: the common ones stand beside it.
extension PayloadCheck {
    /// - Parameter members: the members of the payload.
    mutating func check(_ members: borrowing PayloadMembers, in envelope: CompiledDictionary.Envelope) {
        var found: Set<Int> = []
        check(members, in: envelope, level: 0, &found)
        if found.count < envelope.outer.requiredCount { missing(envelope.outer.own, except: found) }
    }

    /// Checks the members of the payload, or of an object in it, that stand beside the object with the parameters.
    /// - Parameter found: the indices of required common parameters that have a value.
    private mutating func check(
        _ members: borrowing PayloadMembers, in envelope: CompiledDictionary.Envelope, level: Int,
        _ found: inout Set<Int>
    ) {
        let (name, key) = layout.envelope[level]
        var inner: JSONMember?
        for index in members.members.indices where !members.superseded.contains(index) {
            let (member, hash) = (members.members[index], members.hashes[index])
            let common = PayloadMembers.withKey(of: member, in: payload) { text in
                if hash == key.hash, key.equals(text) { inner = member }
                return envelope.outer.own.index(of: text, hash: hash)
            }
            if inner?.key == member.key { continue }
            guard let common else {
                unknown(member, hash: hash, envelope.outer)
                continue
            }
            let value = JSONElement(value: member.value, kind: member.kind)
            if take(value, envelope.outer.own, common) { found.insert(common) }
        }
        place.enter(name)
        check(inner, in: envelope, level: level + 1, &found)
        place.leave()
    }

    /// Checks the object at `place`, which has the parameters, or contains the object that has them.
    private mutating func check(
        _ member: JSONMember?, in envelope: CompiledDictionary.Envelope, level: Int, _ found: inout Set<Int>
    ) {
        let isInner = level == layout.envelope.count
        guard let member, member.kind != .null else {
            // It counts as an empty object.
            if envelope.inner.requiredCount > 0 { missing(envelope.inner, at: level) }
            return
        }
        let text = UnsafeRawBufferPointer(rebasing: payload[member.value])
        if isHidden(text) { return keepFindings(at: place.path) }
        guard member.kind == .object else {
            let fault = Violation.Fault.type(ExactString("object"), found: member.kind.valueKind)
            return findings.violate(place.path, fault)
        }
        if isInner, envelope.inner.category.outlines.isEmpty {
            return check(.object(envelope.inner), in: member.value)
        }
        withMembers(of: member.value) { check, members in
            if isInner {
                check.check(members, envelope.inner)
            } else {
                check.check(members, in: envelope, level: level, &found)
            }
        }
    }

    /// Reports the parameters of the object with the parameters as missing, because there is no such object.
    /// - Parameter level: how much of the path to that object `place` is.
    private mutating func missing(_ object: ObjectCheck, at level: Int) {
        for (name, _) in layout.envelope[level...] { place.enter(name) }
        missing(PayloadMembers(), object)
        for _ in layout.envelope[level...] { place.leave() }
    }

    /// Reports required parameters of the payload itself.
    private mutating func missing(_ set: ParameterSet, except found: Set<Int>) {
        for index in set.names.indices where set.outlines[index].isRequired && !found.contains(index) {
            findings.violate(set.names[index], .missing(type: set.checks[index].name, found: nil))
        }
    }
}
