/// Finds the parameters of a payload by parsing it once, for the payloads and values that columns do not have.
struct PayloadParameters {
    private struct Parameter {
        /// The name of the object that the parameter belongs to, including a dot at the end.
        var prefix: Range<Int>
        var key: Range<Int>
        var value: Range<Int>
        var isString: Bool
        /// Whether the same key occurred again.
        var isSuperseded = false
    }

    /// A member of an object that is being read.
    private struct Member {
        var key: Range<Int>
        /// Its own parameter, and those nested in it.
        var parameters: Range<Int>
    }

    private let scan: PayloadScan
    /// Keys and prefixes.
    private var text: [UInt8] = []
    private var parameters: [Parameter] = []
    private var members: [Member] = []

    /// Deeper objects are not parsed. Payloads are not nested that deep.
    private static let maximumDepth = 128
    /// A key is compared with so many others of its object before it is looked up.
    private static let fewMembers = 32

    /// Calls `body` with each parameter that is wanted: its name, with dots after the names of the objects that it is nested in,
    /// and the text of a string or the JSON text of any other value. If a key occurs twice in an object, the last one
    /// counts. Names that are too long are not parameters.
    /// - Parameters:
    ///   - payload: a JSON object. Of other bytes, anything may be taken for a parameter.
    ///   - isWanted: whether a parameter of a name is wanted.
    static func forEach(
        in payload: UnsafeRawBufferPointer, where isWanted: (_ name: UnsafeRawBufferPointer) -> Bool = { _ in true },
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ isString: Bool) throws -> Void
    ) rethrows {
        var walk = Self(scan: PayloadScan(payload))
        guard let start = walk.scan.token(from: 0), payload[start] == UInt8(ascii: "{") else { return }
        _ = walk.object(from: start, prefix: 0..<0, depth: 1)
        var name: [UInt8] = []
        try walk.text.withUnsafeBytes { text in
            for parameter in walk.parameters where !parameter.isSuperseded {
                let value = UnsafeRawBufferPointer(rebasing: payload[parameter.value])
                func take(_ name: UnsafeRawBufferPointer) throws {
                    guard isWanted(name) else { return }
                    if parameter.isString {
                        try value.withUnescaped { try body(name, $0, true) }
                    } else {
                        try body(name, value, false)
                    }
                }
                if parameter.prefix.isEmpty {
                    try take(UnsafeRawBufferPointer(rebasing: text[parameter.key]))
                } else {
                    name.removeAll(keepingCapacity: true)
                    name += text[parameter.prefix]
                    name += text[parameter.key]
                    try name.withUnsafeBytes { try take($0) }
                }
            }
        }
    }

    private init(scan: PayloadScan) { self.scan = scan }

    /// - Returns: the position after the object; `nil` when it has no end.
    private mutating func object(from start: Int, prefix: Range<Int>, depth: Int) -> Int? {
        var at = start + 1
        let first = members.count
        // The members by their keys, when there are many.
        var known: [[UInt8]: Int] = [:]
        while true {
            switch scan.step(from: at) {
            case nil: return nil
            case .end(let end):
                members.removeSubrange(first...)
                return end
            case .member(let written, let value):
                let key = append(UnsafeRawBufferPointer(rebasing: scan.bytes[written]))
                let place = parameters.count
                guard let end = parameter(key, value, prefix, depth) else { return nil }
                take(Member(key: key, parameters: place..<parameters.count), since: first, &known)
                at = end
            }
        }
    }

    /// - Parameter written: a key as it is written.
    private mutating func append(_ written: UnsafeRawBufferPointer) -> Range<Int> {
        let start = text.count
        written.withUnescaped { text.append(contentsOf: $0) }
        return start..<text.count
    }

    /// Adds a member, or puts it in the place of the one that had its key.
    /// - Parameter first: the object's first member.
    private mutating func take(_ member: Member, since first: Int, _ known: inout [[UInt8]: Int]) {
        guard let place = place(of: member.key, since: first, &known) else {
            members.append(member)
            return
        }
        for parameter in members[place].parameters { parameters[parameter].isSuperseded = true }
        members[place] = member
    }

    private func place(of key: Range<Int>, since first: Int, _ known: inout [[UInt8]: Int]) -> Int? {
        guard members.count - first < Self.fewMembers else {
            if known.isEmpty {
                for place in first..<members.count { known[Array(text[members[place].key])] = place }
            }
            let key = Array(text[key])
            if let place = known[key] { return place }
            known[key] = members.count
            return nil
        }
        return text.withUnsafeBytes { text in
            (first..<members.count).first { place in
                let other = members[place].key
                return other.count == key.count
                    && UnsafeRawBufferPointer(rebasing: text[other]).hasSameBytes(
                        as: UnsafeRawBufferPointer(rebasing: text[key]))
            }
        }
    }

    /// - Returns: the position after the value.
    private mutating func parameter(_ key: Range<Int>, _ value: Int, _ prefix: Range<Int>, _ depth: Int) -> Int? {
        let isNamed = prefix.count + key.count <= PayloadPaths.longestName
        guard scan.bytes[value] == UInt8(ascii: "{") else {
            guard let (content, kind, end) = scan.value(from: value) else { return nil }
            if isNamed {
                parameters.append(.init(prefix: prefix, key: key, value: content, isString: kind == .string))
            }
            return end
        }
        guard isNamed, depth < Self.maximumDepth else { return scan.endOfContainer(from: value) }
        let place = parameters.count
        parameters.append(.init(prefix: prefix, key: key, value: value..<value, isString: false))
        let start = text.count
        text += Array(text[prefix]) + Array(text[key])
        text.append(UInt8(ascii: "."))
        guard let end = object(from: value, prefix: start..<text.count, depth: depth + 1) else { return nil }
        parameters[place].value = value..<end
        return end
    }
}

/// Names of parameters that are wanted.
struct ParameterNames {
    let all: Set<[UInt8]>
    /// The names, if they are few, which are compared faster than looked up.
    private let few: [[UInt8]]

    private static let mostCompared = 8

    init(_ names: Set<[UInt8]>) {
        all = names
        few = names.count <= Self.mostCompared ? Array(names) : []
    }

    func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        few.isEmpty
            ? all.contains(Array(name)) : few.contains { $0.withUnsafeBytes { $0.hasSameBytes(as: name) } }
    }
}
