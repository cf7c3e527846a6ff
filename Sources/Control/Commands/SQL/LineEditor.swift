import Glibc
import Model
import Synchronization

/// Reads lines that people edit on a terminal, and remembers them.
struct LineEditor: Sendable {
    /// Shows a prompt and reads a line; `nil` at the end of the input.
    var readLine: @Sendable (_ prompt: String) -> String?
    /// Adds an entry, which may have several lines, to the history.
    var remember: @Sendable (String) -> Void

    init(
        readLine: @escaping @Sendable (String) -> String?, remember: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.readLine, self.remember) = (readLine, remember)
    }
}

extension LineEditor {
    /// The editor of this process: that of libedit, if it is installed, or else the terminal's own, which has no history.
    /// - Parameter history: the file that keeps entries; `nil` for none.
    static func process(history: String?) -> LineEditor {
        setCharacters()
        terminal.withLock { saved in
            var settings = termios()
            if tcgetattr(STDIN_FILENO, &settings) == 0 { saved = settings }
        }
        guard let library = EditLibrary() else {
            return LineEditor { prompt in
                try? ByteSink.file(STDOUT_FILENO, "standard output").write(Array(prompt.utf8))
                return Swift.readLine()
            }
        }
        history.map(library.load)
        return LineEditor(readLine: { library.line($0) }, remember: { library.add($0, history) })
    }
}

extension LineEditor {
    /// Characters are those of UTF-8, as in the rest of glossctl. Where the user's locale is not installed, or has others, libedit
    /// would drop what is not ASCII.
    private static func setCharacters() {
        if setlocale(LC_CTYPE, "") != nil, let name = nl_langinfo(nl_item(CODESET)), String(cString: name) == "UTF-8" {
            return
        }
        setlocale(LC_CTYPE, "C.UTF-8")
    }

    /// The settings of the terminal before lines were edited.
    private static let terminal = Mutex<termios?>(nil)

    /// Gives the terminal back as it was, for a process that ends while a line is edited. Does nothing if none was.
    static func restoreTerminal() {
        terminal.withLock { saved in
            if var settings = saved { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
        }
    }
}

/// libedit, by the functions that it has in common with readline. It is loaded when it is needed, so that glossctl works
/// without it.
/// - Source: editline(3)
private struct EditLibrary: Sendable {
    private typealias Readline = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?
    private typealias OfText = @convention(c) (UnsafePointer<CChar>) -> Int32
    private typealias OfNumber = @convention(c) (Int32) -> Void
    private typealias OfKey = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32

    private let readline: Readline
    private let addHistory: OfText
    private let readHistory: OfText
    private let writeHistory: OfText

    private static let mostEntries: Int32 = 1000

    init?() {
        guard let library = dlopen("libedit.so.2", RTLD_NOW), let readline = dlsym(library, "readline"),
            let addHistory = dlsym(library, "add_history"), let readHistory = dlsym(library, "read_history"),
            let writeHistory = dlsym(library, "write_history"), let stifle = dlsym(library, "stifle_history")
        else { return nil }
        self.readline = unsafeBitCast(readline, to: Readline.self)
        self.addHistory = unsafeBitCast(addHistory, to: OfText.self)
        self.readHistory = unsafeBitCast(readHistory, to: OfText.self)
        self.writeHistory = unsafeBitCast(writeHistory, to: OfText.self)
        unsafeBitCast(stifle, to: OfNumber.self)(Self.mostEntries)
        // Otherwise it completes names of files.
        if let bind = dlsym(library, "rl_bind_key"), let insert = dlsym(library, "rl_insert") {
            _ = unsafeBitCast(bind, to: OfKey.self)(Int32(UInt8(ascii: "\t")), insert)
        }
    }

    func line(_ prompt: String) -> String? {
        guard let line = readline(prompt) else { return nil }
        defer { free(line) }
        return String(cString: line)
    }

    func load(_ file: String) { _ = readHistory(file) }

    /// Statements may have personal data in them: only the user may read the file.
    func add(_ entry: String, _ file: String?) {
        _ = addHistory(entry)
        guard let file else { return }
        let folder = String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)])
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            mkdir(path, 0o700)
        }
        let old = umask(0o077)
        _ = writeHistory(file)
        umask(old)
    }
}
