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
