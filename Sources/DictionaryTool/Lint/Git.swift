import Definitions
import Foundation
import Model

/// Reads from the git repository that contains a folder.
struct Git {
    private let folder: String
    private let ignore: [Glob]

    /// - Parameter ignore: the files that are no definitions.
    /// - Throws: `CommandFailure` when git is not installed, or it cannot read a repository here.
    init(folder: String, ignore: [Glob]) throws(CommandFailure) {
        self.folder = folder
        self.ignore = ignore
        let inside = try GitProcess.run(["-C", folder, "rev-parse", "--is-inside-work-tree"])
        guard !inside.isDone else { return }
        if inside.complaint.contains("dubious ownership") {
            // git's message names the folder.
            let command = inside.complaint.firstRange(of: "git config ").map { inside.complaint[$0.lowerBound...] }
            let remedy = command.map { "if you trust it, run `\($0)`, or" } ?? "either trust it by `safe.directory`, or"
            throw EarlierVersion.failure(
                "--against: the git repository of \(folder) belongs to another user, so git does not read it: "
                    + "\(remedy) run this as its owner")
        }
        let hint = "name a folder that has the earlier version, or lint in a clone"
        throw EarlierVersion.failure("--against: \(folder) is in no git repository: \(hint) (\(inside.complaint))")
    }

    /// Returns the definition files at a revision: for a commit, or a name that leads to one, the files of the folder;
    /// for a tree, such as `v1:old/place`, its own files.
    func files(at revision: String) throws(CommandFailure) -> [DefinitionFile] {
        if let commit = try id(of: "\(revision)^{commit}") {
            // With the tree of this folder, names are relative to it.
            let hint = "if they were elsewhere then, write that folder as `\(revision):path/in/the/repository`"
            return try files([commit, "--", "./"], or: "\(folder) has no .md files at `\(revision)`: \(hint)")
        }
        guard let object = try id(of: revision), let tree = try id(of: "\(object)^{tree}") else {
            let hint = "write a branch, tag or commit, or COMMIT:FOLDER; in a shallow clone, fetch it first"
            throw EarlierVersion.failure("--against: there is no folder and no revision `\(revision)`: \(hint)")
        }
        return try files(
            ["--full-tree", tree], or: "there are no .md files in `\(revision)`: name a folder that has some")
    }

    /// - Returns: `nil` when git knows no such object.
    private func id(of revision: String) throws(CommandFailure) -> String? {
        // A revision that begins with a dash must not be parsed as an option.
        let parsed = try GitProcess.run([
            "-C", folder, "rev-parse", "--verify", "--quiet", "--end-of-options", revision,
        ])
        return parsed.isDone ? parsed.text.trimmingCharacters(in: .newlines) : nil
    }

    private func files(_ tree: [String], or missing: String) throws(CommandFailure) -> [DefinitionFile] {
        // With -r, the files of subfolders are listed, too.
        let list = try GitProcess.run(["-C", folder, "ls-tree", "-r", "-z"] + tree)
        guard list.isDone else {
            throw EarlierVersion.failure("--against: git ls-tree: \(list.complaint) (\(Self.partialClone))")
        }
        let blobs = list.output.split(separator: 0).compactMap(Blob.init)
            .filter { !DictionaryFolder.isIgnored($0.name, by: ignore) }
        guard !blobs.isEmpty else { throw EarlierVersion.failure("--against: \(missing)") }
        return try contents(of: blobs)
    }

    private static let partialClone =
        "in a partial clone, nothing is fetched by this command: fetch it before, as by `git archive COMMIT > /dev/null`"

    /// One line of `git ls-tree`: mode, type and id, a tab, and the path.
    private struct Blob {
        var id: String
        var name: String

        init?(_ line: Data) {
            let parts = String(decoding: line, as: UTF8.self).split(separator: "\t", maxSplits: 1)
            guard parts.count == 2, parts[1].hasSuffix(".md") else { return nil }
            let path = parts[1].split(separator: "/", omittingEmptySubsequences: false)
            guard let file = path.last, !file.hasPrefix("."), path.count == 1 || path.dropLast() == ["types"] else {
                return nil
            }
            let words = parts[0].split(separator: " ")
            // Links are files that contain a path.
            guard words.count == 3, words[0].hasPrefix("100"), words[1] == "blob" else { return nil }
            (id, name) = (String(words[2]), String(parts[1]))
        }
    }

    /// Reads all blobs with one process: 1,000 processes would take seconds.
    private func contents(of blobs: [Blob]) throws(CommandFailure) -> [DefinitionFile] {
        let ids = blobs.map { "\($0.id)\n" }.joined()
        let batch = try GitProcess.run(["-C", folder, "cat-file", "--batch"], input: Data(ids.utf8))
        guard batch.isDone else {
            throw EarlierVersion.failure("--against: git cat-file: \(batch.complaint) (\(Self.partialClone))")
        }
        var rest = batch.output[...]
        var files: [DefinitionFile] = []
        for blob in blobs {
            // "ID blob SIZE", the bytes, and a line break.
            guard let end = rest.firstIndex(of: 0x0A),
                let size = Int(String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").last ?? ""),
                rest.count >= end + 2 + size - rest.startIndex
            else {
                throw EarlierVersion.failure(
                    "--against: git does not have \(blob.name) of that revision (\(Self.partialClone))")
            }
            let bytes = rest[(end + 1)..<(end + 1 + size)]
            files.append(DefinitionFile(name: blob.name, bytes: [UInt8](bytes)))
            rest = rest[(end + 2 + size)...]
        }
        return files
    }
}

/// The files of an earlier version of a dictionary: in another folder, or at a revision of the git repository that
/// contains the folder.
enum EarlierVersion {
    /// - Parameter reference: a folder, or a revision of git.
    static func files(of options: DictionaryOptions, at reference: String) throws(CommandFailure) -> [DefinitionFile] {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: reference, isDirectory: &isFolder) {
            guard isFolder.boolValue else {
                throw failure("--against \(reference) is a file: name a folder of definitions, or a revision of git")
            }
            do {
                return try DictionaryFolder.files(in: reference, ignore: options.ignore)
            } catch {
                throw failure("--against \(reference) cannot be read:\n\(error)")
            }
        }
        let git = try Git(folder: options.path, ignore: options.ignore)
        return try git.files(at: reference)
    }

    static func failure(_ message: String) -> CommandFailure { CommandFailure(.wrongUsage, message) }
}
