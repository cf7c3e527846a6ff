import API
import ArgumentParser
import Dispatch
import Model
import Predicates
import Synchronization

/// Completions that ask the daemon. They are suggestions: without an answer in time there are none.
enum Completions {
    /// How long the daemon may take, in seconds. A person waits.
    fileprivate static let timeout = 2
    private static let mostValues = 200

    /// Some of these, separated by commas.
    static func some(of values: [String]) -> CompletionKind {
        .custom { TypedWord($0, $1, $2, separators: ",").completed(by: values) }
    }

    /// The values that stored events have for a key.
    static func values(of key: String, after separators: String = "") -> CompletionKind {
        completion(after: separators) { client, typed in try await values(of: key, typed.word, client) }
    }

    /// Asks for those with the beginning: of all there may be more than are shown.
    private static func values(
        of key: String, _ beginning: String, _ client: ControlClient
    ) async throws -> [String] {
        var query = StatsQuery()
        (query.keys, query.top) = ([key], mostValues)
        if !beginning.isEmpty {
            query.filter[.predicate] = ["\(key) beginswith \(PredicateSyntax.quoted(beginning))"]
        }
        let reply = try await client.quick(StatsReply.self, APIPath.stats(query))
        return reply.rows.compactMap { $0.values.first?.value }
    }

    /// A key of groups: of predicates, a parameter, or a part of time.
    static let keys = completion(after: ",") { client, _ in
        let list = try await client.quick(KeyCatalog.self, APIPath.keys)
        let keys = list.keys.map(\.name).filter { PredicateKey.named($0)?.isGroupKey ?? false }
        return keys + list.writtenParameters + TimeUnit.allCases.map(\.rawValue)
    }

    /// What may be printed of events.
    static let fields = completion(after: ",") { client, _ in
        let list = try await client.quick(KeyCatalog.self, APIPath.keys)
        let keys = list.keys.map(\.name).filter { (try? EventField.list($0)) != nil }
        return keys + EventField.names + list.parameters.map { "payload.\($0)" }
    }

    static let parameters = completion { client, _ in
        try await client.quick(KeyCatalog.self, APIPath.keys).writtenParameters
    }

    /// A parameter and what stands behind it.
    static let members = completion { client, typed in
        try await client.quick(KeyCatalog.self, APIPath.keys).parameters.map { "\($0)=" }
    }

    /// The keys of definitions, whether their events were sent or not.
    static let definitions = completion { client, _ in try await definitionKeys(client) }

    static func definitionKeys(_ client: ControlClient) async throws -> [String] {
        try await client.definitionKeys(of: dictionaryNames(client), timeout: timeout).map(\.description)
    }

    static let dictionaries = completion { client, _ in try await dictionaryNames(client) }

    private static func dictionaryNames(_ client: ControlClient) async throws -> [String] {
        try await client.quick(DictionaryOption.Scopes.self, APIPath.dictionaries).dictionaries.map(\.name)
    }

    /// The runs of checklists.
    static let checklists = completion { client, _ in
        try await client.quick(ChecklistList.self, APIPath.checklists).checklists.map(\.name)
    }

    static let alerts = completion { client, _ in
        try await client.quick(AlertList.self, APIPath.alerts).alerts.map(\.name)
    }

    /// The last word of a predicate: a key, a parameter, or a named predicate; or a value of the key before it.
    static let predicate = completion(after: " (!") { client, typed in
        if let key = typed.keyOfValue { return try await predicateValues(of: key, typed.word, client) }
        let list = try await client.quick(KeyCatalog.self, APIPath.keys)
        let own = (try? UserPredicates.read(console)?.texts.keys.map { "@\($0)" }) ?? []
        return list.keys.map(\.name) + list.writtenParameters + own + list.predicates.map { "@\($0.name)" }
    }

    private static func predicateValues(
        of key: String, _ word: String, _ client: ControlClient
    ) async throws -> [String] {
        if let few = PredicateKey.named(key)?.values { return few }
        let isQuoted = word.hasPrefix("\"")
        return try await values(of: key, isQuoted ? String(word.dropFirst()) : word, client).map {
            TypedWord.value($0, isQuoted: isQuoted)
        }
    }

    private static func completion(
        after separators: String = "",
        _ ask: @escaping @Sendable (ControlClient, TypedWord) async throws -> [String]
    ) -> CompletionKind {
        .custom { words, place, prefix in
            let typed = TypedWord(words, place, prefix, separators: separators)
            return typed.completed(by: suggestions(words) { client in try await ask(client, typed) })
        }
    }

    /// Blocks: ArgumentParser asks for completions without `await`. See `Glossctl.runProcess`.
    private static func suggestions(
        _ words: [String], _ ask: @escaping @Sendable (ControlClient) async throws -> [String]
    ) -> [String] {
        var options = ConnectionOptions()
        options.socket = words.indices.lazy.compactMap { ConnectionOptions.socket(at: words[$0...])?.path }.first
        guard let client = try? options.client(console) else { return [] }
        let (found, done) = (Found(), DispatchSemaphore(value: 0))
        Task.detached {
            let suggestions = (try? await ask(client)) ?? []
            found.texts.withLock { $0 = suggestions }
            done.signal()
        }
        _ = done.wait(timeout: .now() + .seconds(timeout + 1))
        return found.texts.withLock { $0 }
    }

    private final class Found: Sendable { let texts = Mutex<[String]>([]) }

    /// A console with nothing but the environment of the process.
    private static var console: Console {
        Console(
            environment: Console.processEnvironment(), output: ByteSink { _ in }, errors: ByteSink { _ in }, now: { 0 })
    }
}

extension ControlClient {
    fileprivate func quick<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
        try Self.decode(type, try await document(path, timeout: Completions.timeout))
    }
}

extension KeyCatalog {
    /// The parameters as they are written in predicates: one with the name of a key, by its path.
    var writtenParameters: [String] {
        parameters.map { PredicateKey.named($0) == nil ? $0 : "payload.\($0)" }
    }
}
