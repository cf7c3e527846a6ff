import Foundation
import Model

/// Reads from the git repository that a folder is in.
struct Git {
    private let folder: String

    /// - Throws: when there is no git, or no repository.
    init(folder: String) throws(CommandFailure) {
        self.folder = folder
        let inside = try Self.run(["-C", folder, "rev-parse", "--is-inside-work-tree"])
        guard inside.isDone else {
            let hint = "name a folder that has the earlier version, or lint in a clone"
            throw EarlierVersion.failure("--against: \(folder) is in no git repository: \(hint) (\(inside.complaint))")
        }
    }

    /// The folder's definition files as they were.
    func files(at revision: String) throws(CommandFailure) -> [DefinitionFile] {
        // A revision that begins with a dash must not become an option.
        let commit = try Self.run([
            "-C", folder, "rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}",
        ])
        guard commit.isDone else {
            let hint = "write a branch, tag or commit; in a shallow clone, fetch it first"
            throw EarlierVersion.failure("--against: there is no folder and no revision `\(revision)`: \(hint)")
        }
        let id = commit.text.trimmingCharacters(in: .newlines)
        // `-C` with the tree of this very folder: names are relative to it.
        let list = try Self.run(["-C", folder, "ls-tree", "-z", "\(id)", "--", "./"])
        guard list.isDone else { throw EarlierVersion.failure("--against: git ls-tree: \(list.complaint)") }
        let blobs = list.output.split(separator: 0).compactMap(Blob.init)
        guard !blobs.isEmpty else {
            throw EarlierVersion.failure("--against: \(folder) has no .md files at `\(revision)`")
        }
        return try contents(of: blobs)
    }

    /// One line of `git ls-tree`: mode, type and id, a tab, and the path.
    private struct Blob {
        var id: String
        var name: String

        init?(_ line: Data) {
            let parts = String(decoding: line, as: UTF8.self).split(separator: "\t", maxSplits: 1)
            guard parts.count == 2, parts[1].hasSuffix(".md"), !parts[1].hasPrefix(".") else { return nil }
            let words = parts[0].split(separator: " ")
            // Links are files whose text is a path.
            guard words.count == 3, words[0].hasPrefix("100"), words[1] == "blob" else { return nil }
            (id, name) = (String(words[2]), String(parts[1]))
        }
    }

    /// All of them with one process: 1,000 would take seconds.
    private func contents(of blobs: [Blob]) throws(CommandFailure) -> [DefinitionFile] {
        let ids = blobs.map { "\($0.id)\n" }.joined()
        let batch = try Self.run(["-C", folder, "cat-file", "--batch"], input: Data(ids.utf8))
        guard batch.isDone else { throw EarlierVersion.failure("--against: git cat-file: \(batch.complaint)") }
        var rest = batch.output[...]
        var files: [DefinitionFile] = []
        for blob in blobs {
            // "ID blob SIZE", the bytes, and a line break.
            guard let end = rest.firstIndex(of: 0x0A),
                let size = Int(String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").last ?? ""),
                rest.count >= end + 2 + size - rest.startIndex
            else { throw EarlierVersion.failure("--against: git cat-file did not give \(blob.name)") }
            let bytes = rest[(end + 1)..<(end + 1 + size)]
            files.append(DefinitionFile(name: blob.name, bytes: [UInt8](bytes)))
            rest = rest[(end + 2 + size)...]
        }
        return files
    }

    private struct Result {
        var status: Int32
        var output: Data
        var complaint: String
        var isDone: Bool { status == 0 }
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    private static func run(_ arguments: [String], input: Data = Data()) throws(CommandFailure) -> Result {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "--no-pager"] + arguments
        do {
            let scratch = try Scratch(input: input)
            defer { scratch.remove() }
            let output = Pipe()
            process.standardInput = scratch.input
            process.standardOutput = output
            process.standardError = scratch.errors
            try process.run()
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationStatus != 127 else { throw EarlierVersion.failure(missing) }
            return Result(status: process.terminationStatus, output: bytes, complaint: scratch.complaint())
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw EarlierVersion.failure("--against: git cannot be run: \(error)")
        }
    }

    private static let missing = "--against: git is not installed: name a folder instead, or apt-get install git"
}
