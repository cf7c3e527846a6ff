extension String {
    /// The text as a single line that steers no terminal: it may repeat what files, their names and senders say.
    var oneLine: String {
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        guard unicodeScalars.contains(where: isControl) else { return self }
        var line = ""
        // Not by characters: CR and LF are one of them.
        for scalar in unicodeScalars {
            if scalar == "\n" {
                line += "; "
            } else {
                line.unicodeScalars.append(isControl(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return line
    }
}
