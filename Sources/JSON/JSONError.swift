/// Why bytes are not a JSON text, and where that shows.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Problem: Sendable, Hashable {
        case byteOrderMark, expectedObject, expectedArray, expectedValue, expectedKey, expectedColon
        case expectedCommaOrBrace, expectedCommaOrBracket, bytesAfterTheEnd, unexpectedEnd
        case badNumber, badEscape, controlCharacter, invalidUTF8
        case tooLarge(limit: Int)
        case tooDeep(limit: Int)
        case tooManyMembers(limit: Int)
    }

    /// Bytes from the first byte that was handed in.
    package var offset: Int
    package var problem: Problem

    package init(offset: Int, problem: Problem) {
        self.offset = offset
        self.problem = problem
    }

    /// In words, without the place.
    package var reason: String {
        switch problem {
        case .byteOrderMark: "a byte order mark, which JSON must not begin with"
        case .expectedObject: "expected an object"
        case .expectedArray: "expected an array"
        case .expectedValue: "expected a value"
        case .expectedKey: "expected a key in quotes"
        case .expectedColon: "expected a colon"
        case .expectedCommaOrBrace: "expected a comma or }"
        case .expectedCommaOrBracket: "expected a comma or ]"
        case .bytesAfterTheEnd: "bytes after the end"
        case .unexpectedEnd: "ends too early"
        case .badNumber: "not a number as JSON writes it"
        case .badEscape: "no such escape"
        case .controlCharacter: "a control character within a string"
        case .invalidUTF8: "invalid UTF-8"
        case .tooLarge(let limit): "larger than \(limit) bytes"
        case .tooDeep(let limit): "nested deeper than \(limit)"
        case .tooManyMembers(let limit): "more than \(limit) members"
        }
    }

    /// Such as `byte 17: expected a value`.
    package var description: String { "byte \(offset): \(reason)" }
}

/// How much of a JSON text is accepted.
package struct JSONLimits: Sendable, Hashable {
    package var maximumBytes: Int
    /// How many arrays and objects may be open at a time; the outermost counts.
    package var maximumDepth: Int
    /// How many members all objects together may have: what is read of a text takes memory for each of them.
    package var maximumMembers: Int

    /// Of payloads: no sender means more, and 60 MB of tiny members would take a gigabyte.
    package static let payload = JSONLimits(maximumMembers: 65_536)

    package init(maximumBytes: Int = .max, maximumDepth: Int = 128, maximumMembers: Int = .max) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumMembers = maximumMembers
    }
}
