import Model

/// Reads statements from a terminal, one after the other.
struct SQLPrompt {
    let session: SQLSession
    let editor: LineEditor

    private static let prompt = "gloss> "
    private static let next = "  ...> "
    private static let help = """
        A statement ends with a semicolon: SELECT event, count(*) FROM events GROUP BY event;
        .tables         list the tables
        .schema [NAME]  show the columns of a table, or of all
        .quit           end, as Ctrl-D does, and Ctrl-C while no statement runs

        """

    /// Returns when the input ends. What is wrong with a statement is said, and the next one is asked for.
    func run() async throws {
        try session.console.print("Statements end with a semicolon; .help shows more.\n")
        while let text = statement() {
            let word = text.split { $0.isWhitespace || $0 == ";" }.first.map(String.init) ?? ""
            if [".quit", ".exit", ".q"].contains(word) { return }
            // A statement is recalled as a whole, with its line breaks, which mean something in texts and end comments.
            editor.remember(text)
            if word == ".help" {
                try session.console.print(Self.help)
                continue
            }
            do {
                try await session.console.runInterruptible { [session] in try await session.run(text) }
            } catch ControlError.interrupted where !Task.isCancelled {
                // Behind the ^C of the terminal.
                session.console.writeError("\nStopped.")
            } catch ControlError.interrupted {
                throw ControlError.interrupted
            } catch let error as ControlError {
                session.console.complain(error.description)
            }
        }
        try session.console.print("\n")
    }

    /// Returns the next statement, which may have several lines; `nil` at the end of the input.
    private func statement() -> String? {
        var text = ""
        while let line = editor.readLine(text.isEmpty ? Self.prompt : Self.next) {
            let isBlank = line.allSatisfy(\.isWhitespace)
            if text.isEmpty, isBlank { continue }
            text += text.isEmpty ? line : "\n" + line
            if text.endsStatement || text.first(where: { !$0.isWhitespace }) == "." { return text }
        }
        return text.isEmpty ? nil : text
    }
}

extension String {
    /// Whether a semicolon is the last of it, comments aside. Semicolons in comments and quotes end nothing, but for a quote that
    /// is never closed: SQLite says that.
    var endsStatement: Bool {
        var (rest, isEnded) = (utf8[...], false)
        func skip(_ count: Int, past end: String) -> Bool {
            guard let range = rest.dropFirst(count).firstRange(of: end.utf8) else { return false }
            rest = rest[range.upperBound...]
            return true
        }
        while let first = rest.first {
            if rest.starts(with: "--".utf8) {
                guard skip(2, past: "\n") else { return isEnded }
            } else if rest.starts(with: "/*".utf8) {
                guard skip(2, past: "*/") else { return false }
            } else if let end = Self.quotes[first] {
                guard skip(1, past: end) else { return last { !$0.isWhitespace } == ";" }
                isEnded = false
            } else {
                let isSpace = " \t\n\r\u{c}".utf8.contains(first)
                isEnded = first == UInt8(ascii: ";") || isEnded && isSpace
                rest = rest.dropFirst()
            }
        }
        return isEnded
    }

    /// What begins a text or a name in SQL, and what ends it.
    private static let quotes: [UInt8: String] = [
        UInt8(ascii: "'"): "'", UInt8(ascii: "\""): "\"", UInt8(ascii: "`"): "`", UInt8(ascii: "["): "]",
    ]
}
