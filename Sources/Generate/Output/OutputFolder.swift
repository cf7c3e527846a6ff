import Foundation
import Glibc
import Model

/// The folder of generated files.
///
/// It overwrites and removes only files with the mark of their generator and their dictionary. It may be a link, but no link
/// in it is followed: what is behind one is not in it.
package struct OutputFolder: Sendable {
    /// A difference between the folder and the files that would be generated.
    package enum Difference: Sendable, Hashable {
        case missing(path: String)
        case changed(path: String)
        /// The file was generated earlier, and nothing generates it any more.
        case leftOver(path: String)
    }

    private let folder: URL
    private let mark: GeneratedMark
    private let patterns: [OutputPattern]

    /// - Parameter dictionary: the name of the dictionary that the files are generated from.
    package init(_ path: String, of templates: TemplateSet, from dictionary: String) {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        mark = GeneratedMark(of: templates.name, from: dictionary)
        patterns = templates.outputs.map(\.pattern)
    }

    /// Returns the changes after which the folder would contain exactly these files, in the order of paths. It writes
    /// nothing.
    /// - Throws: `GenerateError` when a file cannot be read, or another file is in the way.
    package func differences(from files: [GeneratedFile]) throws(GenerateError) -> [Difference] {
        var differences: [Difference] = []
        for file in files {
            switch try read(file.path) {
            case nil: differences.append(.missing(path: file.path))
            case let found? where found != Data(file.text.utf8):
                try checkOwn(file.path)
                differences.append(.changed(path: file.path))
            case _?: break
            }
        }
        let current = Set(exact: files.map(\.path))
        for path in try generatedPaths() where !current.contains(path) { differences.append(.leftOver(path: path)) }
        return differences.sorted { $0.path < $1.path }
    }

    /// Changes the folder so that it contains exactly these files: writes those that differ, each atomically, and
    /// removes those that are left over.
    /// - Returns: the changes.
    /// - Throws: `GenerateError` when a file cannot be read or written. If another file is in the way, it throws before
    ///   it writes anything.
    package func write(_ files: [GeneratedFile]) throws(GenerateError) -> [Difference] {
        let differences = try differences(from: files)
        let texts = Dictionary(files.map { (ExactString($0.path), $0.text) }) { first, _ in first }
        for difference in differences {
            switch difference {
            case .missing(let path), .changed(let path): try write(texts[path] ?? "", path)
            case .leftOver(let path): try remove(path)
            }
        }
        return differences
    }

    private func checkOwn(_ path: String) throws(GenerateError) {
        switch try finding(path) {
        case .own: break
        case .foreign:
            throw GenerateError(
                .folder,
                "\(place(path)) was generated from another dictionary, or for another language: choose another"
                    + " folder for --output, or remove it")
        case .notGenerated:
            throw GenerateError(
                .folder,
                "\(place(path)) is not a generated file: move it, or choose another folder for --output")
        }
    }

    private func write(_ text: String, _ path: String) throws(GenerateError) {
        let file = folder.appending(path: path, directoryHint: .notDirectory)
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .atomic)
        } catch {
            throw GenerateError(.folder, "\(place(path)) cannot be written: \(reason(error))")
        }
    }

    private func remove(_ path: String) throws(GenerateError) {
        let file = folder.appending(path: path, directoryHint: .notDirectory)
        do {
            try FileManager.default.removeItem(at: file)
        } catch {
            throw GenerateError(.folder, "\(place(path)) cannot be removed: \(reason(error))")
        }
        // Removes the folders of a category that is gone, unless they contain other files.
        var parent = file.deletingLastPathComponent()
        for _ in 0..<path.split(separator: "/").count - 1 {
            guard rmdir(parent.path(percentEncoded: false)) == 0 else { return }
            parent = parent.deletingLastPathComponent()
        }
    }

    /// - Parameter maximumBytes: `nil` for the whole file.
    /// - Returns: `nil` when there is no such file.
    private func read(_ path: String, atMost maximumBytes: Int? = nil) throws(GenerateError) -> Data? {
        try checkLinks(path)
        let file = folder.appending(path: path, directoryHint: .notDirectory)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return nil }
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            let bytes =
                if let maximumBytes { try handle.read(upToCount: maximumBytes) } else { try handle.readToEnd() }
            return bytes ?? Data()
        } catch {
            throw GenerateError(.folder, "\(place(path)) cannot be read: \(reason(error))")
        }
    }

    /// - Throws: `GenerateError` when the file, or a folder that it is in, is a link.
    private func checkLinks(_ path: String) throws(GenerateError) {
        let parts = path.split(separator: "/")
        for last in parts.indices {
            let part = parts[...last].joined(separator: "/")
            guard kind(of: part) != .typeSymbolicLink else {
                throw GenerateError(
                    .folder,
                    "\(place(part)) is a link, which is not followed: remove it, or choose another folder for --output")
            }
        }
    }

    /// Returns the files that this generator has ever written, of those at the depth and with the extensions of its own
    /// files.
    private func generatedPaths() throws(GenerateError) -> [String] {
        let depth = patterns.map(\.depth).max() ?? 0
        var found: [String] = []
        var folders = [""]
        for level in 1...max(depth, 1) {
            var next: [String] = []
            for parent in folders {
                for name in names(in: parent) where !name.hasPrefix(".") {
                    let path = parent.isEmpty ? name : "\(parent)/\(name)"
                    switch kind(of: path) {
                    case .typeDirectory: next.append(path)
                    case .typeRegular where patterns.contains { $0.depth == level && name.hasSuffix($0.ending) }:
                        if case .own = try finding(path) { found.append(path) }
                    default: break
                    }
                }
            }
            folders = next
        }
        return found
    }

    private func names(in path: String) -> [String] {
        let folder = folder.appending(path: path, directoryHint: .isDirectory).path(percentEncoded: false)
        return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// Returns the kind of file at a path, without following symbolic links.
    private func kind(of path: String) -> FileAttributeType? {
        let file = folder.appending(path: path, directoryHint: .notDirectory).path(percentEncoded: false)
        return (try? FileManager.default.attributesOfItem(atPath: file))?[.type] as? FileAttributeType
    }

    private func finding(_ path: String) throws(GenerateError) -> GeneratedMark.Finding {
        try read(path, atMost: GeneratedMark.searchedBytes).map { mark.finding(in: $0) } ?? .notGenerated
    }

    private func place(_ path: String) -> String {
        folder.appending(path: path, directoryHint: .notDirectory).relativePath
    }

    /// Returns the system's text for a system error, since Foundation's only says that an operation failed.
    private func reason(_ error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        let cause = (underlying ?? error) as NSError
        return cause.domain == NSPOSIXErrorDomain
            ? errnoText(Int32(cause.code)) : cause.localizedDescription
    }
}

extension OutputFolder.Difference {
    package var path: String {
        switch self {
        case .missing(let path), .changed(let path), .leftOver(let path): path
        }
    }
}
