package import ArgumentParser
import Model

/// Which events, by what their entries say of them.
package struct EntryFilterOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Subsystems; * and ? are wildcards. May be repeated.", valueName: "glob"))
    package var subsystem: [String] = []

    @Option(name: .long, help: ArgumentHelp("Categories, likewise.", valueName: "glob"))
    package var category: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("Events by their definition's key, likewise.", valueName: "category/name"))
    package var event: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "That level or worse: emerg alert crit err warning notice info debug, or 0 to 7.", valueName: "level"),
        completion: .list(Level.allCases.map(\.name)))
    package var level: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Events since then: \"2026-11-21 10:00:00\", 10:00, today, -5m, \"2 hours ago\", @1795255200.",
            valueName: "time"))
    package var since: String?

    @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("Events until then.", valueName: "time"))
    package var until: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Events of the last 5m, 90s, 1h30m, 2d: short for --since.", valueName: "time span"))
    package var last: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Events of a boot: its id, or 0 for the running one. May be repeated.", valueName: "id"))
    package var boot: [String] = []

    package init() {}

    /// Whether a part of the history is asked for, and so all of it rather than the last few.
    var hasRange: Bool { since != nil || until != nil || last != nil || !boot.isEmpty }

    func filter(_ console: Console) throws(ControlError) -> EventFilter {
        var filter = EventFilter()
        filter.subsystems = subsystem
        filter.categories = category
        for glob in event where !glob.contains("/") {
            throw .wrongUsage("--event \(glob): write CATEGORY/NAME, or '\(glob)/*' for all events of a category")
        }
        filter.events = event
        filter.level = try level.map(Self.level)
        let times = TimeExpression(now: console.now(), zone: console.zone)
        filter.sinceMicroseconds = try since.map { text throws(ControlError) in try Self.since(text, times) }
        filter.untilMicroseconds = try until.map { text throws(ControlError) in try Self.time("--until", text, times) }
        if let last {
            guard since == nil else {
                throw .wrongUsage("--last and --since both say where to begin: give one of them")
            }
            filter.sinceMicroseconds = times.now - min(times.now, try Self.span("--last", last))
        }
        if let since = filter.sinceMicroseconds, let until = filter.untilMicroseconds, since > until {
            throw .wrongUsage("--since is later than --until: no event can be between them")
        }
        if let since = filter.sinceMicroseconds { try Self.checkBeginning(since, times) }
        filter.boots = try boot.map(Self.boot)
        return filter
    }

    private static func level(_ text: String) throws(ControlError) -> Level {
        if let level = Level(text) { return level }
        let names = Level.allCases.map(\.name).joined(separator: ", ")
        throw .wrongUsage("--level \(text): there is no such level; write one of \(names), or 0 to 7")
    }

    static func since(_ text: String, _ times: TimeExpression) throws(ControlError) -> UInt64 {
        try time("--since", text, times)
    }

    static func checkBeginning(_ since: UInt64, _ times: TimeExpression) throws(ControlError) {
        guard since > times.now else { return }
        let time = CivilTime.text(since, times.zone, decimals: 0)
        throw .wrongUsage("the range begins in the future, at \(time): no event can be in it")
    }

    private static func time(
        _ option: String, _ text: String, _ times: TimeExpression
    ) throws(ControlError) -> UInt64 {
        if let time = times.microseconds(text) { return time }
        throw .wrongUsage("\(option) \(text): not a time; write one such as \(TimeExpression.examples)")
    }

    private static func span(_ option: String, _ text: String) throws(ControlError) -> UInt64 {
        if let span = TimeSpan.microseconds(text) { return span }
        throw .wrongUsage("\(option) \(text): not a length of time; write one such as \(TimeSpan.examples)")
    }

    private static func boot(_ text: String) throws(ControlError) -> ID128 {
        if text == "0" { return try runningBoot() }
        // The kernel writes it with hyphens, journalctl --list-boots without.
        if let id = ID128(text.replacing("-", with: "")) { return id }
        throw .wrongUsage("--boot \(text): write 32 hexadecimal digits, as journalctl --list-boots has them, or 0")
    }

    /// - Source: random(4)
    private static func runningBoot() throws(ControlError) -> ID128 {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let text = SmallFile.text(path), let id = ID128(text.filter { $0.isHexDigit }) else {
            throw .no("cannot read the running boot's id from \(path)")
        }
        return id
    }
}
