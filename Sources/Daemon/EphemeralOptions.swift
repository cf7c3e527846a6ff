import ArgumentParser
import Foundation
import Glibc
import Model
import Settings

/// The options of a daemon that needs no installation, and leaves nothing behind.
struct EphemeralOptions: ParsableArguments {
    @Flag(
        name: .customLong("ephemeral"),
        help:
            "Keep everything in a folder that is removed at the end. Settings come from these options, not from a file."
    )
    var isOn = false

    @Option(help: ArgumentHelp("The socket for glossctl (default: gloss.sock).", valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Read a folder of journal files instead of the machine's journal.", valueName: "folder"))
    var journal: String?

    @Option(
        help: ArgumentHelp("Read the journal of a namespace instead of the machine's journal.", valueName: "name"))
    var namespace: String?

    @Option(
        help: ArgumentHelp(
            "Where reading begins: now, oldest or a duration such as 10m (default: now).", valueName: "start"))
    var start: String?

    @Option(
        help: ArgumentHelp(
            "A folder of definitions. May be repeated, with a --subsystem for each.", valueName: "folder"))
    var definitions: [String] = []

    @Option(
        help: ArgumentHelp(
            "The subsystem of events that definitions are for, one for each folder; * and ? are wildcards (default: *).",
            valueName: "glob"))
    var subsystem: [String] = []

    init() {}

    func validate() throws {
        let given =
            [socket, journal, namespace, start].contains { $0 != nil } || !definitions.isEmpty || !subsystem.isEmpty
        if given, !isOn {
            throw ValidationError("Settings come from a file; only --ephemeral takes them from options.")
        }
        if let start, StartPoint(start) == nil {
            throw ValidationError("--start \(start.oneLine): write \(StartPoint.form).")
        }
        if journal != nil, namespace != nil { throw ValidationError("Give one of --journal and --namespace.") }
        if subsystem.count > definitions.count {
            throw ValidationError("--subsystem says which events a folder of --definitions is for: give one for each.")
        }
        if definitions.count > 1, subsystem.count < definitions.count {
            throw ValidationError("With several folders of --definitions, give a --subsystem for each.")
        }
    }

    func socketPath(_ absolute: (String) -> String) -> String { absolute(socket ?? "gloss.sock") }

    /// The settings file that they stand for.
    /// - Parameter absolute: makes a path absolute.
    func settings(_ absolute: (String) -> String) -> String {
        var place = ""
        if let journal { place = "directory: \(YAMLText.quoted(absolute(journal))), " }
        if let namespace { place = "namespace: \(YAMLText.quoted(namespace)), " }
        let dictionaries = definitions.enumerated().map { number, folder in
            let name = number == 0 ? "definitions" : "definitions-\(number + 1)"
            let subsystem = subsystem.indices.contains(number) ? subsystem[number] : "*"
            return
                "  - {name: \(name), path: \(YAMLText.quoted(absolute(folder))), subsystem: \(YAMLText.quoted(subsystem))}\n"
        }
        return """
            journal: {\(place)start: \(YAMLText.quoted(start ?? "now"))}
            # Also events of long ago: the journal may be a folder that was copied.
            store: {path: events.sqlite, max_age: 36500d}
            control: {socket: \(YAMLText.quoted(socketPath(absolute)))}

            """ + (dictionaries.isEmpty ? "" : "dictionaries:\n" + dictionaries.joined())
    }
}

/// A folder that is removed with all that is in it.
struct EphemeralFolder {
    let path: String

    private struct Failure: Error, CustomStringConvertible {
        var parent: String
        var errno: Int32
        var description: String { "cannot make a folder in \(parent): \(errnoText(errno))" }
    }

    init() throws {
        // That of $TMPDIR. mkdtemp makes a name that nobody has, and only this user may enter the folder.
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/glossd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(parent: parent, errno: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
