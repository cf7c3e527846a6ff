/// `POST /v1/reload`, when the new settings and dictionaries are in force. Otherwise the answer is a problem, and the
/// old ones stay.
package struct ReloadReply: Sendable, Hashable, Codable {
    /// What became different, one sentence each; empty when nothing did.
    package var changes: [String]
    /// What the definitions' authors should mend, `path:line:column: warning [rule]: text`.
    package var warnings: [String]
    package var dictionaries: [DictionaryStatus]

    package init(changes: [String], warnings: [String] = [], dictionaries: [DictionaryStatus]) {
        self.changes = changes
        self.warnings = warnings
        self.dictionaries = dictionaries
    }
}
