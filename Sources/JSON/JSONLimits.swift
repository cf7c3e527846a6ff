/// How much of a JSON text is accepted.
package struct JSONLimits: Sendable, Hashable {
    package var maximumBytes: Int
    /// How many arrays and objects may be open at a time; the outermost counts.
    package var maximumDepth: Int
    /// How many members all objects together may have: what is read of a text takes memory for each of them.
    package var maximumMembers: Int

    /// Of payloads: no sender means more, and 60 MB of tiny members would take a gigabyte.
    package static let payload = JSONLimits(maximumMembers: 65_536)

    package init(maximumBytes: Int = .max, maximumDepth: Int = 128, maximumMembers: Int = .max) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumMembers = maximumMembers
    }
}
