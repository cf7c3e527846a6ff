import TestSupport

/// The type of a value, as the test's own model of definitions: nothing of the parser or the resolver is in it.
indirect enum SampleType {
    case text(most: Int), integer, flag, date, anything, notObject
    case choice([String])
    case object(Int)
    case list(SampleType, nulls: Bool, most: Int)
    /// Another type, by a name of its own.
    case other(Int)
}

struct SampleMember {
    var name: String
    var type: SampleType
    var isOptional: Bool
    var isObsolete: Bool

    var isRequired: Bool { !isOptional && !isObsolete }

    /// The same in every list, since privacy goes by name.
    var privacy: String? { ["secret": "private", "token": "hash"][name] }
}

/// A JSON value.
indirect enum SampleValue {
    case null, flag(Bool), integer(Int), fraction, text(String), list([SampleValue]), object([(String, SampleValue)])

    var json: String {
        switch self {
        case .null: "null"
        case .flag(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .fraction: "1.5"
        case .text(let text): "\"\(text)\""
        case .list(let elements): "[\(elements.map(\.json).joined(separator: ", "))]"
        case .object(let members): "{\(members.map { "\"\($0)\":\($1.json)" }.joined(separator: ","))}"
        }
    }
}

/// A random dictionary of one event whose types refer to types with higher numbers, and random payloads of it.
struct NestedSample {
    var random: SeededGenerator
    /// Objects: `T0`, `T1` and so on.
    private(set) var objects: [(members: [SampleMember], allowsExtra: Bool)] = []
    /// Other types, `N0` and so on.
    private(set) var others: [SampleType] = []
    private(set) var parameters: [SampleMember] = []
    /// Where payloads have the key and the parameters.
    let layout: SampleLayout

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        layout = SampleLayout.allCases[Int(seed % UInt64(SampleLayout.allCases.count))]
        let (objectCount, otherCount) = (pick(1...4), pick(1...3))
        others = (0..<otherCount).map { _ in named(objects: 0..<objectCount) }
        objects = (0..<objectCount).map { index in
            (members(objects: index + 1..<objectCount, inTypes: true), chance(0.2))
        }
        // The other types refer to objects, so that members of objects must not have them.
        parameters = members(objects: 0..<objectCount, inTypes: false)
    }

    private mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    private mutating func members(objects: Range<Int>, inTypes: Bool) -> [SampleMember] {
        let names = ["a", "b", "c_1", "D", "secret", "token"].shuffled(using: &random).prefix(pick(1...5))
        return names.map { name in
            SampleMember(
                name: name, type: type(objects: objects, inTypes: inTypes), isOptional: chance(0.5),
                isObsolete: chance(0.1))
        }
    }

    private mutating func type(objects: Range<Int>, inTypes: Bool, depth: Int = 0) -> SampleType {
        switch pick(0...9) {
        case 0: .text(most: pick(1...6))
        case 1: .integer
        case 2: .flag
        case 3: .date
        case 4 where inTypes: .anything
        case 4: .notObject
        case 5, 6: objects.isEmpty ? .integer : .object(pick(objects.lowerBound...objects.upperBound - 1))
        case 7 where inTypes && depth < 3: list(objects, depth)
        case 7 where !inTypes, 8 where !inTypes: .other(pick(0...others.count - 1))
        default: .notObject
        }
    }

    private mutating func list(_ objects: Range<Int>, _ depth: Int) -> SampleType {
        .list(type(objects: objects, inTypes: true, depth: depth + 1), nulls: chance(0.3), most: pick(1...3))
    }

    /// The type that a name stands for.
    private mutating func named(objects: Range<Int>) -> SampleType {
        switch pick(0...3) {
        case 0: .choice(["x", "7", "long value"])
        case 1: .anything
        default: list(objects, 0)
        }
    }

    // MARK: definitions

    /// The definition files: the event `event` of the category `a`, and the types.
    var files: [(name: String, text: String)] {
        var types = ""
        for (index, object) in objects.enumerated() {
            types += "## T\(index)\n\(object.allowsExtra ? "extra parameters: allowed\n" : "")\n"
            types += object.members.map(line).joined() + "\n"
        }
        for (index, other) in others.enumerated() {
            types += "## N\(index)\n\n"
            if case .choice(let values) = other {
                types += values.map { "- \($0)\n" }.joined() + "\n"
            } else {
                types += "- \(text(other))\n\n"
            }
        }
        return [("a.md", "## event\n\nText.\n\n\(parameters.map(line).joined())"), ("types/all.md", types)]
    }

    private func line(_ member: SampleMember) -> String {
        let privacy = member.privacy.map { "    - privacy: \($0)\n" } ?? ""
        let marker = member.isObsolete ? "[obsolete] " : ""
        return "- \(marker)\(member.name): \(text(member.type, isOptional: member.isOptional))\n\(privacy)"
    }

    private func text(_ type: SampleType, isOptional: Bool = false) -> String {
        let mark = isOptional ? "?" : ""
        return switch type {
        case .text(let most): "!string\(mark) \(most)"
        case .integer: "!smallint\(mark)"
        case .flag: "!boolean\(mark)"
        case .date: "!date\(mark)"
        case .anything: "!any\(mark)"
        case .notObject, .choice: "Whatever\(mark)"
        case .object(let index): "T\(index)\(mark)"
        case .other(let index): "N\(index)\(mark)"
        case .list(let element, let nulls, let most): "[\(text(element, isOptional: nulls))]\(mark) \(most)"
        }
    }

    // MARK: payloads

    /// The parameters of a payload.
    mutating func values() -> [(String, SampleValue)] { members(parameters, wrong: 0.1) }

    mutating func payload() -> SampleValue {
        let values = values()
        return .object(layout.payload(values))
    }

    private mutating func members(_ members: [SampleMember], wrong: Double) -> [(String, SampleValue)] {
        var values: [(String, SampleValue)] = []
        for member in members where !chance(member.isOptional ? 0.4 : wrong) {
            values.append((member.name, chance(wrong) ? .null : value(member.type, wrong: wrong)))
        }
        if chance(wrong) { values.append(("other", wild())) }
        return values.shuffled(using: &random)
    }

    private mutating func value(_ type: SampleType, wrong: Double) -> SampleValue {
        if chance(wrong) { return wild() }
        switch type {
        case .text(let most): return .text(String("abcdefgh".prefix(pick(0...most + (chance(wrong) ? 2 : 0)))))
        case .integer: return .integer(chance(wrong) ? 40_000 : pick(-9...9))
        case .flag: return .flag(chance(0.5))
        case .date: return .text(chance(wrong) ? "2026-02-30" : "2026-02-28")
        case .anything, .notObject: return wild()
        case .choice: return [.text("x"), .integer(7), .text("7"), .text("y")][pick(0...3)]
        case .object(let index): return .object(members(objects[index].members, wrong: wrong))
        case .other(let index): return value(others[index], wrong: wrong)
        case .list(let element, let nulls, let most):
            return .list(
                (0..<pick(0...most + (chance(wrong) ? 1 : 0))).map { _ in
                    nulls && chance(0.2) ? .null : value(element, wrong: wrong)
                })
        }
    }

    /// Any value.
    private mutating func wild() -> SampleValue {
        switch pick(0...8) {
        case 0: .null
        case 1: .flag(true)
        case 2: .integer(pick(0...9))
        case 3: .fraction
        case 4: .list([.object([("secret", .text("hidden"))]), .integer(1)])
        case 5: .object([("secret", .integer(1)), ("z", .object([("token", .list([]))]))])
        case 6: .object([])
        case 7: .text("2026-11-24")
        default: .text("text")
        }
    }
}
