@testable import Emit
import Testing

struct FieldEncodingTests {
    private func encode(_ name: String, _ value: [UInt8]) -> [UInt8] {
        var message: [UInt8] = []
        FieldEncoding.append(name: name, value: value, to: &message)
        return message
    }

    @Test func `a value on one line is written as text`() {
        #expect(encode("MESSAGE", Array("a=b".utf8)) == Array("MESSAGE=a=b\n".utf8))
        #expect(encode("A", []) == Array("A=\n".utf8))
        #expect(encode("A", [0, 0xFF]) == Array("A=".utf8) + [0, 0xFF, 0x0A])
    }

    @Test func `a value with line breaks is written with its length`() {
        #expect(encode("A", Array("x\ny".utf8)) == Array("A\n".utf8) + [3, 0, 0, 0, 0, 0, 0, 0] + Array("x\ny\n".utf8))
    }

    @Test(arguments: ["MESSAGE", "A", "A_1", String(repeating: "A", count: 64)])
    func `names that journald takes pass`(name: String) throws {
        try FieldEncoding.check(name: name)
    }

    @Test(arguments: [
        "", "_PID", "1A", "a", "A-B", "A=B", "A\nB", "Ä", "ＡＢ", "A\0", String(repeating: "A", count: 65),
    ])
    func `names that journald would drop are refused`(name: String) {
        #expect(throws: EmitError.self) { try FieldEncoding.check(name: name) }
    }
}
