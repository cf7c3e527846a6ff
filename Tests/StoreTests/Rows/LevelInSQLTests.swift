import Model
import Testing

@testable import Store

struct LevelInSQLTests {
    @Test func `levels have their names and the words of programs, but no letters alone`() {
        for level in Level.allCases {
            #expect(Level(inSQL: level.name) == level && Level(inSQL: "\(level.rawValue)") == level)
            #expect(Level(inSQL: level.name.uppercased()) == level)
        }
        for (word, level) in [
            ("error", Level.err), ("Warn", .warning), ("informational", .info), ("FATAL", .crit), ("trace", .debug),
        ] {
            #expect(Level(inSQL: word) == level, "\(word)")
        }
        // These have the length and the first letter of a name.
        for word in ["empty", "eye", "alone", "cold", "widgets", "nobody", "into", "depth"] {
            #expect(Level(inSQL: word) == nil, "\(word)")
        }
        for word in ["", "e", "i", "8", "informational ", "a long text that begins with error", "err\0"] {
            #expect(Level(inSQL: word) == nil, "\(word)")
        }
    }
}
