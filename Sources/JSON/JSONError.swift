/// The reason why bytes are not a JSON text, and the place where this shows.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Problem: Sendable, Hashable {
        case byteOrderMark, expectedObject, expectedArray, expectedValue, expectedKey, expectedColon
        case expectedCommaOrBrace, expectedCommaOrBracket, bytesAfterTheEnd, unexpectedEnd
        case badNumber, badEscape, controlCharacter, invalidUTF8
        case tooDeep(limit: Int)
        case tooManyMembers(limit: Int)
    }

    /// The offset in bytes from the first byte of the input.
    package var offset: Int
    package var problem: Problem

    package init(offset: Int, problem: Problem) {
        self.offset = offset
        self.problem = problem
    }

    /// The reason as a phrase, without the offset.
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
        case .tooDeep(let limit): "nested deeper than \(limit)"
        case .tooManyMembers(let limit): "more than \(limit) members"
        }
    }

    /// The reason with the offset, such as `byte 17: expected a value`.
    package var description: String { "byte \(offset): \(reason)" }
}

/// The limits of a JSON text that is accepted.
package struct JSONLimits: Sendable, Hashable {
    /// The most arrays and objects that may be open at the same time, including the outermost one.
    package var maximumDepth: Int
    /// The most members that all objects together may have: each member that is read takes memory.
    package var maximumMembers: Int

    /// The limits of payloads. No sender needs more, and 60 MB of tiny members would take a gigabyte of memory.
    package static let payload = JSONLimits(maximumDepth: 128, maximumMembers: 65_536)

    /// The usual limits are for what Gloss itself has written, where a payload stands within other objects.
    package init(maximumDepth: Int = 1024, maximumMembers: Int = .max) {
        self.maximumDepth = maximumDepth
        self.maximumMembers = maximumMembers
    }
}
