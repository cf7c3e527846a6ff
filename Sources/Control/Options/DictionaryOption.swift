import API
package import ArgumentParser
import Model

/// Which dictionaries.
package struct DictionaryOption: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("Only this dictionary.", valueName: "name"))
    package var dictionary: String?

    package init() {}

    /// The dictionaries to look in, in the order of the settings.
    /// - Throws: `ControlError.no` when there is none, or none of that name.
    func names(_ client: ControlClient) async throws -> [String] {
        let all = try await client.document(Names.self, APIPath.dictionaries).dictionaries.map(\.name)
        guard let dictionary else {
            guard !all.isEmpty else { throw ControlError.no("there is no dictionary: see dictionaries in gloss.yaml") }
            return all
        }
        guard all.contains(dictionary) else {
            let known = all.isEmpty ? "there is none" : "there are \(all.joined(separator: ", "))"
            throw ControlError.no("no dictionary is called \(dictionary): \(SafeText.neutralised(known))")
        }
        return [dictionary]
    }

    /// The part of `DictionaryList` that is of use here.
    private struct Names: Decodable {
        struct Dictionary: Decodable { let name: String }
        let dictionaries: [Dictionary]
    }
}
