/// What went wrong in the store, in words for people.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// Another daemon has the store.
        case locked
        /// The file is damaged, or no database of ours. It is left as it is.
        case corrupt
        /// Another version of Gloss made the file. It is left as it is.
        case otherLayout
        case readOnly
        /// The limit is reached, or the disk is full. Nothing was saved; try again later.
        case full
        /// Another process holds the database. Nothing was saved; try again.
        case busy
        /// The caller's `filter.grep` is not a regular expression.
        case invalidPattern
        /// The task that asked was cancelled.
        case cancelled
        case failed
    }

    package var kind: Kind
    /// SQLite's extended result code, where it was SQLite that failed.
    package var code: Int32?
    /// What happened, where.
    package var description: String
    /// What the operator should do.
    package var hint: String?

    package init(kind: Kind, code: Int32? = nil, description: String, hint: String? = nil) {
        self.kind = kind
        self.code = code
        self.description = description
        self.hint = hint
    }

    static let cancelled = StoreError(kind: .cancelled, description: "the query was given up")
}
