package import Model

/// What of a journal cannot be read. libsystemd skips such files without a word, so that only a look into the folders
/// shows them.
package struct JournalHealth: Sendable, Hashable {
    /// A file or folder that is not read although it should be.
    package struct Problem: Sendable, Hashable {
        @Exact package var path: String
        /// In words for people, such as `permission denied`.
        @Exact package var reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// Sorted by path.
    package var problems: [Problem]
    /// How many journal files can be read.
    package var readableFiles: Int
    /// Why changes are looked for every two seconds rather than waited for; `nil` when all is well.
    @Exact package var polling: String?

    /// Folders with journals that are not read because the settings name another location, such as namespaces; sorted.
    @Exact package var uncovered: [String]

    package init(
        problems: [Problem] = [], readableFiles: Int = 0, polling: String? = nil, uncovered: [String] = []
    ) {
        self.problems = problems
        self.readableFiles = readableFiles
        self.polling = polling
        self.uncovered = uncovered
    }
}
