import API
package import ArgumentParser
import Model

package struct DefinitionsCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "definitions",
        abstract: "List what the dictionaries define, or show one definition.",
        discussion: """
            Examples:
              glossctl definitions
              glossctl definitions --dictionary shop
              glossctl definitions recipe_detail/tap_save_button
            """)

    @Argument(help: ArgumentHelp("The definition to show in full.", valueName: "category/name"))
    package var key: String?

    @Option(name: .long, help: ArgumentHelp("Only this dictionary.", valueName: "name"))
    package var dictionary: String?

    @Option(name: .shortAndLong, help: "text or json (an array with a member for each dictionary).")
    package var output = DocumentFormat.text

    @OptionGroup package var text: TextOptions
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    package mutating func validate() throws {
        if let key, Self.key(key) == nil {
            throw ValidationError("\(key): write CATEGORY/NAME, as the list has it.")
        }
    }

    func run(on console: Console) async throws {
        let socket = try connection.socketPath(console)
        let client = ControlClient(socket: socket)
        let names = try await names(client)
        let paths = names.map { name in
            key.flatMap(Self.key).map { APIPath.definition(dictionary: name, key: $0) }
                ?? APIPath.definitions(dictionary: name)
        }
        let replies = try await documents(paths, client)
        if let key, replies.isEmpty {
            let place = names.count == 1 ? "dictionary \(names[0])" : "\(names.count) dictionaries"
            throw ControlError.no(SafeText.neutralised("\(key): no such definition in \(place)"))
        }
        try print(replies, on: console)
    }

    /// The dictionaries to look in.
    private func names(_ client: ControlClient) async throws -> [String] {
        let all = try await client.document(DictionaryList.self, APIPath.dictionaries).dictionaries.map(\.name)
        guard let dictionary else { return all }
        guard all.contains(dictionary) else {
            let known = all.isEmpty ? "there is none" : "there are \(all.joined(separator: ", "))"
            throw ControlError.no("no dictionary is called \(dictionary): \(SafeText.neutralised(known))")
        }
        return [dictionary]
    }

    /// The documents that exist: two dictionaries may define a key, or one of them.
    private func documents(_ paths: [String], _ client: ControlClient) async throws -> [[UInt8]] {
        var documents: [[UInt8]] = []
        for path in paths {
            do {
                documents.append(try await client.document(path))
            } catch ControlError.refused(let problem) where problem.status == 404 {
                continue
            }
        }
        return documents
    }

    private func print(_ replies: [[UInt8]], on console: Console) throws {
        guard output == .text else {
            return try console.output.write(Array("[".utf8) + replies.joined(separator: ",".utf8) + Array("]\n".utf8))
        }
        let renderer = DefinitionRenderer(style: text.style(console))
        if key == nil {
            let lists = try replies.map { try ControlClient.decode(DefinitionList.self, $0) }
            try console.print(renderer.table(lists))
        } else {
            let definitions = try replies.map { try ControlClient.decode(DefinitionReply.self, $0) }
            try console.print(definitions.map(renderer.text).joined(separator: "\n"))
        }
    }

    private static func key(_ text: String) -> EventKey? {
        let parts = text.split(separator: "/", maxSplits: 1)
        return parts.count == 2 ? EventKey(category: String(parts[0]), name: String(parts[1])) : nil
    }
}
