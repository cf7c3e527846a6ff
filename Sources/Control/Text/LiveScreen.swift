import Model

/// Text that is drawn again in its place on the terminal, from time to time. Where the output is no terminal, each drawing
/// follows the one before.
struct LiveScreen {
    private let console: Console
    /// The columns of each line of the last drawing.
    private var drawn: [Int] = []
    /// The same of earlier lines, which were above the top of the terminal when they should have been replaced.
    private var above: [Int] = []
    /// The columns and lines of the terminal at the last drawing.
    private var size = (0, 0)
    private var isFirst = true
    private var continuations: Int
    /// What was drawn last, and when.
    private var last: (text: String, time: UInt64)?

    init(_ console: Console) {
        self.console = console
        continuations = console.continuations()
    }

    /// - Parameter text: lines that end with line breaks. What is wider than the terminal is cut.
    mutating func draw(_ text: String) throws {
        last = (text, console.now())
        try show(text)
    }

    /// Draws the same again, while the daemon does not answer. That is said above it, where it is never cut off.
    /// - Throws: the error, if it stays or nothing was drawn: what is wrong from the beginning stays so.
    mutating func drawAgain(after error: ControlError) throws {
        guard let last, error.mayPass else { throw error }
        let age = Double(console.now()) - Double(last.time)
        let reason = """
            \(SafeText.neutralisedLine(error.description))
            The last answer, \(Quantity.time(seconds: max(0, age / 1e6))) ago:
            """
        let style = Style(width: console.terminalWidth())
        try show(TextBlock.wrapped(reason, indent: 0, style) + "\n" + last.text)
    }

    private mutating func show(_ text: String) throws {
        defer { isFirst = false }
        guard let width = console.terminalWidth(), console.environment["TERM"] != "dumb" else {
            return try console.print(isFirst ? text : "\n" + text)
        }
        let height = console.terminalHeight() ?? .max
        var shown = Array(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
        // What is above the top of the terminal cannot be drawn again.
        if shown.count >= height {
            shown = Array(shown.prefix(max(1, height - 2)))
            shown.append("…")
        }
        let rows = rowsToReplace(width, height)
        let up = rows > 0 ? "\u{1B}[\(rows)A" : ""
        let lines = shown.map { Self.fitting($0, width) }
        drawn = lines.map { Self.columns(of: $0) }
        let text = lines.map { "\(Self.erasingLine)\($0)\n" }.joined()
        try console.print("\(up)\r\(Self.cutting)\(text)\(Self.wrapping)\(Self.erasingBelow)")
    }

    /// Returns how many rows are to be replaced. Most terminals wrap lines anew when their width changes, and show again what was
    /// above their top when they get more lines.
    private mutating func rowsToReplace(_ width: Int, _ height: Int) -> Int {
        let number = console.continuations()
        if number != continuations {
            // The shell has written below the last drawing.
            (continuations, drawn, above) = (number, [], [])
        }
        if size != (width, height) { (size, drawn, above) = ((width, height), above + drawn, []) }
        var rows = 0
        while rows < height - 1, let columns = drawn.popLast() { rows += max(1, (columns + width - 1) / width) }
        above += drawn
        guard rows >= height else { return rows }
        above.append((rows - (height - 1)) * width)
        return height - 1
    }

    /// - Source: ECMA-48, 8.3.41 and 8.3.39
    private static let erasingLine = "\u{1B}[K"
    private static let erasingBelow = "\u{1B}[J"
    /// Whether lines that are too long continue in the next row, which would not be counted: the terminal may be narrower by now.
    /// - Source: DECAWM, https://vt100.net/docs/vt510-rm/DECAWM.html
    private static let (cutting, wrapping) = ("\u{1B}[?7l", "\u{1B}[?7h")

    /// Returns a line, or as much of it as there is room for and `…`. Escape sequences are kept, and take no room.
    static func fitting(_ line: Substring, _ width: Int) -> String {
        let pieces = pieces(of: line)
        guard columns(of: pieces) > width else { return String(line) }
        var (result, used, isFull) = ("", 0, false)
        for (text, columns) in pieces {
            guard let columns else {
                result += text
                continue
            }
            guard !isFull else { continue }
            used += columns
            isFull = used >= width
            result += isFull ? "…" : text
        }
        return result
    }

    private static func columns(of line: String) -> Int { columns(of: pieces(of: line[...])) }

    private static func columns(of pieces: [(text: Substring, columns: Int?)]) -> Int {
        pieces.reduce(0) { $0 + ($1.columns ?? 0) }
    }

    /// The characters and escape sequences of a line; `nil` for the columns of a sequence.
    /// - Source: ECMA-48, 5.4 and 8.3.89
    private static func pieces(of line: Substring) -> [(text: Substring, columns: Int?)] {
        var (pieces, rest) = ([(text: Substring, columns: Int?)](), line)
        while let first = rest.first {
            guard first == "\u{1B}" else {
                pieces.append((rest.prefix(1), DisplayWidth.columns(first)))
                rest = rest.dropFirst()
                continue
            }
            let isString = rest.dropFirst().first == "]"
            let end = rest.dropFirst(2).firstIndex { isString ? $0 == "\\" : ("@"..."~").contains($0) }
            let sequence = end.map { rest[...$0] } ?? rest
            pieces.append((sequence, nil))
            rest = rest[sequence.endIndex...]
        }
        return pieces
    }
}

extension LiveScreen {
    /// Draws again and again until the user ends it, also while the daemon does not answer.
    /// - Parameters:
    ///   - seconds: between two drawings.
    ///   - frame: returns the text.
    static func run(
        on console: Console, every seconds: Double, _ frame: () async throws -> String
    ) async throws {
        var screen = LiveScreen(console)
        while true {
            do { try screen.draw(await frame()) } catch let error as ControlError {
                try screen.drawAgain(after: error)
            }
            try await Task.pause(for: .seconds(seconds))
        }
    }
}
