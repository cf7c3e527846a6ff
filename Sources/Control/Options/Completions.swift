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

    /// The values that stored events have for a key.
    static func values(of key: String) -> CompletionKind {
        .custom { words, _, prefix in
            suggestions(words) { client in
                var query = StatsQuery()
                (query.keys, query.top) = ([key], mostValues)
                let reply = try await client.quick(StatsReply.self, APIPath.stats(query))
                return reply.rows.compactMap { $0.values.first?.value }
            }.starting(with: prefix)
        }
    }

    /// A key of groups: of predicates, a parameter, or a part of time.
    static let keys = CompletionKind.custom { words, _, prefix in
        suggestions(words) { client in
            let list = try await client.quick(KeyCatalog.self, APIPath.keys)
            let keys = list.keys.map(\.name).filter { PredicateKey.named($0)?.isGroupKey ?? false }
            return keys + list.parameters + TimeUnit.allCases.map(\.rawValue)
        }.starting(with: prefix, after: ",")
    }

    static let parameters = CompletionKind.custom { words, _, prefix in
        suggestions(words) { client in
            try await client.quick(KeyCatalog.self, APIPath.keys).parameters
        }.starting(with: prefix)
    }

    /// The runs of checklists.
    static let checklists = CompletionKind.custom { words, _, prefix in
        suggestions(words) { client in
            try await client.quick(ChecklistList.self, APIPath.checklists).checklists.map(\.name)
        }.starting(with: prefix)
    }

    static let alerts = CompletionKind.custom { words, _, prefix in
        suggestions(words) { client in
            try await client.quick(AlertList.self, APIPath.alerts).alerts.map(\.name)
        }.starting(with: prefix)
    }

    /// The last word of a predicate: a key, a parameter, or a named predicate.
    static let predicate = CompletionKind.custom { words, _, prefix in
        suggestions(words) { client in
            let list = try await client.quick(KeyCatalog.self, APIPath.keys)
            let own = (try? UserPredicates.read(console)?.texts.keys.map { "@\($0)" }) ?? []
            return list.keys.map(\.name) + list.parameters + own + list.predicates.map { "@\($0.name)" }
        }.starting(with: prefix, after: " (")
    }

    /// Blocks: ArgumentParser asks for completions without `await`. See `Glossctl.runProcess`.
    private static func suggestions(
        _ words: [String], _ ask: @escaping @Sendable (ControlClient) async throws -> [String]
    ) -> [String] {
        let given = words.firstIndex(of: "--socket").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        let attached = words.first { $0.hasPrefix("--socket=") }.map { String($0.dropFirst("--socket=".count)) }
        var options = ConnectionOptions()
        options.socket = given ?? attached
        guard let socket = try? options.socketPath(console) else { return [] }
        let client = ControlClient(socket: socket)
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

extension [String] {
    /// Those that begin as what was typed does.
    /// - Parameter separators: the characters behind which a new word begins; what is before it stays.
    fileprivate func starting(with prefix: String, after separators: String = "") -> [String] {
        let end = prefix.lastIndex { separators.contains($0) }
        let before = end.map { prefix[...$0] } ?? ""
        let word = prefix[before.endIndex...]
        return filter { $0.hasPrefix(word) && SafeText.neutralised($0) == $0 }.map { before + $0 }
    }
}
