import FoundationEssentials
import Glibc
import JSON
import Model

/// The name of a member.
struct WireKey: ExpressibleByStringLiteral {
    let name: String
    /// Its place in the order of the objects that have it; `nil` if there is none.
    let place: Int?

    init(stringLiteral name: String) { (self.name, place) = (name, nil) }

    /// - Parameter order: has the name. The key is only for objects that are read in this order.
    init(_ name: String, in order: WireOrder) {
        (self.name, place) = (name, order.place(of: name))
        precondition(place != nil, "the order has the name")
    }
}

/// The names of all members that objects of a kind may have, in the order in which they are written.
struct WireOrder: Sendable {
    let names: [String]
    /// The names one after the other, and where each ends.
    private let bytes: [UInt8]
    private let ends: [Int]

    /// - Parameter names: at most 64.
    init(_ names: [String]) {
        precondition(names.count <= UInt64.bitWidth, "each has a bit")
        self.names = names
        bytes = names.flatMap(\.utf8)
        var end = 0
        ends = names.map { name in
            end += name.utf8.count
            return end
        }
    }

    func place(of name: String) -> Int? { names.firstIndex { $0.utf8.elementsEqual(name.utf8) } }

    /// Returns which of the names an object has, the first one in the lowest bit; `nil` if it has others, or not in this
    /// order.
    fileprivate func places(of members: [JSONMember], in text: UnsafeRawBufferPointer) -> UInt64? {
        bytes.withUnsafeBytes { bytes in
            var (found, next, start) = (UInt64(0), 0, 0)
            for (place, end) in ends.enumerated() where next < members.count {
                if text[members[next].key].isSame(as: bytes[start..<end]) {
                    found |= 1 << UInt64(place)
                    next += 1
                }
                start = end
            }
            return next == members.count ? found : nil
        }
    }
}

/// A JSON object whose values are parsed when they are needed.
struct WireObject {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let members: [JSONMember]
    /// Which of the names of an order it has; `nil` if members are looked for by their names.
    private let places: UInt64?

    /// - Parameter order: the order in which its members probably are, so that they need not be looked for.
    init(_ bytes: [UInt8], in order: WireOrder? = nil) throws(StreamLineError) {
        try self.init(bytes, range: 0..<bytes.count, in: order)
    }

    private init(_ bytes: [UInt8], range: Range<Int>, in order: WireOrder? = nil) throws(StreamLineError) {
        let members: [JSONMember]
        do {
            members = try JSONScanner.members(of: bytes, in: range)
        } catch {
            throw StreamLineError(description: "not a line of Gloss: \(error)")
        }
        (self.bytes, self.range, self.members) = (bytes, range, members)
        places = order.flatMap { order in bytes.withUnsafeBytes { order.places(of: members, in: $0) } }
    }

    /// Returns the JSON text of the members from one in their order up to another; `nil` if they are not in an order.
    func section(from first: WireKey, upTo end: WireKey) -> ArraySlice<UInt8>? {
        guard let places, let first = first.place, let end = end.place else { return nil }
        func start(_ place: Int) -> Int {
            let number = Self.number(of: place, in: places)
            return number < members.count ? members[number].key.lowerBound : range.upperBound
        }
        return bytes[start(first)..<start(end)]
    }

    /// Returns the JSON text of a value, unchanged.
    func text(_ key: WireKey) -> [UInt8]? {
        member(key).map { Array(bytes[$0.value]) }
    }

    func string(_ key: WireKey) throws(StreamLineError) -> String {
        try required(key, optionalString(key))
    }

    func optionalString(_ key: WireKey) throws(StreamLineError) -> String? {
        guard let member = member(key) else { return nil }
        switch member.kind {
        case .string(hasEscapes: true): return JSONScanner.text(of: bytes, in: member.content)
        case .string(hasEscapes: false): return String(decoding: bytes[member.content], as: UTF8.self)
        default: throw wrong(key, "a string")
        }
    }

    func integer<Number: FixedWidthInteger>(_ key: WireKey) throws(StreamLineError) -> Number {
        try required(key, optionalInteger(key))
    }

    func optionalInteger<Number: FixedWidthInteger>(_ key: WireKey) throws(StreamLineError) -> Number? {
        guard let member = member(key) else { return nil }
        guard case .number(isInteger: true) = member.kind,
            let number = Number(String(decoding: bytes[member.value], as: UTF8.self))
        else { throw wrong(key, "an integer") }
        return number
    }

    func number(_ key: WireKey) throws(StreamLineError) -> Double {
        let member = try required(key, member(key))
        guard case .number = member.kind, let number = Double(String(decoding: bytes[member.value], as: UTF8.self))
        else { throw wrong(key, "a number") }
        return number
    }

