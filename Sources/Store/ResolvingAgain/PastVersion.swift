/// A version of a dictionary that stored events were resolved with.
package struct PastVersion: Sendable, Hashable {
    package var dictionary: String
    package var version: String

    package init(dictionary: String, version: String) {
        self.dictionary = dictionary
        self.version = version
    }
}
