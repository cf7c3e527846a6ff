/// What in a text could move a terminal's cursor, colour it, or reorder what is read; line breaks are not counted.
///
/// Goes by Unicode's properties and not by the list in `SafeText`, so that a gap in that list shows.
package func terminalControls(in text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: scalar != "\n"
        default: scalar.properties.isBidiControl
        }
    }
}
