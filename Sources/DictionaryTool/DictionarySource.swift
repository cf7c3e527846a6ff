import ArgumentParser
import Definitions
import Foundation
import Generate
import Glibc
import Model
import Settings

/// The definitions that a command works on: arguments and options that all commands share.
struct DictionarySource: ParsableArguments {
    static let defaultSettings = "/etc/gloss/gloss.yaml"

    @Argument(
        help: ArgumentHelp(
            "Folders of definition files; lint takes single files of such folders, too (default: the settings' dictionaries).",
            valueName: "path"),
        completion: .file())
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "Settings whose dictionaries say paths, keys and types (default: \(defaultSettings)).", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(help: ArgumentHelp("Only this dictionary of the settings; with a path, its options.", valueName: "name"))
    var dictionary: String?

    /// Returns the requested dictionaries, read and not parsed yet, in the order in which they were named.
    /// - Throws: `CommandFailure`. A folder that exists and cannot be read does not throw; it is a problem of its set.
    func sets(_ console: ToolConsole) throws -> [DefinitionSet] {
        for path in paths where !Self.isThere(path) {
            let what = path.isEmpty ? "a path is empty" : "there is no \(path)"
            throw CommandFailure(.wrongUsage, "\(what): name a folder of definition files, or a file of one")
        }
        let configured = try configured(console)
        guard !paths.isEmpty else {
            return configured.map { DefinitionSet(folder: $0.path, only: nil, options: $0, console) }
        }
        return try places().map { place in
            var options = try options(for: place.folder, among: configured)
            options.path = place.folder
            return DefinitionSet(folder: place.folder, only: place.only, options: options, console)
        }
    }

    /// Returns the options of the requested dictionary or of the one with the folder; without settings, the usual ones.
    /// - Throws: `CommandFailure` when there are settings that do not say which options the folder has.
    private func options(
        for folder: String, among configured: [DictionaryOptions]
    ) throws(CommandFailure) -> DictionaryOptions {
        if dictionary != nil, let chosen = configured.first { return chosen }
        if let same = configured.first(where: { Self.isSame($0.path, folder) }) { return same }
        guard let config else { return DictionaryOptions(name: Self.name(of: folder), path: folder) }
        let names = configured.map(\.name).joined(separator: ", ")
        let hint =
            names.isEmpty
            ? "it has no dictionaries, so leave --config out"
            : "name the one whose options apply with --dictionary, of these: \(names)"
        throw CommandFailure(.wrongUsage, "no dictionary of \(config) has the folder \(folder): \(hint)")
    }

    /// Returns the settings' dictionaries, or the requested one.
    private func configured(_ console: ToolConsole) throws -> [DictionaryOptions] {
        if config == nil, dictionary == nil, !paths.isEmpty { return [] }
        let file = config ?? Self.defaultSettings
        let all = try settings(file, console).dictionaries
        if let dictionary {
            guard let named = all.first(where: { $0.name == dictionary }) else {
                let names = all.map(\.name).joined(separator: ", ")
                throw CommandFailure(
                    .wrongUsage, "\(file) has no dictionary `\(dictionary)`, only: \(names.isEmpty ? "none" : names)")
            }
            return [named]
        }
        guard !all.isEmpty || !paths.isEmpty else {
            throw CommandFailure(.wrongUsage, "\(file) has no dictionaries: name a folder of definition files")
        }
        return all
    }

    private func settings(_ file: String, _ console: ToolConsole) throws -> Settings {
        guard config != nil || access(file, R_OK) == 0 else {
            let hint = "name a folder of definition files, or --config FILE"
            throw CommandFailure(.wrongUsage, "the settings \(file) cannot be read: \(hint)")
        }
        do {
            return try Settings(file: file, environment: console.environment)
        } catch {
            throw CommandFailure(.wrongUsage, "the settings cannot be used:\n\(error)")
        }
    }

    /// Returns the folders in `paths`, and the folders of the files in `paths`, each once, however it is written.
    /// - Returns: `only` is `nil` for a folder that is requested itself.
    private func places() -> [(folder: String, only: Set<ExactString>?)] {
        var places: [(folder: String, only: Set<ExactString>?)] = []
        for path in paths {
            let isFile = path.hasSuffix(".md") && !Self.isFolder(path)
            let (folder, name) = isFile ? Self.place(of: path) : (Self.withoutSlash(path), nil)
            if let known = places.firstIndex(where: { Self.isSame($0.folder, folder) }) {
                if let name { places[known].only?.insert(name) } else { places[known].only = nil }
            } else {
                places.append((folder, name.map { [ExactString($0)] }))
            }
        }
        return places
    }

    /// Returns the dictionary's folder that a file is in, and the file's name there, such as `types/device.md`.
    private static func place(of path: String) -> (folder: String, name: String) {
        var folder = "."
        var name = path
        if let slash = path.lastIndex(of: "/") {
            folder = slash == path.startIndex ? "/" : withoutSlash(String(path[..<slash]))
            name = String(Substring(path.utf8[slash...].dropFirst()))
        }
        let types = DictionaryFolder.types
        let parent =
            if folder == types {
                "."
            } else if folder.hasSuffix("/\(types)") {
                String(folder.dropLast(types.count + 1))
            } else if Self.name(ofFolder: folder) == types {
                folder == "." ? ".." : "\(folder)/.."
            } else {
                String?.none
            }
        return parent.map { ($0.isEmpty ? "/" : $0, "\(types)/\(name)") } ?? (folder, name)
    }

    /// Whether the path exists, readable or not, including a link without a target.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        URL(filePath: path).resolvingSymlinksInPath().path == URL(filePath: other).resolvingSymlinksInPath().path
    }

    private static func name(of folder: String) -> String { DictionaryName.plain(name(ofFolder: folder)) }

    /// Returns the name that the folder has where it is.
    private static func name(ofFolder folder: String) -> String {
        URL(filePath: folder).standardizedFileURL.lastPathComponent
    }

    private static func withoutSlash(_ path: String) -> String {
        var path = path[...]
        while path.utf8.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }
}
