import Model

/// Text that is drawn again in its place on the terminal, from time to time. Where the output is no terminal, each drawing
/// follows the one before.
struct LiveScreen {
    private let console: Console
    /// How many lines the last drawing has.
    private var lines = 0
    private var isFirst = true

    init(_ console: Console) { self.console = console }

    /// - Parameter text: lines that end with line breaks. What is wider than the terminal is cut.
    mutating func draw(_ text: String) throws {
        defer { isFirst = false }
        guard console.terminalWidth() != nil, console.environment["TERM"] != "dumb" else {
            return try console.print(isFirst ? text : "\n" + text)
        }
        var shown = Array(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
        // What is above the top of the terminal cannot be drawn again.
        if let height = console.terminalHeight(), shown.count >= height {
            shown = Array(shown.prefix(max(1, height - 2)))
            shown.append("…")
        }
        let up = lines > 0 ? "\u{1B}[\(lines)A" : ""
        lines = shown.count
        let drawn = shown.map { "\(Self.erasingLine)\($0)\n" }.joined()
        try console.print("\(up)\r\(Self.cutting)\(drawn)\(Self.wrapping)\(Self.erasingBelow)")
    }

    /// - Source: ECMA-48, 8.3.41 and 8.3.39
    private static let erasingLine = "\u{1B}[K"
    private static let erasingBelow = "\u{1B}[J"
    /// Whether lines that are too long continue in the next row, which would not be counted.
    /// - Source: DECAWM, https://vt100.net/docs/vt510-rm/DECAWM.html
    private static let (cutting, wrapping) = ("\u{1B}[?7l", "\u{1B}[?7h")
}

extension LiveScreen {
    /// Draws again and again until the user ends it. While the daemon does not answer, that is said below what was drawn last.
    /// - Parameters:
    ///   - seconds: between two drawings.
    ///   - frame: returns the text.
    static func run(
        on console: Console, every seconds: Double, _ frame: () async throws -> String
    ) async throws {
        var (screen, last) = (LiveScreen(console), "")
        while true {
            do {
                last = try await frame()
                try screen.draw(last)
            } catch let error as ControlError {
                // What is wrong from the beginning stays so.
                guard !last.isEmpty, error.mayPass else { throw error }
                try screen.draw(last + "\n\(SafeText.neutralisedLine(error.description))\n")
            }
            do { try await Task.sleep(for: .seconds(seconds)) } catch { throw ControlError.interrupted }
        }
    }
}
