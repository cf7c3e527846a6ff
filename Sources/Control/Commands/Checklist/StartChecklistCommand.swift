import API
import ArgumentParser
import FoundationEssentials
import Glibc
import Model

struct StartChecklistCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a run of a checklist.",
        discussion: """
            FILE is the list: a file, or a name, which means NAME.yaml, NAME.yml or NAME.md, here or in the folder checklists. \
            - reads YAML from standard input. Events that are sent from now on are counted; --since counts stored ones, too. \
            A second run of the same list, of another tester or another platform, needs a name (--as), and usually a filter.

            \(Outcome.help)

            Examples:
              glossctl checklist start release.yaml
              glossctl checklist start release --as ios --user 42 'app_version >= 25.4'
              glossctl checklist start release --since 10:00
            """)

    @Argument(help: ArgumentHelp("The file of the list, or its name.", valueName: "file"), completion: .file())
    var file: String

    @Argument(
        help: ArgumentHelp("Which events count, besides what the list says.", valueName: "predicate"),
        completion: Completions.predicate)
    var predicate: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The name of the run (default: that of the list).", valueName: "name"))
    var name: String?

    @Option(name: .long, parsing: .unconditional, help: "Only events of this user.")
    var user: String?

    @Option(name: .long, parsing: .unconditional, help: "Only events of this device.")
    var device: String?

    @Option(
        name: .letter("S"), parsing: .unconditional,
        help: ArgumentHelp("Count stored events, too, sent from then on: 10:00, today, -5m.", valueName: "since"))
    var since: String?

    @Option(name: .letter("o"), help: "text or json (the document of the API).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        if let fault = name.flatMap(Checklist.fault(ofName:)) { throw ValidationError("--as: \(fault)") }
    }

    func run(on console: Console) async throws {
        let list = try ChecklistFile(file, console)
        var query = ChecklistQuery()
        (query.name, query.format, query.file) = (name, list.format, list.path)
        (query.user, query.device) = (user, device)
        let times = TimeExpression(now: console.now(), zone: console.zone)
        query.since = try since.map { text throws(ControlError) in try TimeOption.beginning(text, times) }
        query.predicate = try predicate.map { text throws(ControlError) in
            try UserPredicates.absolute(text, times, console)
        }
        let client = try connection.client(console)
        let reply = try await client.document(APIPath.checklists(query), method: "POST", body: list.text)
        guard output == .text else { return try console.print(document: reply) }
        let run = try ControlClient.decode(ChecklistReply.self, reply)
        try console.print(ChecklistRenderer(style: text.style(console)).text(run))
    }
}

/// The file of a list.
struct ChecklistFile {
    var path: String
    var format: ChecklistFormat
    var text: [UInt8]

    /// The longest text, in bytes: as long as the daemon takes if its settings say so (`control.max_body_size`).
    private static let longest = 16 << 20

    /// - Parameter name: a path, the name of a list, or `-`.
    init(_ name: String, _ console: Console) throws {
        if name == "-" {
            (path, format) = ("-", .yaml)
            text = try Self.read("standard input") { try console.readAll(atMost: Self.longest) }
            guard !text.isEmpty else { throw ControlError.wrongUsage("standard input is empty: write a list to it") }
            return
        }
        let found = try Self.found(name)
        (path, format) = (found, ChecklistFormat(file: found) ?? .yaml)
        text = try Self.text(found)
    }

    /// Reads a file.
    static func text(_ path: String) throws -> [UInt8] {
        try read(path) { try ByteSource.all(of: path, atMost: longest) }
    }

    private static func read(_ name: String, _ body: () throws -> [UInt8]) throws -> [UInt8] {
        do {
            return try body()
        } catch let error as FileError {
            guard error.errno == EFBIG else { throw ControlError.wrongUsage(error.description) }
            throw ControlError.wrongUsage(
                "\(name) is longer than \(Quantity.bytes(longest)), the most that glossd takes")
        }
    }

    private static func found(_ name: String) throws(ControlError) -> String {
        func isFile(_ path: String) -> Bool {
            var isFolder = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder
        }
        if isFile(name) { return name }
        guard !name.contains("/"), ChecklistFormat(file: name) == nil else {
            throw .wrongUsage("\(name): there is no such file")
        }
        let candidates = ["", "checklists/"].flatMap { folder in
            [".yaml", ".yml", ".md"].map { "\(folder)\(name)\($0)" }
        }
        guard let path = candidates.first(where: isFile) else {
            throw .wrongUsage("\(name): there is none of \(candidates.joined(separator: ", "))")
        }
        return path
    }
}
