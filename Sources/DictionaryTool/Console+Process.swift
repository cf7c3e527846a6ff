import Glibc

extension Console {
    /// The process's own.
    static func process() -> Console {
        Console(
            output: { write($0, to: STDOUT_FILENO) }, errors: { write($0, to: STDERR_FILENO) },
            isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment(), folder: workingFolder())
    }

    /// Whoever reads the output may have seen enough: what cannot be written is dropped.
    private static func write(_ text: String, to file: CInt) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(file, base, rest.count)
                guard count > 0 || errno == EINTR else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(count, 0)))
            }
        }
    }

    private static func workingFolder() -> String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }

    /// Only what commands ask for.
    private static func environment() -> [String: String] {
        var values: [String: String] = [:]
        for name in ["NO_COLOR", "TERM", "CREDENTIALS_DIRECTORY"] {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }
}
