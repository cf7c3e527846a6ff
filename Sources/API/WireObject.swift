import FoundationEssentials
import Glibc
import JSON
import Model

/// A JSON object whose values are parsed when they are needed.
struct WireObject {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let members: [JSONMember]

    init(_ bytes: [UInt8]) throws(StreamLineError) {
        try self.init(bytes, in: 0..<bytes.count)
    }

    private init(_ bytes: [UInt8], in range: Range<Int>) throws(StreamLineError) {
        self.bytes = bytes
        self.range = range
        do {
            members = try JSONScanner.members(of: bytes, in: range)
        } catch {
            throw StreamLineError(description: "not a line of Gloss: \(error)")
        }
    }

    /// Returns the JSON text of a value, unchanged.
    func text(_ key: String) -> [UInt8]? {
        member(key).map { Array(bytes[$0.value]) }
    }

    /// Whether another object has the same JSON texts for some keys, or lacks them as well.
    func hasSame(_ keys: [String], as other: WireObject) -> Bool {
        bytes.withUnsafeBytes { bytes in
            other.bytes.withUnsafeBytes { others in
                keys.allSatisfy { key in
                    switch (member(key), other.member(key)) {
                    case (let one?, let another?): bytes[one.value].isSame(as: others[another.value])
                    case (nil, nil): true
                    default: false
                    }
                }
            }
        }
    }

    func string(_ key: String) throws(StreamLineError) -> String {
        try required(key, optionalString(key))
    }

    func optionalString(_ key: String) throws(StreamLineError) -> String? {
        guard let member = member(key) else { return nil }
        switch member.kind {
        case .string(hasEscapes: true): return JSONScanner.text(of: bytes, in: member.content)
        case .string(hasEscapes: false): return String(decoding: bytes[member.content], as: UTF8.self)
        default: throw wrong(key, "a string")
        }
    }

    func integer<Number: FixedWidthInteger>(_ key: String) throws(StreamLineError) -> Number {
        try required(key, optionalInteger(key))
    }

    func optionalInteger<Number: FixedWidthInteger>(_ key: String) throws(StreamLineError) -> Number? {
        guard let member = member(key) else { return nil }
        guard case .number(isInteger: true) = member.kind,
            let number = Number(String(decoding: bytes[member.value], as: UTF8.self))
        else { throw wrong(key, "an integer") }
        return number
    }

    func number(_ key: String) throws(StreamLineError) -> Double {
        let member = try required(key, member(key))
        guard case .number = member.kind, let number = Double(String(decoding: bytes[member.value], as: UTF8.self))
        else { throw wrong(key, "a number") }
        return number
    }

    func time(_ key: String) throws(StreamLineError) -> WireTime {
        guard let member = member(key), case .string(hasEscapes: false) = member.kind,
            let time = WireTime(bytes[member.content])
        else { return try value(key) { WireTime($0) } }
        return time
    }

    /// Returns the value that a string represents.
    func value<Value>(_ key: String, _ make: (String) -> Value?) throws(StreamLineError) -> Value {
        let text = try string(key)
        guard let value = make(text) else { throw StreamLineError(description: "\(key): \(text) means nothing here") }
        return value
    }

    func object(_ key: String) throws(StreamLineError) -> WireObject {
        try required(key, optionalObject(key))
    }

    func optionalObject(_ key: String) throws(StreamLineError) -> WireObject? {
        guard let member = member(key), member.kind != .null else { return nil }
        return try WireObject(bytes, in: member.value)
    }

    /// Returns an array of objects; empty if it is absent.
    func objects(_ key: String) throws(StreamLineError) -> [WireObject] {
        guard let member = member(key), member.value.count > 2 else { return [] }
        let elements: [JSONElement]
        do {
            elements = try JSONScanner.elements(of: bytes, in: member.value)
        } catch {
            throw wrong(key, "an array")
        }
        return try elements.map { element throws(StreamLineError) in try WireObject(bytes, in: element.value) }
    }

    /// Returns an array of strings; empty if it is absent.
    func strings(_ key: String) throws(StreamLineError) -> [String] {
        guard let member = member(key) else { return [] }
        guard let elements = try? JSONScanner.elements(of: bytes, in: member.value) else {
            throw wrong(key, "an array")
        }
        return try elements.map { element throws(StreamLineError) in
            guard case .string = element.kind else { throw wrong(key, "an array of strings") }
            return JSONScanner.text(of: bytes, in: element.content)
        }
    }

    func flag(_ key: String) throws(StreamLineError) -> Bool {
        switch try required(key, member(key)).kind {
        case .true: true
        case .false: false
        default: throw wrong(key, "true or false")
        }
    }

    /// Returns an array of texts, numbers and nulls.
    func cells(_ key: String) throws(StreamLineError) -> [SQLCell] {
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

    private func member(_ key: String) -> JSONMember? {
        var key = key
        return key.withUTF8 { key in
            let key = Slice(base: UnsafeRawBufferPointer(key), bounds: 0..<key.count)
            return bytes.withUnsafeBytes { bytes in members.first { bytes[$0.key].isSame(as: key) } }
        }
    }

    private func required<Value>(_ key: String, _ value: Value?) throws(StreamLineError) -> Value {
        guard let value else { throw StreamLineError(description: "\(key) is missing") }
        return value
    }

    private func wrong(_ key: String, _ expected: String) -> StreamLineError {
        StreamLineError(description: "\(key) is not \(expected)")
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func isSame(as other: Self) -> Bool {
        guard count == other.count else { return false }
        guard let start = base.baseAddress, let otherStart = other.base.baseAddress else { return isEmpty }
        return memcmp(start + startIndex, otherStart + other.startIndex, count) == 0
    }
}
