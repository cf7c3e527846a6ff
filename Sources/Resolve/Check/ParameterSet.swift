import Model

/// Parameters that stand in one list, made ready to check payloads by.
///
/// One object serves all events that share the list, which common parameters make worth while.
final class ParameterSet: Sendable {
    struct Entry: Sendable {
        let name: String
        let check: ValueCheck
    }

    /// What decides over almost every value, beside `entries` and free to copy.
    struct Outline: Sendable {
        let form: ValueCheck.Form
        /// An obsolete parameter is not required: its senders are the ones that have been told to stop.
        let isRequired: Bool
        let isObsolete: Bool
    }

    let entries: [Entry]
    let outlines: [Outline]
    let requiredCount: Int
    private let table: KeyTable

    init(_ parameters: [Parameter]) {
        entries = parameters.map { Entry(name: $0.name, check: ValueCheck($0)) }
        outlines = zip(parameters, entries).map {
            Outline(form: $1.check.form, isRequired: !$0.isOptional && !$0.isObsolete, isObsolete: $0.isObsolete)
        }
        requiredCount = outlines.count { $0.isRequired }
        table = KeyTable(parameters.map(\.name))
    }

    @inline(__always)
    func index(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int? { table.index(of: key, hash: hash) }
}
