extension String {
    /// With the full-width forms of ASCII characters, which an input method for Japanese leaves behind, made ASCII.
    var halfWidth: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map(\.halfWidth)))
    }
}

extension Unicode.Scalar {
    var halfWidth: Unicode.Scalar {
        switch value {
        // The no-break space is what a Mac writes while the option key is still down.
        case 0x3000, 0xA0: " "
        case 0xFF01...0xFF5E: Unicode.Scalar(UInt8(value - 0xFEE0))
        default: self
        }
    }
}
