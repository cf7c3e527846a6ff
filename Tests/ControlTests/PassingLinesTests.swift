import API
import Testing

@testable import Control

struct PassingLinesTests {
    private static let failure =
        #"{"type":"error","problem":{"type":"about:blank","title":"Store","status":500,"detail":"disk I/O error"}}"#

    private func problem(_ text: String, piece size: Int) throws -> Problem? {
        var lines = PassingLines()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try lines.feed(bytes[start..<min(start + size, bytes.count)])
        }
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
        let bytes = Array((#"{"type":"event","id":1}"# + "\n" + #"{"type":"gap"}"# + "\n" + Self.failure).utf8)
        var (lines, ended) = (PassingLines(), 0)
        for start in stride(from: 0, to: bytes.count, by: size) {
            ended += try lines.feed(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(ended == 2)
    }

    @Test(arguments: ["x", "\n", #"{"type":"event"}"# + "\n\n", #"{"type":"event"}"# + "\n{}\n", "{\"type\":\n"])
    func `lines of somebody else are refused`(text: String) {
        for size in [1, 3, 100] {
            #expect(throws: ControlError.self) { try problem(text, piece: size) }
        }
    }
}
