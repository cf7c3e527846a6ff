import Model

/// A line on the terminal that shows the errors, which is updated in place. Prints nothing if the errors go elsewhere.
struct ProgressLine {
    private let console: Console

    init(_ console: Console) {
        self.console = console
    }

    /// - Parameter text: one line, which is cut to the width of the terminal.
    func show(_ text: String) {
        guard let width else { return }
        // The last column stays empty, since some terminals begin a new line after it.
        write("\r" + DisplayWidth.cut(SafeText.neutralised(text), to: max(1, width - 1)) + Self.erasing)
    }

    func clear() {
        if width != nil { write("\r" + Self.erasing) }
    }

    /// Erases the rest of the line.
    /// - Source: ECMA-48, 8.3.41
    private static let erasing = "\u{1B}[K"

    private var width: Int? { console.environment["TERM"] == "dumb" ? nil : console.errorWidth() }

    /// A closed output is ignored.
    private func write(_ text: String) { try? console.errors.write(Array(text.utf8)) }
}
