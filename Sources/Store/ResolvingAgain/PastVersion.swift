package import Model

/// A version of a dictionary that stored events were resolved with.
package struct PastVersion: Sendable, Hashable {
    @Exact package var dictionary: String
    @Exact package var version: String

    package init(dictionary: String, version: String) {
        self.dictionary = dictionary
        self.version = version
    }
}
