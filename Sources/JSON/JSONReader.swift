/// Reads a JSON text once from front to back and checks it against the grammar of RFC 8259.
///
/// It does not recurse, it does not allocate (up to a depth of 64), and it does not interpret numbers and strings.
struct JSONReader {
    let bytes: UnsafePointer<UInt8>
    let end: Int
    let limits: JSONLimits
    var at: Int
    /// The number of members that are left of the limit.
    private var membersLeft: Int

    init(bytes: UnsafePointer<UInt8>, in range: Range<Int>, limits: JSONLimits) {
        self.bytes = bytes
        (at, end) = (range.lowerBound, range.upperBound)
        self.limits = limits
        membersLeft = limits.maximumMembers
    }

    /// Returns the next byte that is not white space, without consuming it; `nil` at the end.
    @inline(__always)
    mutating func nextToken() -> UInt8? {
        while at < end {
            let byte = bytes[at]
            if byte > 0x20 { return byte }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            at += 1
        }
        return nil
    }

    /// Reads the members of the object that begins here.
    mutating func object(into members: inout [JSONMember]) throws(JSONError) {
        guard try requiredToken() == UInt8(ascii: "{") else { throw error(.expectedObject) }
        guard limits.maximumDepth > 0 else { throw tooDeep }
        at += 1
        if try requiredToken() == UInt8(ascii: "}") {
            at += 1
            return
        }
        while true {
            let key = try key()
            let element = try value(depth: 1)
            members.append(
                JSONMember(key: key.range, value: element.value, keyHasEscapes: key.hasEscapes, kind: element.kind))
            guard try separator(closing: UInt8(ascii: "}"), otherwise: .expectedCommaOrBrace) else { return }
        }
    }

    /// Reads the elements of the array that begins here.
    mutating func array(into elements: inout [JSONElement]) throws(JSONError) {
        guard try requiredToken() == UInt8(ascii: "[") else { throw error(.expectedArray) }
        guard limits.maximumDepth > 0 else { throw tooDeep }
        at += 1
        if try requiredToken() == UInt8(ascii: "]") {
            at += 1
            return
        }
        while true {
            elements.append(try value(depth: 1))
            guard try separator(closing: UInt8(ascii: "]"), otherwise: .expectedCommaOrBracket) else { return }
        }
    }

    /// Reads to the first member or element of the object or array that begins here, which is known to be valid.
    /// - Returns: whether there is one.
    @inline(__always)
    mutating func enterContainer() throws(JSONError) -> Bool {
        _ = try requiredToken()
        at += 1
        let token = try requiredToken()
        guard token == UInt8(ascii: "}") || token == UInt8(ascii: "]") else { return true }
        at += 1
        return false
    }

    /// Reads to the next member or element of an object or array that is known to be valid.
    @inline(__always)
    mutating func hasMore() throws(JSONError) -> Bool {
        let token = try requiredToken()
        at += 1
        return token == UInt8(ascii: ",")
    }

    /// Reads the value that begins here, within `depth` open containers.
    @inline(__always)
    mutating func value(depth: Int) throws(JSONError) -> JSONElement {
        let first = try requiredToken()
        let start = at
        let kind: JSONKind
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            try container(depth: depth)
            kind = first == UInt8(ascii: "{") ? .object : .array
        } else {
            kind = try scalar(first)
        }
        return JSONElement(value: start..<at, kind: kind)
    }

    /// Checks that only white space is left.
    mutating func finish() throws(JSONError) {
        guard nextToken() == nil else { throw error(.bytesAfterTheEnd) }
    }

    /// Reads to the end of the array or object that begins here.
    private mutating func container(depth outer: Int) throws(JSONError) {
        var open = NestingStack()
        var isFresh = true
        try enter(&open, outer: outer)
        while open.depth > 0 {
            let isObject = open.innermostIsObject
            let token = try requiredToken()
            if token == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                at += 1
                open.pop()
                isFresh = false
                continue
            }
            if !isFresh {
                guard token == UInt8(ascii: ",") else {
                    throw error(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket)
                }
                at += 1
            }
            if isObject { _ = try key() }
            let first = try requiredToken()
            isFresh = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            if isFresh { try enter(&open, outer: outer) } else { _ = try scalar(first) }
        }
    }

    private mutating func enter(_ open: inout NestingStack, outer: Int) throws(JSONError) {
        guard outer + open.depth < limits.maximumDepth else { throw tooDeep }
        open.push(isObject: bytes[at] == UInt8(ascii: "{"))
        at += 1
    }

    /// Reads a key and its colon.
    @inline(__always)
    mutating func key() throws(JSONError) -> (range: Range<Int>, hasEscapes: Bool) {
        guard try requiredToken() == UInt8(ascii: "\"") else { throw error(.expectedKey) }
        let start = at + 1
        let hasEscapes = try string()
        let range = start..<at - 1
        guard try requiredToken() == UInt8(ascii: ":") else { throw error(.expectedColon) }
        guard membersLeft > 0 else { throw error(.tooManyMembers(limit: limits.maximumMembers)) }
        membersLeft -= 1
        at += 1
        return (range, hasEscapes)
    }

    /// Returns whether another member or element follows; if not, the container has been closed.
    @inline(__always)
    private mutating func separator(
        closing: UInt8, otherwise problem: JSONError.Problem
    ) throws(JSONError) -> Bool {
        let token = try requiredToken()
        guard token == closing || token == UInt8(ascii: ",") else { throw error(problem) }
        at += 1
        return token != closing
    }

    @inline(__always)
    mutating func requiredToken() throws(JSONError) -> UInt8 {
        guard let token = nextToken() else { throw error(.unexpectedEnd) }
        return token
    }

    private var tooDeep: JSONError { error(.tooDeep(limit: limits.maximumDepth)) }

    func error(_ problem: JSONError.Problem) -> JSONError { JSONError(offset: at, problem: problem) }
}
