/// How text for people is to look: everything about the reader that rendering depends on.
package struct Style: Sendable {
    /// The terminal's columns; `nil` when there is no terminal, and then nothing is cut or shortened.
    package var width: Int?
    /// Whether lines end at that width.
    package var isCut: Bool = true
    package var isColoured: Bool = false
    /// Whether links are written so that a terminal opens them; else the URL stands behind the name.
    package var hasLinks: Bool = false
    package var zone: Zone = .utc
    /// Whether events have their times with date and offset, as ISO 8601 writes them.
    package var hasISOTimes = false
    /// Microseconds since 1970: times of the same year may leave it out.
    package var now: UInt64 = 0
    /// Whether the parameters that all events have in common are shown too.
    package var showsCommon: Bool = false
}

extension Style {
    /// The same for what has been broken into lines already.
    var uncut: Style {
        var style = self
        style.isCut = false
        return style
    }
}
