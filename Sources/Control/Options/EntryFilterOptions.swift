package import ArgumentParser
import Model

/// The options that select events by properties of their journal entries.
package struct EntryFilterOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Subsystems; * and ? are wildcards. May be repeated.", valueName: "glob"))
    package var subsystem: [String] = []

    @Option(name: .long, help: ArgumentHelp("Categories. Globs, may be repeated.", valueName: "glob"))
    package var category: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Events by the key of their definition. Globs, may be repeated.", valueName: "category/name")
    )
    package var event: [String] = []

    @Option(
        name: .letter("p", or: .customLong("priority")),
        help: ArgumentHelp(
            "This level or a more severe one: emerg alert crit err warning notice info debug, or 0 to 7.",
            valueName: "level"),
        completion: .list(Level.allCases.map(\.name)))
    package var level: String?

    @Option(
        name: .letter("S"), parsing: .unconditional,
        help: ArgumentHelp(
            "Events since this time: \"2026-11-21 10:00:00\", 10:00, today, -5m, \"2 hours ago\", @1795255200.",
            valueName: "time"))
    package var since: String?

    @Option(
        name: .letter("U"), parsing: .unconditional, help: ArgumentHelp("Events until this time.", valueName: "time"))
    package var until: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Events of the last 5m, 90s, 1h30m, 2d: short for --since.", valueName: "time span"))
    package var last: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Events since this time of the program's own, where the settings say what that is.", valueName: "time"))
    package var programSince: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Events until this time of the program's own.", valueName: "time"))
    package var programUntil: String?

    @Option(
        name: .letter("b"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Events of a boot by its id; 0, or no value, means the current boot. May be repeated.", valueName: "id"))
    package var boot: [String] = []

    @Option(
        name: .letter("u"),
        help: ArgumentHelp(
            "Events of a systemd unit; .service may be left out. Globs, may be repeated.",
            valueName: "unit"))
    package var unit: [String] = []

    @Option(
        name: .letter("t"),
        help: ArgumentHelp("Events of a syslog identifier. Globs, may be repeated.", valueName: "glob"))
    package var identifier: [String] = []

    @Option(name: .long, help: ArgumentHelp("Events of a host. Globs, may be repeated.", valueName: "glob"))
    package var host: [String] = []

    @Option(name: .long, help: ArgumentHelp("Events of a process id. May be repeated.", valueName: "number"))
    package var pid: [Int32] = []

    package init() {}

    /// Whether a time range is selected, so that all its events are shown and not only the last ones.
    var hasRange: Bool {
        since != nil || until != nil || last != nil || programSince != nil || programUntil != nil || !boot.isEmpty
    }

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
        filter.sinceMicroseconds = try since.map { text throws(ControlError) in
            try Self.since(text, times, orLast: true)
        }
        filter.untilMicroseconds = try until.map { text throws(ControlError) in
            try Self.time("--until", text, times, orLast: false)
        }
        if let last {
            guard since == nil else {
                throw .wrongUsage("--last and --since both say where to begin: give one of them")
            }
            filter.sinceMicroseconds = times.now - min(times.now, try Self.span("--last", last))
        }
        try Self.checkOrder("--since", filter.sinceMicroseconds, "--until", filter.untilMicroseconds)
        if let since = filter.sinceMicroseconds { try Self.checkBeginning(since, times) }
        filter.programSinceMicroseconds = try programSince.map { text throws(ControlError) in
            try Self.time("--program-since", text, times, orLast: false)
        }
        filter.programUntilMicroseconds = try programUntil.map { text throws(ControlError) in
            try Self.time("--program-until", text, times, orLast: false)
        }
        try Self.checkOrder(
            "--program-since", filter.programSinceMicroseconds, "--program-until", filter.programUntilMicroseconds)
        filter.boots = try boot.map(Self.boot)
        filter.units = unit.map(Self.unit)
        filter.identifiers = identifier
        filter.hosts = host
        if let pid = pid.first(where: { $0 < 0 }) { throw .wrongUsage("--pid \(pid): a process id is not negative") }
        filter.pids = pid
        return filter
    }

    private static func level(_ text: String) throws(ControlError) -> Level {
        if let level = Level(text) { return level }
        let names = Level.allCases.map(\.name).joined(separator: ", ")
        guard !text.contains("..") else {
            throw .wrongUsage("--level \(text): write one level; it also selects all more severe ones")
        }
        throw .wrongUsage("--level \(text): there is no such level; write one of \(names), or 0 to 7")
    }

    /// - Parameter orLast: whether the command also has `--last`.
    static func since(
        _ text: String, _ times: TimeExpression, orLast: Bool = false
    ) throws(ControlError) -> UInt64 {
        try time("--since", text, times, orLast: orLast)
    }

    static func checkBeginning(_ since: UInt64, _ times: TimeExpression) throws(ControlError) {
        guard since > times.now else { return }
        let time = CivilTime.text(since, times.zone, decimals: 0)
        throw .wrongUsage("the range begins in the future, at \(time): no event can be in it")
    }

    private static func checkOrder(
        _ first: String, _ since: UInt64?, _ second: String, _ until: UInt64?
    ) throws(ControlError) {
        guard let since, let until, since > until else { return }
        throw .wrongUsage("\(first) is later than \(second): no event can be between them")
    }

    private static func time(
        _ option: String, _ text: String, _ times: TimeExpression, orLast: Bool
    ) throws(ControlError) -> UInt64 {
        if let time = times.microseconds(text) { return time }
        if let hint = spanHint(text, orLast: orLast) { throw .wrongUsage("\(option) \(text): \(hint)") }
        throw .wrongUsage("\(option) \(text): not a time; write one such as \(TimeExpression.examples)")
    }

    /// Suggests what to write instead of a time span.
    private static func spanHint(_ text: String, orLast: Bool) -> String? {
        guard TimeSpan.microseconds(text) != nil else { return nil }
        if text.count > 8, text.allSatisfy(\.isNumber) { return "write @\(text) for seconds since 1970" }
        let last = orLast ? ", or --last \(text)" : ""
        return "this is a length of time, not a time; write -\(text) or \"\(text) ago\"\(last)"
    }

    private static func span(_ option: String, _ text: String) throws(ControlError) -> UInt64 {
        if let span = TimeSpan.microseconds(text) { return span }
        throw .wrongUsage("\(option) \(text): not a length of time; write one such as \(TimeSpan.examples)")
    }

    private static func boot(_ text: String) throws(ControlError) -> ID128 {
        if text == "0" { return try runningBoot() }
        // The kernel writes ids with hyphens, journalctl --list-boots without.
        if let id = ID128(text.replacing("-", with: "")) { return id }
        guard Int(text) == nil else {
            throw .wrongUsage(
                "--boot \(text): only 0, the current boot, has a number; use an id from journalctl --list-boots"
            )
        }
        throw .wrongUsage("--boot \(text): write 32 hexadecimal digits, as journalctl --list-boots has them, or 0")
    }

    /// Adds `.service` to a name without a suffix and without wildcards.
    /// - Source: systemd.unit(5); journalctl(1), `--unit`
    private static func unit(_ text: String) -> String {
        guard !text.contains(where: { "*?".contains($0) }), !unitSuffixes.contains(where: text.hasSuffix) else {
            return text
        }
        return "\(text).service"
    }

    private static let unitSuffixes = [
        ".service", ".socket", ".device", ".mount", ".automount", ".swap", ".target", ".path", ".timer", ".slice",
        ".scope",
    ]

    /// - Source: random(4)
    private static func runningBoot() throws(ControlError) -> ID128 {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let text = SmallFile.text(path), let id = ID128(text.filter { $0.isHexDigit }) else {
            throw .no("cannot read the running boot's id from \(path)")
        }
        return id
    }
}
