import API
import ArgumentParser
import Model

/// The option that selects dictionaries.
struct DictionaryOption: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Only this dictionary.", valueName: "name"),
        completion: Completions.dictionaries)
    var dictionary: String?

    @Option(name: .long, help: ArgumentHelp("Only dictionaries that cover this subsystem.", valueName: "name"))
    var subsystem: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Only dictionaries that cover this category of journal entries.", valueName: "name"))
    var category: String?

    /// Returns the selected dictionaries, in the order of the settings.
    /// - Throws: `ControlError.no` if there are none, or none with that name.
    func names(_ client: ControlClient) async throws -> [String] { try await scopes(client).map(\.name) }

    /// Returns the selected dictionaries, with what they cover.
    /// - Throws: as `names(_:)`
    func scopes(_ client: ControlClient) async throws -> [Scopes.Dictionary] {
        let named = try await Self.named(dictionary, client)
        let covering = named.filter(covers)
        guard !covering.isEmpty else { throw ControlError.no(SafeText.neutralised(nothing(named))) }
        return covering
    }

    /// Returns the dictionary with a name, or all without one, in the order of the settings.
    /// - Throws: `ControlError.no` if there are none, or none with that name.
    static func named(_ name: String?, _ client: ControlClient) async throws -> [Scopes.Dictionary] {
        let all = try await client.document(Scopes.self, APIPath.dictionaries).dictionaries
        guard let name else {
            guard !all.isEmpty else { throw ControlError.no("there is no dictionary: see dictionaries in gloss.yaml") }
            return all
        }
        let named = all.filter { $0.name == name }
        guard !named.isEmpty else {
            let known = all.isEmpty ? "there is none" : "there are \(all.map(\.name).joined(separator: ", "))"
            throw ControlError.no("no dictionary is called \(name): \(SafeText.neutralised(known))")
        }
        return named
    }

    private func covers(_ scope: Scopes.Dictionary) -> Bool {
        subsystem.map(Glob(scope.subsystem).matches) ?? true && category.map(Glob(scope.category).matches) ?? true
    }

    private func nothing(_ named: [Scopes.Dictionary]) -> String {
        let asked = [subsystem.map { "subsystem \($0)" }, category.map { "category \($0)" }].compactMap(\.self)
        let there = named.map { "\($0.name) covers subsystem \($0.subsystem), category \($0.category)" }
        // Events have categories, too.
        let hint = category.map { "; glossctl definitions --event '\($0)/*' lists a category of events" } ?? ""
        return "no dictionary covers \(asked.joined(separator: ", ")): \(there.joined(separator: "; "))\(hint)"
    }

    /// The members of `DictionaryList` that are needed here.
    struct Scopes: Decodable {
        struct Dictionary: Decodable {
            let name: String
            let subsystem: String
            let category: String
        }
        let dictionaries: [Dictionary]
    }
}
