import API
import ArgumentParser
import Model
import Predicates

/// The options that select events: one for each `FilterParameter`.
struct FilterOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: .filter(.predicate, "Such as 'level >= error and user == 42'."), completion: Completions.predicate)
    var predicate: [String] = []

    @Option(name: .long, help: .filter(.subsystem), completion: Completions.values(of: "subsystem"))
    var subsystem: [String] = []

    @Option(name: .long, help: .filter(.category), completion: Completions.values(of: "category"))
    var category: [String] = []

    @Option(name: .long, help: .filter(.event), completion: Completions.values(of: "event"))
    var event: [String] = []

    @Option(
        name: .letter("p", or: .customLong("priority")),
        help: .filter(.level, "emerg alert crit err warning notice info debug, or 0 to 7."),
        completion: .values(of: .level))
    var level: String?

    @Option(
        name: .letter("S"), parsing: .unconditional,
        help: .filter(.since, "\"2026-11-21 10:00:00\", 10:00, today, -5m, \"2 hours ago\", @1795255200."))
    var since: String?

    @Option(name: .letter("U"), parsing: .unconditional, help: .filter(.until))
    var until: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Sent in the last 5m, 90s, 1h30m, 2d: short for --since.", valueName: "time span"))
    var last: String?

    @Option(name: .long, parsing: .unconditional, help: .filter(.programSince, "The settings say where it is."))
    var programSince: String?

    @Option(name: .long, parsing: .unconditional, help: .filter(.programUntil))
    var programUntil: String?

    @Option(
        name: .letter("b"), parsing: .unconditionalSingleValue,
        help: .filter(.boot, "0, or no value, means the current boot."))
    var boot: [String] = []

    @Option(
        name: .letter("u"), help: .filter(.unit, ".service may be left out."),
        completion: Completions.values(of: "unit"))
    var unit: [String] = []

    @Option(name: .letter("t"), help: .filter(.identifier), completion: Completions.values(of: "identifier"))
    var identifier: [String] = []

    @Option(name: .long, help: .filter(.host), completion: Completions.values(of: "host"))
    var host: [String] = []

    @Option(name: .long, help: .filter(.pid))
    var pid: [String] = []

    @Option(
        name: .long, help: .filter(.resolution, "Several may be separated by commas."),
        completion: Completions.some(of: FilterParameter.resolution.values ?? []))
    var resolution: [String] = []

    @Option(
        name: .long, parsing: .unconditionalSingleValue, help: .filter(.user),
        completion: Completions.values(of: "user"))
    var user: [String] = []

    @Option(
        name: .long, parsing: .unconditionalSingleValue, help: .filter(.device),
        completion: Completions.values(of: "device"))
    var device: [String] = []

    @Option(name: .customLong("where"), help: .filter(.where), completion: Completions.members)
    var members: [String] = []

    @Option(name: .letter("g"), parsing: .unconditional, help: .filter(.grep))
    var grep: String?

    /// Takes the predicate that was given as an argument.
    mutating func take(_ argument: String?) {
        if let argument { predicate.insert(argument, at: 0) }
    }

    /// What was given, as the daemon understands it anywhere.
    /// - Parameter keyOptions: the options of the command that take a key, which may be meant by a word.
    func filter(_ console: Console, keyOptions: [String] = []) throws(ControlError) -> EventFilter {
        let times = TimeExpression(now: console.now(), zone: console.zone)
        var filter = EventFilter()
        filter[.subsystem] = subsystem
        filter[.category] = category
        filter[.event] = event
        filter[.level] = level.map { [$0] } ?? []
        for (parameter, micros) in try self.times(times) { filter[parameter] = [String(micros)] }
        filter[.boot] = try boot.map(BootOption.id)
        filter[.unit] = unit.map(UnitOption.name)
        filter[.identifier] = identifier
        filter[.host] = host
        filter[.pid] = pid
        filter[.resolution] = resolution.flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        filter[.user] = user
        filter[.device] = device
        filter[.where] = try members.map(MemberOption.checked)
        filter[.grep] = grep.map { [$0] } ?? []
        try check(filter, times)
        let predicates = try predicate.map { text throws(ControlError) in
            do throws(ControlError) {
                return try UserPredicates.absolute(text, times, console)
            } catch {
                throw WordsAlone.error(text, keyOptions: keyOptions) ?? error
            }
        }
        if !predicates.isEmpty { filter[.predicate] = [try Self.all(of: predicates)] }
        return filter
    }

    /// Returns one predicate for several, each of which is right.
    private static func all(of predicates: [String]) throws(ControlError) -> String {
        guard predicates.count > 1 else { return predicates[0] }
        let all = predicates.map { "(\($0))" }.joined(separator: " and ")
        // Together they may have more than one may have.
        do throws(PredicateError) { _ = try PredicateParser.parse(all) } catch {
            throw .wrongUsage("the predicates together: \(error.reason)")
        }
        return all
    }

    private func times(_ times: TimeExpression) throws(ControlError) -> [FilterParameter: UInt64] {
        var given: [FilterParameter: UInt64] = [:]
        given[.since] = try since.map { text throws(ControlError) in
            try TimeOption.time("--since", text, times, orLast: true)
        }
        if let last {
            guard since == nil else {
                throw .wrongUsage("--last and --since both say where to begin: give one of them")
            }
            given[.since] = times.now - min(times.now, try lastSpan(last))
        }
        given[.until] = try until.map { text throws(ControlError) in try TimeOption.end("--until", text, times) }
        given[.programSince] = try programSince.map { text throws(ControlError) in
            try TimeOption.time("--program-since", text, times)
        }
        given[.programUntil] = try programUntil.map { text throws(ControlError) in
            try TimeOption.end("--program-until", text, times)
        }
        try TimeOption.checkOrder("--since", given[.since], "--until", given[.until])
        try TimeOption.checkOrder("--program-since", given[.programSince], "--program-until", given[.programUntil])
        if let since = given[.since] { try TimeOption.checkBeginning(since, times) }
        return given
    }

    private func lastSpan(_ text: String) throws(ControlError) -> UInt64 {
        try TimeOption.span("--last", text, or: "show -n \(text) shows the last \(text) events")
    }

    /// Finds what is wrong with values before the daemon is asked. Which users and devices there are, only the daemon knows.
    private func check(_ filter: EventFilter, _ times: TimeExpression) throws(ControlError) {
        for parameter in filter.parameters {
            if case .role = parameter.key?.meaning { continue }
            for value in filter[parameter] where !parameter.isTime {
                do throws(PredicateError) {
                    _ = try parameter.predicate([value], times, PredicateBinder.Names())
                } catch {
                    throw .wrongUsage("--\(parameter.name) \(value): \(reason(error, parameter, value))")
                }
            }
        }
    }
}

