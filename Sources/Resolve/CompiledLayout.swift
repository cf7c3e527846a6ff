import JSON
import Model

/// A layout prepared for finding keys and parameters in payloads. It is passed along for each payload, and so is an object.
final class CompiledLayout: Sendable {
    enum Part: Sendable {
        case member(PathSearch)
        case journalField(ExactString)
        case fixed([UInt8])
        case definingFile

        init(_ part: KeyPart) {
            switch part {
            case .member(let path): self = .member(PathSearch(path))
            case .journalField(let field): self = .journalField(field)
            case .fixed(let text): self = .fixed(Array(text.text.utf8))
            case .definingFile: self = .definingFile
            }
        }
    }

    let category: Part
    let name: Part
    /// The names of the objects that contain the parameters, from the outside in; none if these are in the payload itself.
    let envelope: [(name: String, key: PayloadKey)]
    let format: PayloadFormat
    /// Where the program says its level and its time. Private values are not taken for that.
    let level: PathSearch?
    let time: PathSearch?
    private let hidesLevel: Bool
    private let hidesTime: Bool
    /// The members of the payload itself that have a part of the key, the level or the time, or contain one.
    let keys: [PayloadKey]
    /// The members of objects that have one.
    private let nested: [MemberPath]

    /// - Parameter isPrivate: whether the values of members with a name are protected.
    init(_ layout: PayloadLayout, isPrivate: (String) -> Bool = { _ in false }) {
        func hides(_ path: MemberPath?) -> Bool { path?.steps.contains(where: isPrivate) == true }
        (format, hidesLevel, hidesTime) = (layout.format, hides(layout.level), hides(layout.time))
        level = hidesLevel ? nil : layout.level.map(PathSearch.init)
        time = hidesTime ? nil : layout.time.map(PathSearch.init)
        let members = layout.members + [layout.level, layout.time].compactMap(\.self)
        category = Part(layout.category)
        name = Part(layout.name)
        envelope = (layout.parametersAt?.steps ?? []).map { ($0, PayloadKey($0)) }
        keys = members.flatMap { Set([ExactString($0.text), ExactString($0.steps[0])]) }
            .map { PayloadKey($0.text) }
        nested = members.filter { $0.steps.count > 1 }
    }

    var hasProgramFacts: Bool { level != nil || time != nil }

    /// Returns what was taken from a payload, as far as it is not private.
    func redacted(_ facts: ProgramFacts) -> ProgramFacts {
        ProgramFacts(
            level: hidesLevel ? nil : facts.level, timeMicroseconds: hidesTime ? nil : facts.timeMicroseconds)
    }

    /// Finds the key of an event.
    /// - Parameters:
    ///   - members: the members of the payload.
    ///   - memory: memory for the members of objects in it.
    /// - Returns: its parts, as far as they are there and are strings.
    func key(
        in payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, _ origin: Origin,
        _ memory: inout PayloadMembers
    ) -> (category: FoundPart?, name: FoundPart?) {
        (
            find(category, in: payload, members, origin, &memory), find(name, in: payload, members, origin, &memory)
        )
    }

    @inline(__always)
    private func find(
        _ part: Part, in payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, _ origin: Origin,
        _ memory: inout PayloadMembers
    ) -> FoundPart? {
        switch part {
        case .member(let search):
            guard let member = search.member(in: payload, members, &memory), case .string(let hasEscapes) = member.kind
            else { return nil }
            return .string(member, hasEscapes: hasEscapes)
        case .journalField(let field): return origin.keyFields[field].map { .text(Array($0.utf8)) }
        case .fixed(let text): return .text(text)
        case .definingFile: return .notNeeded
        }
    }

    /// Whether a member has a part of the key, the level or the time, or contains one.
    /// - Parameter path: its path within the payload.
    func isOfKey(_ path: String) -> Bool {
        !nested.isEmpty && nested.contains { $0 == MemberPath(path) || MemberPath(path).contains($0) }
    }
}

/// Finds the member at a path in payloads.
final class PathSearch: Sendable {
    /// A member of the payload itself may have a name with dots.
    private let whole: PayloadKey
    /// The names from the outside in; none if the path is just a name.
    private let steps: [PayloadKey]

    init(_ path: MemberPath) {
        whole = PayloadKey(path.text)
        let names = path.steps
        steps = names.count == 1 ? [] : names.map(PayloadKey.init)
    }

    /// - Parameters:
    ///   - members: the members of the payload.
    ///   - memory: memory for the members of objects in it.
    @inline(__always)
    func member(
        in payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, _ memory: inout PayloadMembers
    ) -> JSONMember? {
        if let member = members.member(whole, in: payload) { return member }
        return steps.isEmpty ? nil : nested(in: payload, members, &memory)
    }

    private func nested(
        in payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, _ memory: inout PayloadMembers
    ) -> JSONMember? {
        var found = members.member(steps[0], in: payload)
        for step in steps.dropFirst() {
            guard let object = found, object.kind == .object,
                memory.scan(payload, in: object.value, limits: JSONLimits(maximumDepth: .max)) == nil
            else { return nil }
            found = memory.member(step, in: payload)
        }
        return found
    }
}

/// Where a payload has its key, as far as it has one. These values are never replaced: without them, the event could not be
/// resolved again.
struct KeyPlaces: Sendable {
    var category: Range<Int>?
    var name: Range<Int>?

    static let none = KeyPlaces()

    func contains(_ value: Range<Int>) -> Bool { value == category || value == name }

    /// Whether one of them is a part of a value.
    func areWithin(_ value: Range<Int>) -> Bool {
        [category, name].contains { place in
            place.map { value.lowerBound < $0.lowerBound && $0.upperBound < value.upperBound } ?? false
        }
    }
}

/// A key as it was found.
struct FoundKey {
    let category: FoundPart
    let name: FoundPart

    /// - Parameter body: gets category and name; `nil` for the category if the name alone finds the definition.
    @inline(__always)
    func withBytes<Result>(
        in payload: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer?, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        category.withBytes(in: payload) { category in
            // Only a category may not be needed.
            name.withBytes(in: payload) { name in body(category, name ?? .init(start: nil, count: 0)) }
        }
    }
}

/// A part of a key as it was found.
enum FoundPart {
    /// A string in the payload.
    case string(JSONMember, hasEscapes: Bool)
    case text([UInt8])
    /// The category is not in the event: the name alone finds the definition.
    case notNeeded

    /// The value in the payload; `nil` if it is not there.
    var place: Range<Int>? { if case .string(let member, _) = self { member.value } else { nil } }

    /// - Parameter body: gets `nil` if the part is not needed.
    @inline(__always)
    func withBytes<Result>(
        in payload: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        switch self {
        case .string(let member, hasEscapes: false): body(UnsafeRawBufferPointer(rebasing: payload[member.content]))
        case .string(let member, hasEscapes: true):
            JSONScanner.unescape(UnsafeRawBufferPointer(rebasing: payload[member.content])).withUnsafeBytes { body($0) }
        case .text(let text): text.withUnsafeBytes { body($0) }
        case .notNeeded: body(nil)
        }
    }
}
