package import Model

/// The appearance of text: all properties of the terminal and the reader that rendering depends on.
package struct Style: Sendable {
    /// The columns of the terminal; `nil` if there is none, and then nothing is cut or shortened.
    package var width: Int?
    /// Whether lines end at that width.
    package var isCut: Bool = true
    package var isColoured: Bool = false
    /// Whether links are written for terminals that open them; otherwise the URL follows the name.
    package var hasLinks: Bool = false
    package var zone: Zone = .utc
    /// Whether times of events have the date and the offset, as in ISO 8601.
    package var hasISOTimes = false
    /// The current time, in microseconds since 1970. Times of the current year may omit the year.
    package var now: UInt64 = 0
    /// Whether the common parameters of events are shown, too.
    package var showsCommon: Bool = false
    /// Whether the time since the previous event is shown, too.
    package var showsDelta = false
    /// Whether events that are highlighted have a mark.
    package var showsHighlight = false
}

extension Style {
    /// The same style for text that is already broken into lines.
    var uncut: Style {
        var style = self
        style.isCut = false
        return style
    }
}
