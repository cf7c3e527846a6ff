extension String {
    /// Names and messages repeat what files say: nothing in it may steer a terminal, or begin another line.
    package var inert: String {
        replacing { $0.properties.generalCategory == .control }
    }

    /// The same for what has several lines.
    package var inertLines: String {
        replacing { $0 != "\n" && $0.properties.generalCategory == .control }
    }

    private func replacing(_ isUnwanted: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isUnwanted) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { isUnwanted($0) ? "\u{FFFD}" : $0 }))
    }
}
