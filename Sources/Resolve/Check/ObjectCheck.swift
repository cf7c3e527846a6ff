import JSON
import Model

/// What is allowed in an object: the payload of an event, or a value of a custom type within it.
final class ObjectCheck: Sendable {
    /// The event's own parameters or the type's members; the three sets are searched in this order, and the first that has
    /// a name counts.
    let own: ParameterSet
    /// Those of the event's category, and of all events. An object of a type has none.
    let category: ParameterSet
    let common: ParameterSet
    let requiredCount: Int
    /// Whether it may have any other members.
    let allowsExtra: Bool
    /// The other members that it may have.
    let extra: KeyTable

    init(
        own: ParameterSet, category: ParameterSet = .none, common: ParameterSet = .none, allowsExtra: Bool,
        extra: KeyTable = .empty
    ) {
        self.own = own
        self.category = category
        self.common = common
        requiredCount = own.requiredCount + category.requiredCount + common.requiredCount
        self.allowsExtra = allowsExtra
        self.extra = extra
    }

    /// Whether a definition has the name of a member.
    func defines(_ member: JSONMember, in payload: UnsafeRawBufferPointer) -> Bool {
        PayloadMembers.withKey(of: member, in: payload) { check(of: $0, hash: KeyHash.of($0)) != nil }
    }

    /// Returns the check of a member's value.
    func check(of key: UnsafeRawBufferPointer, hash: UInt64) -> ValueCheck? {
        for set in [own, category, common] {
            if let index = set.index(of: key, hash: hash) { return set.checks[index] }
        }
        return nil
    }
}

/// What is allowed in an array.
final class ArrayCheck: Sendable {
    let element: ValueCheck
    let allowsNull: Bool
    let maximumCount: Int

    init(element: ValueCheck, allowsNull: Bool, maximumCount: Int?) {
        self.element = element
        self.allowsNull = allowsNull
        self.maximumCount = maximumCount ?? .max
    }
}

/// Prepares types for checking payloads. All uses of a type share one object.
struct TypeCompiler {
    private var objects: [ObjectIdentifier: ObjectCheck] = [:]

    mutating func object(_ type: ObjectType) -> ObjectCheck {
        if let known = objects[ObjectIdentifier(type)] { return known }
        let check = ObjectCheck(own: ParameterSet(type.members, &self), allowsExtra: type.allowsExtra)
        objects[ObjectIdentifier(type)] = check
        return check
    }
}

/// The parameters of one list, prepared for checking payloads.
///
/// All events that share the list share one object, which pays off for common parameters.
final class ParameterSet: Sendable {
    /// The part that decides about almost every value. It can be copied without cost.
    struct Outline: Sendable {
        let form: ValueCheck.Form
        let isRequired: Bool
        let isObsolete: Bool
    }

    let names: [String]
    let checks: [ValueCheck]
    let outlines: [Outline]
    let requiredCount: Int
    private let table: KeyTable

    static let none: ParameterSet = {
        var types = TypeCompiler()
        return ParameterSet([], &types)
    }()

    init(_ all: [Parameter], _ types: inout TypeCompiler) {
        let parameters = all.firstOfEachName
        names = parameters.map(\.name)
        checks = parameters.map { ValueCheck($0, &types) }
        outlines = zip(parameters, checks).map {
            Outline(form: $1.form, isRequired: $0.isRequired, isObsolete: $0.isObsolete)
        }
        requiredCount = outlines.count { $0.isRequired }
        table = KeyTable(parameters.map(\.name))
    }

    @inline(__always)
    func index(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int? { table.index(of: key, hash: hash) }

    func has(_ key: PayloadKey) -> Bool { key.bytes.withUnsafeBytes { index(of: $0, hash: key.hash) != nil } }
}
