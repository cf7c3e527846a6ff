import Definitions
import Forward
import Foundation
import Model
import Serve
import Settings

/// The settings and dictionaries as the files have them now, looked at as a whole before anything is put in force.
struct Configuration: Sendable {
    var settings: Settings
    var dictionaries: [DictionaryFolder.Loaded]

    /// - Throws: `SettingsError`. Dictionaries never throw: what is wrong with one is its `problem`.
    init(path: String, nowMicroseconds: UInt64) throws(SettingsError) {
        settings = try Self.settings(path: path)
        dictionaries = settings.dictionaries.map {
            DictionaryFolder.load($0, nowMicroseconds: nowMicroseconds)
        }
    }

    /// Every problem of a dictionary, one a line.
    var dictionaryProblems: [String] {
        dictionaries.compactMap(\.dictionary.problem).flatMap { $0.split(separator: "\n").map(String.init) }
    }

    var warnings: [String] { dictionaries.flatMap(\.warnings) }

    var definitionCount: Int {
        dictionaries.reduce(0) { sum, loaded in
            sum + loaded.dictionary.dictionary.categories.reduce(0) { $0 + $1.definitions.count }
        }
    }

    /// The blocks in which `other` differs and that only a restart can change.
    func blocksThatNeedRestart(comparedTo other: Configuration) -> [String] {
        var blocks: [String] = []
        if settings.journal != other.settings.journal { blocks.append("journal") }
        if settings.store != other.settings.store { blocks.append("store") }
        if settings.control != other.settings.control { blocks.append("control") }
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
                problems.append(.init(file: path, message: "sink \(sink.name): \(error)"))
            }
        }
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
        return settings
    }

    private static func unreadable(_ path: String) -> String {
        guard FileManager.default.fileExists(atPath: path) else {
            return "there is no such file; --config says where the settings are"
        }
        return FileManager.default.isReadableFile(atPath: path) ? "not a UTF-8 text" : "not readable by this user"
    }
}
