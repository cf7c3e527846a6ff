import ArgumentParser
import Emit
import Model

struct EmitCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "emit", _superCommandName: Glossctl.name,
        abstract: "Write a test entry to the journal.",
        usage: "glossctl emit --subsystem <name> --category <name> [<options>] <json>",
        discussion: """
            Writes directly to journald, without the daemon. Any text is accepted, so that malformed events can be tried.

            \(Outcome.help)

            Examples:
              glossctl emit --subsystem com.example.shop --category ActivityLog \\
                '{"event_category":"recipe_detail","event_name":"tap_save_button"}'
              glossctl emit --subsystem com.example.shop --category ActivityLog - \\
                < events.ndjson
            """)

    @Option(name: .long, help: ArgumentHelp("The entry's SUBSYSTEM.", valueName: "name"))
    var subsystem: String

    @Option(name: .long, help: ArgumentHelp("The entry's CATEGORY.", valueName: "name"))
    var category: String

    @Option(
        name: .long,
        help: "emerg alert crit err warning notice info debug, or 0 to 7 (default: notice).",
        completion: .list(Level.allCases.map(\.name)))
    var level: String?

    @Option(name: .long, help: ArgumentHelp("The journal namespace to write to.", valueName: "name"))
    var namespace: String?

    @Option(name: .long, help: ArgumentHelp("The entry's SYSLOG_IDENTIFIER.", valueName: "name"))
    var identifier = "glossctl"

    @Option(name: .long, help: ArgumentHelp("One more field. May be repeated.", valueName: "NAME=VALUE"))
    var field: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("The socket of journald, instead of that of a namespace.", valueName: "path"),
        completion: .file())
    var journalSocket: String?

    @Argument(help: ArgumentHelp("The payload, or - for one on each line of standard input.", valueName: "json"))
    var payload: String

    mutating func validate() throws {
        if let level, Level(ofProgram: level) == nil {
            let known = Level.allCases.map(\.name).joined(separator: ", ")
            throw ValidationError("--level \(level): there is no such level; there are \(known).")
        }
        let own = [
            "MESSAGE": "the payload", "SUBSYSTEM": "--subsystem", "CATEGORY": "--category", "PRIORITY": "--level",
            "SYSLOG_IDENTIFIER": "--identifier",
        ]
        for field in field {
            guard let (name, _) = field.parts(at: "=") else {
                throw ValidationError("--field \(field): write NAME=VALUE.")
            }
            if let source = own[String(name)] {
                throw ValidationError("--field \(field): \(source) says what \(name) is.")
            }
        }
        if namespace != nil, journalSocket != nil {
            throw ValidationError("--namespace and --journal-socket both say where to write: give one of them.")
        }
    }

    func run(on console: Console) async throws {
        var written = 0
        do {
            let writer = try writer()
            guard payload == "-" else { return try send(Array(payload.utf8), writer) }
            try sendLines(of: console, writer, &written)
        } catch {
            throw Self.explanation(of: error, after: written)
        }
    }

    private func writer() throws(EmitError) -> JournalWriter {
        if let journalSocket { return try JournalWriter(socketPath: journalSocket) }
        return try JournalWriter(namespace: namespace)
    }

    /// - Parameter written: counts the lines, also if one fails.
    private func sendLines(of console: Console, _ writer: JournalWriter, _ written: inout Int) throws {
        var splitter = LineSplitter(limit: 256 << 20)
        func sendLine(_ line: [UInt8]) throws {
            try send(line, writer)
            written += 1
        }
        while case let bytes = try console.input(), !bytes.isEmpty {
            try splitter.feed(bytes[...]) { try sendLine($0) }
            if Task.isCancelled { throw ControlError.interrupted }
        }
        if let last = splitter.finish() { try sendLine(last) }
    }

    private func send(_ payload: [UInt8], _ writer: JournalWriter) throws {
        var fields: [(name: String, value: [UInt8])] = [
            ("MESSAGE", payload),
            ("SUBSYSTEM", Array(subsystem.utf8)),
            ("CATEGORY", Array(category.utf8)),
            ("PRIORITY", Array(String((level.flatMap { Level(ofProgram: $0) } ?? .default).rawValue).utf8)),
            ("SYSLOG_IDENTIFIER", Array(identifier.utf8)),
        ]
        fields += field.compactMap { $0.parts(at: "=") }.map { (String($0.before), Array($0.after.utf8)) }
        try writer.send(fields)
    }

    /// - Parameter written: how many lines were written before: whoever sends the others has to know where they begin.
    private static func explanation(of error: any Error, after written: Int) -> any Error {
        let place = written == 0 ? "" : ", after \(Quantity.count(written, "line"))"
        switch error {
        case let error as EmitError:
            let message = "\(error)\(place)" + (error.hint.map { "\n\($0)" } ?? "")
            return switch error {
            case .invalidFieldName, .invalidNamespace: ControlError.wrongUsage(message)
            case .noJournal, .system: ControlError.no(message)
            }
        case is FileError, is LineSplitter.TooLong: return ControlError.no("\(error)\(place)")
        default: return error
        }
    }
}
