import Foundation
import JSON
import TestSupport
import Testing

/// Large values, written a part at a time.
struct JSONPiecesTests {
    private func written(_ values: [LargeValue], deferringFrom limit: Int?) -> JSONPieces {
        var json = JSONWriter(deferringFrom: limit)
        json.beginObject()
        for value in values {
            json.key("value")
            json.value(value)
        }
        json.endObject()
        return json.take()
    }

    @Test func `the pieces of any bytes are what is written at once`() {
        var random = SeededGenerator(seed: 1)
        let part = JSONPieces.partBytes
        // Bytes that begin, continue or end a character, and bytes that cannot.
        let bytes: [UInt8] = [0x0A, 0x22, 0x41, 0x80, 0xA0, 0xBF, 0xC2, 0xE0, 0xE3, 0xED, 0xF0, 0xF4, 0xFF]
        for count in [0, 1, part - 1, part, part + 1, part + 2, 2 * part + 3] {
            for _ in 0..<20 {
                let few = (0..<Int.random(in: 1...3, using: &random)).map { _ in bytes.randomElement(using: &random)! }
                let value = (0..<count).map { _ in few.randomElement(using: &random)! }
                let values = [LargeValue.Form.text, .base64, .oneLine].map { LargeValue($0, value) }
                let pieces = Array(written(values, deferringFrom: 1))
                #expect(Array(pieces.joined()) == Array(written(values, deferringFrom: nil).joined()))
                #expect(pieces.allSatisfy { $0.count <= 6 * part + 2 })
            }
        }
    }

    @Test func `characters are whole, and bytes that are none are replaced one by one`() {
        for text in ["保存", "é", "😀"] {
            for shift in 0..<4 {
                let value = String(repeating: "x", count: shift) + String(repeating: text, count: 10_000)
                let pieces = written([LargeValue(.text, Array(value.utf8))], deferringFrom: 1)
                #expect(String(decoding: Array(pieces.joined()), as: UTF8.self) == #"{"value":"\#(value)"}"#)
            }
        }
    }

    @Test func `base64 is that of everybody else`() {
        for count in 0..<20 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 250) }
            let pieces = written([LargeValue(.base64, bytes)], deferringFrom: nil)
            let expected = Data(bytes).base64EncodedString()
            #expect(String(decoding: Array(pieces.joined()), as: UTF8.self) == #"{"value":"\#(expected)"}"#)
        }
    }

    @Test func `a value that is kept counts, and is not copied into the text`() {
        var json = JSONWriter(deferringFrom: 10)
        json.value(LargeValue(.oneLine, Array(repeating: UInt8(ascii: "1"), count: 1000)))
        #expect(json.bytes.isEmpty)
        #expect(json.pendingBytes == 1000)
        #expect(Array(json.take().joined()).count == 1000)
        #expect(json.pendingBytes == 0)
    }
}
