extension JSONReader {
    /// Reads the string, number or literal that begins here with the byte `first`.
    @inline(__always)
    mutating func scalar(_ first: UInt8) throws(JSONError) -> JSONKind {
        switch first {
        case UInt8(ascii: "\""):
            return .string(hasEscapes: try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(isInteger: try number())
        case UInt8(ascii: "t"):
            try literal("true")
            return .true
        case UInt8(ascii: "f"):
            try literal("false")
            return .false
        case UInt8(ascii: "n"):
            try literal("null")
            return .null
        default:
            throw error(.expectedValue)
        }
    }

    /// Reads a string from its opening quote, where `at` is, to its closing quote.
    ///
    /// Escapes of single surrogates (`\ud800`) are valid in RFC 8259's grammar and accepted: the text is kept as it is.
    ///
    /// - Returns: whether the string has escapes.
    @inline(__always)
    mutating func string() throws(JSONError) -> Bool {
        var hasEscapes = false
        at += 1
        while true {
            while at + 8 <= end {
                let plain = StringWord.plainBytes(bytes + at)
                at += plain
                if plain < 8 { break }
            }
            guard at < end else { throw error(.unexpectedEnd) }
            let byte = bytes[at]
            switch byte {
            case UInt8(ascii: "\""):
                at += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape()
            case 0x80...:
                try nonASCII()
            case ..<0x20:
                throw error(.controlCharacter)
            default:
                at += 1
            }
        }
    }

    private mutating func nonASCII() throws(JSONError) {
        repeat {
            let length = UTF8Sequence.length(bytes, from: at, end: end)
            guard length > 0 else { throw error(.invalidUTF8) }
            at += length
        } while at < end && bytes[at] >= 0x80
    }

    private mutating func escape() throws(JSONError) {
        guard at + 1 < end else { throw error(.unexpectedEnd) }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
        case UInt8(ascii: "u"):
            for index in at + 2..<at + 6 {
                guard index < end else { throw error(.unexpectedEnd) }
                guard HexDigit.value(of: bytes[index]) != nil else { throw error(.badEscape) }
            }
            at += 6
        default:
            throw error(.badEscape)
        }
    }

    /// Reads a number of any length and size. Only its form is checked.
    ///
    /// - Returns: whether the number has neither a fraction nor an exponent.
    @inline(__always)
    private mutating func number() throws(JSONError) -> Bool {
        let start = at
        if bytes[at] == UInt8(ascii: "-") { at += 1 }
        let firstDigit = at
        try digits(of: start)
        guard at - firstDigit == 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
            throw JSONError(offset: start, problem: .badNumber)
        }
        var isInteger = true
        if at < end, bytes[at] == UInt8(ascii: ".") {
            isInteger = false
            at += 1
            try digits(of: start)
        }
        if at < end, bytes[at] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            at += 1
            if at < end, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") { at += 1 }
            try digits(of: start)
        }
        return isInteger
    }

    /// Reads the digits of the number that began at `start`; there must be at least one.
    @inline(__always)
    private mutating func digits(of start: Int) throws(JSONError) {
        let first = at
        while at < end, bytes[at] &- UInt8(ascii: "0") < 10 { at += 1 }
        guard at > first else { throw at < end ? JSONError(offset: start, problem: .badNumber) : error(.unexpectedEnd) }
    }

    @inline(__always)
    private mutating func literal(_ text: StaticString) throws(JSONError) {
        for index in 0..<text.utf8CodeUnitCount {
            guard at + index < end else {
                throw JSONError(offset: end, problem: .unexpectedEnd)
            }
            guard bytes[at + index] == text.utf8Start[index] else { throw error(.expectedValue) }
        }
        at += text.utf8CodeUnitCount
    }
}
