/// How much of a JSON text is accepted.
package struct JSONLimits: Sendable, Hashable {
    package var maximumBytes: Int
    /// How many arrays and objects may be open at a time; the outermost counts.
    package var maximumDepth: Int

    package init(maximumBytes: Int = .max, maximumDepth: Int = 128) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
    }
}
