import Forward
import Definitions
import Foundation
import Glibc
import Model
import Settings

/// The settings and dictionaries as the files have them now, looked at as a whole before anything is put in force.
struct Configuration: Sendable {
    var settings: Settings
    /// In the order of the settings.
    var dictionaries: [DictionaryReading]

    /// Reads everything; it blocks.
    /// - Throws: `SettingsError`. Dictionaries never throw: what is wrong with one is in its `problems`.
    init(path: String) throws(SettingsError) {
        settings = try Self.settings(path: path)
        dictionaries = settings.dictionaries.compactMap { DictionaryReading($0) }
    }

    /// Every error of every dictionary, one a line.
    var dictionaryErrors: [String] { dictionaries.flatMap(\.errors) }
    var dictionaryWarnings: [String] { dictionaries.flatMap(\.warnings) }

    /// What the settings name and this machine does not have now, one a line. It is no error: it may come later.
    var missing: [String] {
        var missing: [String] = []
        func look(for path: String?, _ what: String) {
            guard let path, access(path, R_OK) != 0 else { return }
            missing.append("\(what) \(path): \(String(cString: strerror(errno)))")
        }
        if case .directory(let path) = settings.journal.location { look(for: path, "journal.directory") }
        for sink in settings.sinks {
            look(for: sink.caFile, "ca_file of the sink \(sink.name),")
            look(for: sink.tokenFile, "token_file of the sink \(sink.name),")
        }
        if let group = settings.control.adminGroup, getgrnam(group) == nil {
            missing.append("control.admin_group: there is no group \(group)")
        }
        return missing
    }

    var definitionCount: Int {
        dictionaries.compactMap(\.dictionary).flatMap(\.categories).reduce(0) { $0 + $1.definitions.count }
    }

    /// The blocks in which `other` differs and that only a restart can change.
    func blocksThatNeedRestart(comparedTo other: Settings) -> [String] {
        var blocks: [String] = []
        if settings.journal != other.journal { blocks.append("journal") }
        if settings.store != other.store { blocks.append("store") }
        if settings.control != other.control { blocks.append("control") }
        return blocks
    }

    private static func settings(path: String) throws(SettingsError) -> Settings {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw SettingsError(problems: [.init(file: path, message: unreadable(path))])
        }
        let settings = try Settings(yaml: text, file: path, environment: ProcessInfo.processInfo.environment)
        var problems: [SettingsError.Problem] = []
        for sink in settings.sinks {
            do {
                try Sink.check(sink)
            } catch {
                problems.append(.init(file: path, message: "sink \(sink.name): \(error.advice)"))
            }
        }
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
        return settings
    }

    private static func unreadable(_ path: String) -> String {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return "there is no such file; --config says where the settings are"
        }
        if isFolder.boolValue {
            let file = path.hasSuffix("/") ? "\(path)gloss.yaml" : "\(path)/gloss.yaml"
            return "this is a folder; name the settings file in it, such as --config \(file)"
        }
        return FileManager.default.isReadableFile(atPath: path) ? "not a UTF-8 text" : "not readable by this user"
    }
}
