import API
package import ArgumentParser
import Model
import Predicates

/// The options that select events in `show`, `tail` and `report`.
package struct FilterOptions: ParsableArguments {
    @Option(
        name: .customLong("predicate"), parsing: .unconditional,
        help: ArgumentHelp(
            "Events that meet a predicate, such as 'level >= error and user == 42' (docs/predicates.md).",
            valueName: "predicate"))
    package var predicate: String?

    @OptionGroup package var entries: EntryFilterOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "resolved, violating, undefined, unkeyed, plain or malformed, or several separated by commas.",
            valueName: "resolution"),
        completion: .list(Resolution.allCases.map(\.rawValue)))
    package var resolution: [String] = []

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Events of a user: the value of a parameter with the role `user`. May be repeated.",
            valueName: "value"))
    package var user: [String] = []

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Events of a device: the value of a parameter with the role `device`. May be repeated.", valueName: "value")
    )
    package var device: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Events whose payload has this member and value; nested: device.os=17.1. If repeated, all must match.",
            valueName: "name=value"))
    package var conditions: [String] = []

    @Option(
        name: .letter("g"), parsing: .unconditional,
        help: ArgumentHelp(
            "Events whose message or payload text matches a regular expression. Case counts if it has a capital.",
            valueName: "pattern"))
    package var grep: String?

    package init() {}

    /// Whether a time range is selected, so that all its events are shown and not only the last ones.
    var hasRange: Bool {
        let syntax = predicate.flatMap { try? PredicateParser.parse($0) }
        return entries.hasRange || syntax?.asksForTime ?? false
    }

    /// Takes the predicate that was given as an argument.
    mutating func take(_ argument: String?) throws {
        guard let argument else { return }
        guard predicate == nil else {
            throw ValidationError("The predicate is given twice: as an argument, and by --predicate.")
        }
        predicate = argument
    }

    func query(_ console: Console) throws(ControlError) -> EventQuery {
        var query = EventQuery()
        query.filter = try entries.filter(console)
        for name in resolution.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            query.filter.resolutions.append(try Self.resolution(String(name)))
        }
        query.filter.parameters = try conditions.map(Self.condition)
        query.filter.grep = grep
        query.predicate = try predicate(console)
        query.users = user
        query.devices = device
        return query
    }

    /// Returns the predicate with the times that are meant here.
    private func predicate(_ console: Console) throws(ControlError) -> String? {
        guard let predicate else { return nil }
        do throws(PredicateError) {
            let times = TimeExpression(now: console.now(), zone: console.zone)
            return try PredicateParser.parse(predicate).withAbsoluteTimes(predicate, times)
        } catch {
            throw .wrongUsage("\(error)")
        }
    }

    private static func condition(_ text: String) throws(ControlError) -> ParameterCondition {
        let form = "write NAME=VALUE, such as --where recipe_id=42"
        guard let parts = text.parts(at: "="), !parts.before.isEmpty else {
            throw .wrongUsage("--where \(text): \(form)")
        }
        if let sign = comparison(parts.before, parts.after) {
            throw .wrongUsage(
                "--where \(text): \(sign) is not supported, only equality: \(form); a predicate has more: 'recipe_id > 42'"
            )
        }
        guard parts.before.allSatisfy({ !$0.isWhitespace }) else {
            throw .wrongUsage("--where '\(text)': a parameter's name has no spaces: \(form)")
        }
        guard let condition = ParameterCondition(text) else {
            throw .wrongUsage("--where '\(text)': a parameter's name has letters, digits, _, - and . only: \(form)")
        }
        if let sign = comparison(with: parts.after) {
            var query = EventQuery()
            query.filter.parameters = [condition]
            throw .wrongUsage(
                """
                --where '\(text)': \(sign) is not supported, only equality: \(form). If \
                the value begins so, ask the API: \(APIPath.events(query))
                """)
        }
        return condition
    }

    /// Returns an operator of other query languages that contains the first `=`.
    private static func comparison(_ name: Substring, _ value: Substring) -> String? {
        if let last = name.last, "!<>~^$*+:".contains(last) { return "\(last)=" }
        return value.first.flatMap { "=~".contains($0) ? "=\($0)" : nil }
    }

    /// Returns an operator after the `=`, before another one or a number. Otherwise it is text, such as `<b>`.
    private static func comparison(with value: Substring) -> String? {
        guard let sign = value.first, "<>!".contains(sign) else { return nil }
        let rest = value.dropFirst().drop { $0 == " " }
        if rest.first == "=" { return "\(sign)=" }
        let digits = rest.drop { "+-.".contains($0) }
        return digits.first.map { ("0"..."9").contains($0) } == true ? "\(sign)" : nil
    }

    private static func resolution(_ text: String) throws(ControlError) -> Resolution {
        if let resolution = Resolution(rawValue: text) { return resolution }
        let names = Resolution.allCases.map(\.rawValue).joined(separator: ", ")
        throw .wrongUsage("--resolution \(text): there is no such resolution; write one of \(names)")
    }
}
