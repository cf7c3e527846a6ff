import ArgumentParser
import Model

/// The option for the socket of the daemon.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The socket of the daemon (default: $GLOSS_SOCKET, or \(Self.defaultSocket)).", valueName: "path"),
        completion: .file())
    var socket: String?

    static let defaultSocket = "/run/gloss/control.sock"

    /// Returns the socket that words name at their beginning, and the words behind it; `nil` if they name none there.
    static func socket(at words: ArraySlice<String>) -> (path: String, rest: ArraySlice<String>)? {
        guard let first = words.first else { return nil }
        if let path = first.rest(after: "--socket=") { return (String(path), words.dropFirst()) }
        guard first == "--socket", let path = words.dropFirst().first, !path.hasPrefix("-") else { return nil }
        return (path, words.dropFirst(2))
    }

    func socketPath(_ console: Console) throws(ControlError) -> String {
        let fromEnvironment = console.environment["GLOSS_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let path = socket ?? fromEnvironment ?? Self.defaultSocket
        guard !path.isEmpty else { throw .wrongUsage("--socket is empty: write the path of glossd's socket") }
        return path
    }

    /// Returns a client of the daemon.
    func client(_ console: Console) throws(ControlError) -> ControlClient {
        ControlClient(socket: try socketPath(console), longestPause: console.longestPause)
    }
}
