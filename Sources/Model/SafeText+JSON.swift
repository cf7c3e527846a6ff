extension SafeText {
    /// For JSON on its way to a terminal, in which characters that a terminal would act on stand as they were sent: it may
    /// have any but C0, which JSON itself escapes.
    /// - Returns: the same JSON with each character that is unsafe on a terminal as an escape, such as `\u009b`, and bytes
    ///   that are no UTF-8 as `\ufffd`. White space between the parts stays white space; line breaks stay.
    package static func neutralised(json: [UInt8]) -> [UInt8] {
        guard !json.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == newline }) else { return json }
        var safe: [UInt8] = []
        safe.reserveCapacity(json.count + 64)
        var decoder = Unicode.UTF8.ForwardParser()
        var bytes = json.makeIterator()
        while true {
            switch decoder.parseScalar(from: &bytes) {
            case .valid(let encoded): append(Unicode.UTF8.decode(encoded), encoded, to: &safe)
            case .error: escape("\u{FFFD}", to: &safe)
            case .emptyInput: return safe
            }
        }
    }

    private static let newline = UInt8(ascii: "\n")

    private static func append(
        _ scalar: Unicode.Scalar, _ encoded: Unicode.UTF8.EncodedScalar, to safe: inout [UInt8]
    ) {
        switch scalar {
        case "\n": safe.append(newline)
        // Within strings JSON has them as escapes only.
        case "\t", "\r": safe.append(UInt8(ascii: " "))
        case _ where isUnsafe(scalar): escape(scalar, to: &safe)
        default: safe.append(contentsOf: encoded)
        }
    }

    private static func escape(_ scalar: Unicode.Scalar, to safe: inout [UInt8]) {
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            safe += "\\u".utf8
            safe += String(repeating: "0", count: 4 - digits.count).utf8
            safe += digits.utf8
        }
    }
}