extension FilterOptions {
    private func reason(_ error: PredicateError, _ parameter: FilterParameter, _ value: String) -> String {
        switch parameter {
        case .level where value.contains(".."): "write one level; it also selects all more severe ones"
        // The error is about predicates, which have a key for each part.
        case .event: "an event is CATEGORY/NAME: write '*/\(value)' or '\(value)/*'"
        default: error.reason
        }
    }
}

extension ControlClient {
    /// Returns whether a filter selects a range of time, or boots, so that all its events are shown and not only the last ones.
    /// The daemon is asked only if the predicate has names that are not the user's own.
    func hasRange(_ filter: EventFilter) async throws -> Bool {
        let ranges: [FilterParameter] = [.since, .until, .programSince, .programUntil, .boot]
        if ranges.contains(where: { !filter[$0].isEmpty }) { return true }
        // What is wrong with a predicate, or a name in it, the daemon says in its answer.
        for text in filter[.predicate] {
            guard let syntax = try? PredicateParser.parse(text) else { continue }
            if syntax.hasRange { return true }
            guard syntax.hasNames else { continue }
            let named = try await document(KeyCatalog.self, APIPath.keys).named
            if let expanded = try? named.expanded(text), let syntax = try? PredicateParser.parse(expanded),
                syntax.hasRange
            {
                return true
            }
        }
        return false
    }
}

extension KeyCatalog {
    /// The predicates that this client may see.
    fileprivate var named: NamedPredicates {
        let texts = predicates.compactMap { reply in
            reply.predicate.map { (ExactString(reply.name), ExactString($0)) }
        }
        return NamedPredicates(Dictionary(texts) { first, _ in first })
    }
}

extension ArgumentHelp {
    /// The help of the argument that is a predicate.
    static var predicate: ArgumentHelp {
        ArgumentHelp(
            "A predicate, such as 'level >= error and user == 42'. The options must match as well.",
            valueName: "predicate")
    }

    /// The help of an option for a filter: what it selects, a note, and how several values are understood.
    static func filter(_ parameter: FilterParameter, _ note: String = "") -> ArgumentHelp {
        let values: String =
            switch parameter.form {
            case .like: "* and ? are wildcards; may be repeated."
            case .equal: "May be repeated."
            case .member, .predicate: "If repeated, all must match."
            case .ordered, .grep: ""
            }
        let sentences = ["\(parameter.description).", note, values].filter { !$0.isEmpty }
        return ArgumentHelp(stringLiteral: sentences.joined(separator: " ")).naming(parameter.valueName)
    }

    private func naming(_ value: String) -> ArgumentHelp {
        var help = self
        help.valueName = value
        return help
    }
}

extension CompletionKind {
    /// The few values that a parameter takes.
    static func values(of parameter: FilterParameter) -> CompletionKind { .list(parameter.values ?? []) }
}

extension FilterParameter {
    fileprivate var valueName: String {
        switch self {
        case .event: "category/name"
        case .pid: "number"
        case .where: "name=value"
        case .grep: "pattern"
        case .user, .device: "value"
        case .boot: "id"
        case .level, .resolution, .predicate: name
        default: isTime ? "time" : "glob"
        }
    }
}
