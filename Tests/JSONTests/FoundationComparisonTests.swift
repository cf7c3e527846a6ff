import Foundation
import JSON
import TestSupport
import Testing

/// The scanner against Foundation's JSONSerialization. Where they are meant to differ:
///
/// - Foundation refuses escapes of single surrogates, which RFC 8259 allows and its section 8.2 warns of.
/// - Foundation refuses numbers beyond a double; here numbers are text.
/// - Foundation takes a comma before a closing bracket.
/// - Foundation takes a byte order mark, and UTF-16 and UTF-32.
/// - Foundation drops U+FEFF at the beginning of a string.
struct FoundationComparisonTests {
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `generated documents are valid for both and mean the same`(_ seed: UInt64) throws {
        var generator = JSONGenerator(seed: seed)
        for _ in 0..<60 {
            let text = generator.object()
            #expect(verdict(text) == nil, "\(String(decoding: text, as: UTF8.self))")
            let value = try JSONSerialization.jsonObject(with: Data(text))
            #expect(try MeaningOfJSON.read(text) == MeaningOfJSON.of(value), "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test(arguments: 11...20 as ClosedRange<UInt64>)
    func `mutations are valid for both or for neither, but for what is listed`(_ seed: UInt64) {
        var generator = JSONGenerator(seed: seed)
        for _ in 0..<150 {
            let text = generator.mutated(generator.object())
            let isValid = verdict(text) == nil
            guard isValid != isValidForFoundation(text) else { continue }
            let shown = String(decoding: text, as: UTF8.self)
            if isValid {
                let tame = shown.replacing(/\\u[dD][89a-fA-F][0-9a-fA-F]{2}/, with: #"\u0041"#)
                    .replacing(/([0-9])[eE][+-]?[0-9]+/) { $0.1 }
                #expect(isValidForFoundation(Array(tame.utf8)), "\(shown)")
            } else {
                let strict = shown.replacing(/,([ \t\r\n]*[\]}])/) { $0.1 }
                #expect(verdict(Array(strict.utf8)) == nil, "\(shown)")
            }
        }
    }

    @Test(arguments: [
        (#"{"a":"\ud800"}"#, true, false), (#"{"a":"\udc00\ud800"}"#, true, false),
        (#"{"a":1e999}"#, true, false), (#"{"a":-1e999}"#, true, false), (#"{"a":[1,]}"#, false, true),
        (#"{"a":1,}"#, false, true),
        ("\u{FEFF}{}", false, true), (#"{"a":18446744073709551616}"#, true, true), (#"{"a":1e-999}"#, true, true),
        (#"{"a":1,"a":2}"#, true, true), (#"{"a":NaN}"#, false, false), ("{}\u{0}", false, false),
        (#"{"a":01}"#, false, false),
        (#"{"a":.5}"#, false, false), ("{\"a\":\"\t\"}", false, false), ("{'a':1}", false, false),
        ("{} x", false, false),
    ])
    func `where both differ, each verdict is known`(_ text: String, _ isValid: Bool, _ isValidThere: Bool) {
        #expect((verdict(Array(text.utf8)) == nil) == isValid)
        #expect(isValidForFoundation(Array(text.utf8)) == isValidThere)
    }

    @Test func `UTF-16 is JSON for Foundation alone`() {
        let text = #"{"a":1}"#.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(isValidForFoundation(text))
        #expect(verdict(text) == "byte 1: expected a key in quotes")
    }

    @Test func `Foundation drops what looks like a byte order mark from strings, the scanner does not`() throws {
        let text = Array("{\"a\":\"\u{FEFF}b\"}".utf8)
        let value = try JSONSerialization.jsonObject(with: Data(text)) as? [String: String]
        #expect(value == ["a": "b"])
        let member = try #require(try JSONScanner.members(of: text).first)
        #expect(JSONScanner.text(of: text, in: member.content) == "\u{FEFF}b")
    }

    private func isValidForFoundation(_ text: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text))) is [String: Any]
    }
}

/// What a JSON text says, written so that equal meanings are equal texts.
enum MeaningOfJSON {
    /// By the scanner.
    /// - Parameter bytes: an object.
    static func read(_ bytes: [UInt8]) throws -> String {
        try read(bytes, JSONElement(value: 0..<bytes.count, kind: .object))
    }

    private static func read(_ bytes: [UInt8], _ element: JSONElement) throws -> String {
        switch element.kind {
        case .object:
            let members = try JSONScanner.members(of: bytes, in: element.value).map { member in
                let value = try read(bytes, JSONElement(value: member.value, kind: member.kind))
                return (unmarked(JSONScanner.text(of: bytes, in: member.key)), value)
            }
            return object(members)
        case .array: return "[\(try JSONScanner.elements(of: bytes, in: element.value).map { try read(bytes, $0) })]"
        case .string: return "string \(unmarked(JSONScanner.text(of: bytes, in: element.content)))"
        // Foundation reads long numbers as decimals, so that the last digits of a double may differ, and -0 as 0.
        case .number:
            return "number \(Float(Double(String(decoding: bytes[element.value], as: UTF8.self)) ?? .nan) + 0)"
        case .true: return "true"
        case .false: return "false"
        case .null: return "null"
        }
    }

    /// By JSONSerialization.
    static func of(_ value: Any) -> String {
        switch value {
        case let members as [String: Any]: object(members.map { (unmarked($0.key), of($0.value)) })
        case let elements as [Any]: "[\(elements.map(of))]"
        case let string as String: "string \(unmarked(string))"
        case let number as NSNumber:
            // The only values of C's type char that JSON gives are its booleans.
            if String(cString: number.objCType) == "c" {
                number.boolValue ? "true" : "false"
            } else {
                "number \(Float(number.doubleValue) + 0)"
            }
        default: "null"
        }
    }

    private static func unmarked(_ string: String) -> String {
        String(String.UnicodeScalarView(string.unicodeScalars.filter { $0 != "\u{FEFF}" }))
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{\(members.sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" })}"
    }
}
