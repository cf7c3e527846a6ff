import Foundation
import Model

/// One complete run of git in which the repository cannot make it execute anything.
///
/// The repository may come from a stranger: a checkout of a contribution, an unpacked archive. Its configuration names
/// programs, and git executes them even to read. These are the transport that fetches an object missing from a partial
/// clone, with its `core.sshCommand`, `core.gitProxy`, `remote.*.uploadpack`, `remote.*.vcs` and credential helpers,
/// and a file system monitor that runs when git reads the index.
///
/// - Source: git(1), git-config(1).
struct GitProcess {
    let status: Int32
    let output: Data
    /// Its error output, as one line.
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

    /// The variables that say which repository git uses in a hook, even with `-C`.
    ///
    /// - Source: `git rev-parse --local-env-vars`, without those of the configuration, with which people also mark a
    ///   folder as safe.
    private static let repository: Set<String> = [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
    ]

    /// Settings that override those of the repository.
    ///
    /// If the folder is within a bare repository, that was probably delivered as files, with its own configuration.
    /// `fetch` would download from a bundle's address before it checks whether a transport is allowed.
    private static let harmless = [
        "core.fsmonitor=false", "core.hooksPath=/dev/null", "safe.bareRepository=explicit", "fetch.bundleURI=",
    ]

    /// Returns variables that forbid every transport: an object that is not in the repository counts as missing.
    ///
    /// Git has `GIT_NO_LAZY_FETCH` since 2.45, and older versions since the fixes of May 2024. Versions before those
    /// have only the list of transports. That list must not be empty or predictable: with `none` in it, git would allow
    /// the remote helper `none`, and an alias `remote-none` in the repository could act as that helper.
    private static func noTransport() -> [String: String] {
        ["GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": UUID().uuidString]
    }

    private static func environment(from inherited: [String: String]) -> [String: String] {
        var environment = inherited.filter { !repository.contains($0.key) }
        // Its messages are parsed.
        environment["LC_ALL"] = "C"
        return environment.merging(noTransport()) { $1 }
    }

    private static let missing = "--against: git is not installed: name a folder instead, or apt-get install git"
}

/// The input and error output of a process: files, since two full pipes would wait for each other.
struct Scratch {
    private let folder: URL
    let input: FileHandle
    let errors: FileHandle

    /// - Throws: an error when they cannot be written; then nothing is left of them.
    init(input bytes: Data) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "gloss-lint-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        do {
            let inputFile = folder.appending(path: "input")
            try bytes.write(to: inputFile)
            input = try FileHandle(forReadingFrom: inputFile)
            try Data().write(to: folder.appending(path: "errors"))
            errors = try FileHandle(forWritingTo: folder.appending(path: "errors"))
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// Returns the error output as one line.
    func complaint() -> String {
        let bytes = (try? Data(contentsOf: folder.appending(path: "errors"))) ?? Data()
        let lines = String(decoding: bytes.prefix(500), as: UTF8.self).split(separator: "\n")
        return lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
