import API
import Testing

@testable import Control

struct PassingLinesTests {
    private static let failure =
        #"{"type":"error","problem":{"type":"about:blank","title":"Store","status":500,"detail":"disk I/O error"}}"#

    private func problem(_ text: String, piece size: Int) throws -> Problem? {
        var lines = PassingLines(ofRange: true)
        _ = try lines.feed(text, piece: size)
        return lines.problem
    }

    @Test(arguments: 1...40)
    func `a stream that failed says why, however its bytes come`(size: Int) throws {
        let events = #"{"type":"event","id":1}"# + "\n" + #"{"type":"gap"}"# + "\n"
        #expect(try problem(events, piece: size) == nil)
        #expect(try problem("", piece: size) == nil)
        #expect(try problem(events + Self.failure + "\n", piece: size)?.detail == "disk I/O error")
        #expect(try problem(events + Self.failure, piece: size)?.detail == "disk I/O error")
        #expect(try problem(events + #"{"type":"error_like"}"# + "\n", piece: size) == nil)
    }

    @Test(arguments: 1...40)
    func `lines are counted, however their bytes come`(size: Int) throws {
        var lines = PassingLines(ofRange: true)
        _ = try lines.feed(#"{"type":"event","id":1}"# + "\n" + #"{"type":"gap"}"# + "\n" + Self.failure, piece: size)
        #expect(lines.count == 2 && lines.events == 1)
    }

    @Test(arguments: 1...60)
    func `what is passed on of a range ends with an event`(size: Int) throws {
        let (first, gap) = (
            #"{"type":"event","id":9223372036854775807,"x":1}"# + "\n", #"{"type":"gap","id":3}"# + "\n"
        )
        let second = #"{"type":"event","id":12}"# + "\n"
        for cut in ["", gap, gap + "{", #"{"type":"event","id":4"#] {
            var lines = PassingLines(ofRange: true)
            #expect(try lines.feed(first + gap + second + cut, piece: size) == first + gap + second)
            #expect(lines.lastEvent == 12 && lines.events == 2)
            #expect(lines.finish() == Array(cut.utf8))
            var tail = PassingLines(ofRange: false)
            #expect(try tail.feed(first + gap, piece: size) == first + gap)
            #expect(tail.lastEvent == .max)
        }
    }

    @Test func `a long line is passed on before it ends, and then has no place to continue`() throws {
        let (first, long) = (
            #"{"type":"event","id":1}"# + "\n",
            #"{"type":"event","id":2,"x":""# + String(repeating: "x", count: 3 << 20)
        )
        var lines = PassingLines(ofRange: true)
        let begun = try lines.feed(first + long, piece: 1 << 16)
        #expect(begun.count > 2 << 20 && lines.lastEvent == nil)
        #expect(try begun + lines.feed("\"}\n", piece: 10) == first + long + "\"}\n")
        #expect(lines.lastEvent == 2 && lines.finish().isEmpty)
    }

    @Test(arguments: ["x", "\n", #"{"type":"event"}"# + "\n\n", #"{"type":"event"}"# + "\n{}\n", "{\"type\":\n"])
    func `lines of somebody else are refused`(text: String) {
        for size in [1, 3, 100] {
            #expect(throws: ControlError.self) { try problem(text, piece: size) }
        }
    }
}

extension PassingLines {
    /// - Returns: what is passed on.
    fileprivate mutating func feed(_ text: String, piece size: Int) throws -> String {
        let bytes = Array(text.utf8)
        var passed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            passed += try feed(bytes[start..<min(start + size, bytes.count)])
        }
        return String(decoding: passed, as: UTF8.self)
    }
}
