import Foundation
import Glibc
import Logging
import Model
import Testing

@testable import Daemon

struct JournalLogHandlerTests {
    @Test(arguments: ["x\r\n<2>text.md", "x\n<2>text.md", "x\r<2>text.md", "x\u{85}<2>text.md"])
    func `whatever is logged is one line, of its own level`(text: String) {
        let line = JournalLogHandler.line(text, .error, onTerminal: false)
        #expect(line.hasPrefix("<3>x"))
        #expect(line.hasSuffix("<2>text.md\n"))
        #expect(line.unicodeScalars.count { $0.properties.generalCategory == .control } == 1)
    }

    @Test func `nothing that is logged steers the terminal`() {
        let line = JournalLogHandler.line("a\u{1B}]0;title\u{7}b\u{9B}2Jc\td\u{202E}", .warning, onTerminal: true)
        #expect(line == #"warning: a\u001b]0;title\u0007b\u009b2Jc    d\u202e"# + "\n")
    }

    @Test func `what nobody reads is lost after a moment, and later lines are whole`() throws {
        let pipe = Pipe()
        let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        let (output, isWritten) = (LogOutput(writer.fileDescriptor), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            output.write("<3>\(String(repeating: "x", count: 1 << 20))\n")
            for _ in 0..<100 { output.write("<3>lost\n") }
            isWritten.signal()
        }
        try #require(isWritten.wait(timeout: .now() + 20) == .success)
        // One read takes all that a pipe has.
        var part = [UInt8](repeating: 0, count: 1 << 21)
        let count = read(reader.fileDescriptor, &part, part.count)
        #expect(1..<1 << 20 ~= count && !part[..<max(0, count)].contains(UInt8(ascii: "\n")))
        output.write("<3>later\n")
        output.write("<6>last\n")
        try writer.close()
        #expect(try reader.readToEnd() == Data("\n<3>later\n<6>last\n".utf8))
    }

    @Test func `lines of different threads do not mix, however long they are`() throws {
        let pipe = Pipe()
        let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        try #require(fcntl(writer.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        let output = LogOutput(writer.fileDescriptor)
        let lines = ["a", "b"].map { String(repeating: $0, count: 1 << 18) }
        Thread.detachNewThread {
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                for _ in 0..<4 { output.write("\(lines[index])\n") }
            }
            try? writer.close()
        }
        let text = String(decoding: try #require(try reader.readToEnd()), as: UTF8.self)
        #expect(text.split(separator: "\n").map(String.init).sorted() == (0..<8).map { lines[$0 / 4] })
    }

    @Test func `text without control characters stays, and lines are set off`() {
        #expect("Grüße, \u{1F600}".oneLine == "Grüße, \u{1F600}")
        #expect("one\ntwo".oneLine == "one; two")
    }

    @Test func `a check prints each problem on a line of its own, however the file is named`() {
        let lines = GlossdCommand.lines(["a\r\n\u{1B}[2J.md:1:1: error", "b.md"])
        #expect(lines == #"a\r; \u001b[2J.md:1:1: error"# + "\nb.md\n")
    }

    @Test func `a check prints the place in a predicate below its problem`() {
        let lines = GlossdCommand.lines(["g.yaml:1:2: error: expected a value\n  level >=\n          ^\nmore", "b.md"])
        #expect(lines == "g.yaml:1:2: error: expected a value\n  level >=\n          ^; more\nb.md\n")
    }
}
