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
        let dictionaries = try await client.document(Scopes.self, APIPath.dictionaries).dictionaries
        guard dictionary == nil, !dictionaries.isEmpty else {
            let names = try Self.named(dictionary, of: dictionaries.map(\.name))
            return dictionaries.filter { names.contains($0.name) }
        }
        let covering = dictionaries.filter(covers)
        guard !covering.isEmpty else { throw ControlError.no(SafeText.neutralised(nothing(dictionaries))) }
        return covering
    }

    /// Returns the dictionary with a name, or all without one, in the order of the settings.
    /// - Throws: `ControlError.no` if there are none, or none with that name.
    static func names(_ client: ControlClient, named dictionary: String?) async throws -> [String] {
        let dictionaries = try await client.document(Scopes.self, APIPath.dictionaries).dictionaries
        return try named(dictionary, of: dictionaries.map(\.name))
    }

    private static func named(_ dictionary: String?, of all: [String]) throws(ControlError) -> [String] {
        guard let dictionary else {
            guard !all.isEmpty else { throw .no("there is no dictionary: see dictionaries in gloss.yaml") }
            return all
        }
        guard all.contains(dictionary) else {
            let known = all.isEmpty ? "there is none" : "there are \(all.joined(separator: ", "))"
            throw ControlError.no("no dictionary is called \(dictionary): \(SafeText.neutralised(known))")
        }
        return [dictionary]
    }

    private func covers(_ scope: Scopes.Dictionary) -> Bool {
        subsystem.map(Glob(scope.subsystem).matches) ?? true && category.map(Glob(scope.category).matches) ?? true
    }

    private func nothing(_ all: [Scopes.Dictionary]) -> String {
        let asked = [subsystem.map { "subsystem \($0)" }, category.map { "category \($0)" }].compactMap(\.self)
        let there = all.map { "\($0.name) covers subsystem \($0.subsystem), category \($0.category)" }
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
