import Model

/// One line on the terminal of the errors that is written anew again and again; nothing where they go elsewhere.
struct ProgressLine {
    private let console: Console

    init(_ console: Console) {
        self.console = console
    }

    /// - Parameter text: on one line; it is cut to the terminal's width.
    func show(_ text: String) {
        guard let width else { return }
        // The last column stays empty: some terminals begin a new line behind it.
        write("\r" + DisplayWidth.cut(SafeText.neutralised(text), to: max(1, width - 1)) + Self.erasing)
    }

    func clear() {
        if width != nil { write("\r" + Self.erasing) }
    }

    /// What stands to the right of it on the line goes.
    /// - Source: ECMA-48, 8.3.41
    private static let erasing = "\u{1B}[K"

    private var width: Int? { console.environment["TERM"] == "dumb" ? nil : console.errorWidth() }

    /// That nobody reads it any more is no reason to stop.
    private func write(_ text: String) { try? console.errors.write(Array(text.utf8)) }
}
