import Model
import Testing

@Suite struct LevelTests {
    @Test func `syslog's names, os_log's names and numbers are all accepted`() {
        #expect(Level("fault") == .crit)
        #expect(Level("error") == Level("err"))
        #expect(Level("default") == .notice)
        #expect(Level("Warning") == .warning)
        #expect(Level("warn") == .warning && Level("WARN") == .warning)
        #expect(Level("panic") == .emerg && Level("emergency") == .emerg)
        #expect(Level("critical") == .crit && Level("informational") == .info)
        #expect(Level("7") == .debug)
        #expect(Level("8") == nil)
        #expect(Level("loud") == nil)
        for level in Level.allCases {
            #expect(Level(level.name) == level)
            #expect(Level("\(level.rawValue)") == level)
        }
    }
}
