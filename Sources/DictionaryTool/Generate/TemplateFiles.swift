import Foundation
import Model

/// Reads templates that users have written.
enum TemplateFiles {
    private static let ending = ".mustache"

    /// - Parameter path: a template, or a folder of them.
    /// - Returns: the paths by name, which is the file's without `.mustache`.
    static func paths(_ path: String) throws(CommandFailure) -> [String: String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(.wrongUsage, "there is no template at \(path)")
        }
        guard isFolder.boolValue else { return [name(of: path): path] }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var paths: [String: String] = [:]
        for file in files where file.hasSuffix(ending) && !file.hasPrefix(".") {
            paths[name(of: file)] = path.hasSuffix("/") ? path + file : "\(path)/\(file)"
        }
        guard !paths.isEmpty else { throw CommandFailure(.wrongUsage, "there is no *\(ending) in \(path)") }
        return paths
    }

    static func text(_ path: String) throws(CommandFailure) -> String {
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure(.wrongUsage, "the template \(path) cannot be read as UTF-8")
        }
        return text
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(ending) ? String(file.dropLast(ending.count)) : file
    }
}
