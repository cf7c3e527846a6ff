package import Model

/// A compiled predicate that is asked about names instead of events: of definitions, or of what events are counted by.
package struct NamePredicate {
    private indirect enum Node {
        case all([Node])
        case any([Node])
        case not(Node)
        case text(TextCondition)
        /// A condition on what only events have.
        case unknown
    }

    /// What is known of a text.
    package enum Text {
        /// `nil` if there is none.
        case known(String?)
        case unknown
    }

    private let root: Node
    /// Bounds the time of all searches together. It is never cancelled: names are asked about in a few milliseconds.
    private let turn = ReadTurn(time: .zero)

    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package init(_ predicate: Predicate) throws(StoreError) { root = try Self.node(predicate) }

    private static func node(_ predicate: Predicate) throws(StoreError) -> Node {
        switch predicate {
        case .all(let parts): .all(try parts.map { part throws(StoreError) in try node(part) })
        case .any(let parts): .any(try parts.map { part throws(StoreError) in try node(part) })
        case .not(let part): .not(try node(part))
        case .text(let key, let test): .text(try TextCondition(key, test))
        case .number, .identity, .message, .parameter, .journal: .unknown
        }
    }

    /// Must be called on one thread.
    /// - Returns: `nil` if what is unknown decides.
    /// - Throws: `.invalidPattern` if searches for a regular expression take too long, also together.
    package func isMet(by text: (Predicate.TextKey) -> Text) throws -> Bool? { try isMet(root, text) }

    private func isMet(_ node: Node, _ text: (Predicate.TextKey) -> Text) throws -> Bool? {
        switch node {
        case .all(let parts): return try decision(of: parts, endsAt: false, text)
        case .any(let parts): return try decision(of: parts, endsAt: true, text)
        case .not(let part): return try isMet(part, text).map { !$0 }
        case .unknown: return nil
        case .text(let condition):
            guard case .known(let known) = text(condition.key) else { return nil }
            guard var known else { return try condition.accepts(nil, until: turn) }
            return try known.withUTF8 { try condition.accepts(UnsafeRawBufferPointer($0), until: turn) }
        }
    }

    /// - Parameter end: the result of a part that decides.
    private func decision(
        of parts: [Node], endsAt end: Bool, _ text: (Predicate.TextKey) -> Text
    ) throws -> Bool? {
        var isKnown = true
        for part in parts {
            switch try isMet(part, text) {
            case end?: return end
            case nil: isKnown = false
            default: break
            }
        }
        return isKnown ? !end : nil
    }
}
