import Foundation
import Model

/// One run of git, to its end, in which the repository that it reads executes nothing.
///
/// The repository may be a stranger's: a checkout of a contribution, an unpacked archive. Its configuration names
/// programs, and git executes them even to read: the transport that gets an object that a partial clone lacks, with its
/// `core.sshCommand`, `core.gitProxy`, `remote.*.uploadpack`, `remote.*.vcs` and credential helpers, and a file system
/// monitor when it reads the index.
///
/// - Source: git(1), git-config(1).
struct GitProcess {
    let status: Int32
    let output: Data
    /// What it wrote to its errors, in one line.
    let complaint: String

    var isDone: Bool { status == 0 }
    var text: String { String(decoding: output, as: UTF8.self) }

    static func run(_ arguments: [String], input: Data = Data()) throws(CommandFailure) -> GitProcess {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "--no-pager"] + harmless.flatMap { ["-c", $0] } + arguments
        process.environment = environment(from: ProcessInfo.processInfo.environment)
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
            return GitProcess(status: process.terminationStatus, output: bytes, complaint: scratch.complaint())
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw EarlierVersion.failure("--against: git cannot be run: \(error)")
        }
    }

    /// In a hook, git says by these variables which repository it is about, and `-C` does not change their mind.
    ///
    /// - Source: `git rev-parse --local-env-vars`, but for those of the configuration, by which people also say that a
    ///   folder is safe.
    private static let repository: Set<String> = [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
    ]

    /// Settings that win over those of the repository.
    ///
    /// A bare repository that a folder is in is likely one that came as files of another, and with its own configuration.
    /// `fetch` would download from a bundle's address before it asks whether a transport is allowed.
    private static let harmless = [
        "core.fsmonitor=false", "core.hooksPath=/dev/null", "safe.bareRepository=explicit", "fetch.bundleURI=",
    ]

    /// No transport, so what an object needs is there or is missing.
    ///
    /// Git knows `GIT_NO_LAZY_FETCH` since 2.45, and since the fixes of May 2024 to older ones; what is older still has
    /// only the list of transports. It must not be empty or a word that can be foreseen: with `none` in it, git would
    /// take the remote helper `none` for allowed, and an alias `remote-none` of the repository for that helper.
    private static func noTransport() -> [String: String] {
        ["GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": UUID().uuidString]
    }

    private static func environment(from inherited: [String: String]) -> [String: String] {
        var environment = inherited.filter { !repository.contains($0.key) }
        // What it complains of is looked at.
        environment["LC_ALL"] = "C"
        return environment.merging(noTransport()) { $1 }
    }

    private static let missing = "--against: git is not installed: name a folder instead, or apt-get install git"
}

/// What a process reads and complains into: files, since two pipes that are both full would wait for each other.
struct Scratch {
    private let folder: URL
    let input: FileHandle
    let errors: FileHandle

    init(input bytes: Data) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "gloss-lint-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let inputFile = folder.appending(path: "input")
        try bytes.write(to: inputFile)
        input = try FileHandle(forReadingFrom: inputFile)
        try Data().write(to: folder.appending(path: "errors"))
        errors = try FileHandle(forWritingTo: folder.appending(path: "errors"))
    }

    /// In one line.
    func complaint() -> String {
        let bytes = (try? Data(contentsOf: folder.appending(path: "errors"))) ?? Data()
        let lines = String(decoding: bytes.prefix(500), as: UTF8.self).split(separator: "\n")
        return lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
