import API
import Model
import Predicates

/// Remembers the parameters of events, and finds those that differ from the previous event of the same definition and user.
struct EventDifferences: Sendable {
    enum Change: Sendable, Equatable {
        case new(ParameterText)
        /// - Parameter old: the value before, or its beginning.
        case changed(old: String, ParameterText)
        /// - Parameter name: of a parameter that the event does not have.
        case gone(name: String)
    }

    private struct Kind: Hashable {
        var dictionary: ExactString
        var event: EventKey
        var user: ExactString?
    }

    /// A value, of which only the beginning is kept: values may be large.
    private struct Value {
        var name: String
        var beginning: String
        var hash: Int

        init(_ parameter: ParameterText) {
            (name, hash) = (parameter.name, ExactString(parameter.value).hashValue)
            let bytes = parameter.value.utf8.prefix(EventDifferences.longestOld)
            beginning = DisplayWidth.cut(
                String(decoding: bytes, as: UTF8.self) + (bytes.count < parameter.value.utf8.count ? "…" : ""),
                to: EventDifferences.widestOld)
        }
    }

    /// In bytes.
    private static let longestOld = 200
    /// In columns: the new value has to be seen beside it.
    private static let widestOld = 24
    /// The most values that are remembered, an event counting as one more. If there are more, it starts over.
    private static let mostValues = 200_000

    /// Where payloads have the user.
    private let users: [EventField]
    private var last: [Kind: [ExactString: Value]] = [:]
    private var valueCount = 0

    init(users: [EventField]) { self.users = users }

    /// Returns what is different, in the order of the payload; `nil` for the first event of its kind, or one without a key.
    /// - Parameter parameters: those of the event that are compared.
    mutating func changes(to event: EventLine, _ parameters: [ParameterText]) -> [Change]? {
        guard let key = event.event else { return nil }
        let user = users.lazy.compactMap { $0.plain(of: event, .utc) }.first
        let kind = Kind(
            dictionary: ExactString(event.dictionary ?? ""), event: key, user: user.map { ExactString($0) })
        var values: [ExactString: Value] = [:]
        for parameter in parameters { values[ExactString(parameter.place)] = Value(parameter) }
        if valueCount + values.count + 1 > Self.mostValues { (last, valueCount) = ([:], 0) }
        valueCount += values.count + 1 - (last[kind].map { $0.count + 1 } ?? 0)
        guard let before = last.updateValue(values, forKey: kind) else { return nil }
        let changes = parameters.compactMap { parameter -> Change? in
            guard let old = before[ExactString(parameter.place)] else { return .new(parameter) }
            return old.hash == ExactString(parameter.value).hashValue ? nil : .changed(old: old.beginning, parameter)
        }
        let gone = before.filter { values[$0.key] == nil }.sorted { $0.key < $1.key }
        return changes + gone.map { .gone(name: $0.value.name) }
    }
}

extension ControlClient {
    /// Returns where payloads have the user.
    func users() async throws -> [EventField] {
        try await document(KeyCatalog.self, APIPath.keys).users.map { path in
            let isPlain = path.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: ".") }
            return try EventField("payload.\(isPlain ? path : PredicateSyntax.quoted(path))")
        }
    }
}