    func time(_ key: WireKey) throws(StreamLineError) -> WireTime {
        guard let member = member(key), case .string(hasEscapes: false) = member.kind,
            let time = WireTime(bytes[member.content])
        else { return try value(key) { WireTime($0) } }
        return time
    }

    /// Returns the value that a string represents.
    func value<Value>(_ key: WireKey, _ make: (String) -> Value?) throws(StreamLineError) -> Value {
        let text = try string(key)
        guard let value = make(text) else {
            throw StreamLineError(description: "\(key.name): \(text) means nothing here")
        }
        return value
    }

    func object(_ key: WireKey) throws(StreamLineError) -> WireObject {
        try required(key, optionalObject(key))
    }

    func optionalObject(_ key: WireKey) throws(StreamLineError) -> WireObject? {
        guard let member = member(key), member.kind != .null else { return nil }
        return try WireObject(bytes, range: member.value)
    }

    /// Returns an array of objects; empty if it is absent.
    func objects(_ key: WireKey) throws(StreamLineError) -> [WireObject] {
        guard let member = member(key), member.value.count > 2 else { return [] }
        let elements: [JSONElement]
        do {
            elements = try JSONScanner.elements(of: bytes, in: member.value)
        } catch {
            throw wrong(key, "an array")
        }
        return try elements.map { element throws(StreamLineError) in try WireObject(bytes, range: element.value) }
    }

    /// Returns an array of strings; empty if it is absent.
    func strings(_ key: WireKey) throws(StreamLineError) -> [String] {
        guard let member = member(key) else { return [] }
        guard let elements = try? JSONScanner.elements(of: bytes, in: member.value) else {
            throw wrong(key, "an array")
        }
        return try elements.map { element throws(StreamLineError) in
            guard case .string = element.kind else { throw wrong(key, "an array of strings") }
            return JSONScanner.text(of: bytes, in: element.content)
        }
    }

    func flag(_ key: WireKey) throws(StreamLineError) -> Bool {
        switch try required(key, member(key)).kind {
        case .true: true
        case .false: false
        default: throw wrong(key, "true or false")
        }
    }

    /// Returns an array of texts, numbers and nulls.
    func cells(_ key: WireKey) throws(StreamLineError) -> [SQLCell] {
        let member = try required(key, member(key))
        guard let elements = try? JSONScanner.elements(of: bytes, in: member.value) else {
            throw wrong(key, "an array")
        }
        return try elements.map { element throws(StreamLineError) in
            switch element.kind {
            case .null: return .null
            case .number: return .number(ExactString(String(decoding: bytes[element.value], as: UTF8.self)))
            case .string(hasEscapes: false):
                return .text(ExactString(String(decoding: bytes[element.content], as: UTF8.self)))
            case .string(hasEscapes: true):
                return .text(ExactString(JSONScanner.text(of: bytes, in: element.content)))
            default: throw wrong(key, "an array of texts, numbers and nulls")
            }
        }
    }

    /// Decodes the object.
    func decode<Value: Decodable>(_ type: Value.Type) throws(StreamLineError) -> Value {
        do {
            return try APICoding.decode(type, from: Data(bytes[range]))
        } catch {
            throw StreamLineError(description: "not a \(type): \(error)")
        }
    }

    private func member(_ key: WireKey) -> JSONMember? {
        if let places, let place = key.place {
            return places >> UInt64(place) & 1 == 1 ? members[Self.number(of: place, in: places)] : nil
        }
        var name = key.name
        return name.withUTF8 { name in
            let name = Slice(base: UnsafeRawBufferPointer(name), bounds: 0..<name.count)
            return bytes.withUnsafeBytes { bytes in members.first { bytes[$0.key].isSame(as: name) } }
        }
    }

    /// Returns how many of the members come before a place in their order.
    private static func number(of place: Int, in places: UInt64) -> Int {
        (places & (1 << UInt64(place) - 1)).nonzeroBitCount
    }

    private func required<Value>(_ key: WireKey, _ value: Value?) throws(StreamLineError) -> Value {
        guard let value else { throw StreamLineError(description: "\(key.name) is missing") }
        return value
    }

    private func wrong(_ key: WireKey, _ expected: String) -> StreamLineError {
        StreamLineError(description: "\(key.name) is not \(expected)")
    }
}

extension Slice<UnsafeRawBufferPointer> {
    func isSame(as other: Self) -> Bool {
        guard count == other.count else { return false }
        guard let start = base.baseAddress, let otherStart = other.base.baseAddress else { return isEmpty }
        return memcmp(start + startIndex, otherStart + other.startIndex, count) == 0
    }
}
