import Foundation
import Glibc
import Synchronization
import Testing

@testable import Control

@Suite struct InstalledProgramTests {
    /// Prints its words, and ends with 7.
    private static let script = "#!/bin/sh\nfor word in \"$@\"; do printf '<%s>' \"$word\"; done\nexit 7\n"

    private func install(in folder: TemporaryFolder, mode: Int = 0o755) throws -> String {
        let path = folder.path("gloss-dictionary")
        try Data(Self.script.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Runs glossctl with what it would become recorded.
    private func run(
        _ arguments: [String], path: String?, beside: String? = nil
    ) async -> (outcome: Outcome, became: [[String]], errors: String) {
        let became = Mutex<[[String]]>([])
        let errors = Mutex<[UInt8]>([])
        let console = Console(
            environment: path.map { ["PATH": $0] } ?? [:], output: ByteSink { _ in },
            errors: ByteSink { bytes in errors.withLock { $0 += bytes } }, programFolder: { beside },
            become: { program, words in became.withLock { $0.append([program] + words) } }, now: { Run.now })
        let outcome = await Glossctl.run(arguments, on: console)
        return (outcome, became.withLock { $0 }, errors.withLock { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: [
        [], ["--help"], ["-h"], ["--version"], ["a", "--", "-b"], ["--socket", "x"], ["-fi", "--strict", "保存 x", ""],
        ["help"], ["lint"],
    ])
    func `every word is passed on untouched`(words: [String]) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let program = try install(in: folder)
        for command in ["lint", "generate"] {
            let (_, became, errors) = await run([command] + words, path: "/nonexistent::\(folder.root)")
            #expect(became == [[program, "gloss-dictionary", command] + words])
            #expect(errors.isEmpty)
            // It needs no daemon.
            for socket in [["--socket", "x"], ["--socket=x"]] {
                let (_, became, _) = await run(socket + [command] + words, path: "/nonexistent::\(folder.root)")
                #expect(became == [[program, "gloss-dictionary", command] + words])
            }
        }
    }

    @Test func `the program beside glossctl goes before one in PATH`() async throws {
        let (beside, inPath) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            beside.remove()
            inPath.remove()
        }
        let own = try install(in: beside)
        _ = try install(in: inPath)
        let (_, became, _) = await run(["lint"], path: inPath.root, beside: beside.root)
        #expect(became.map(\.first) == [own])
    }

    @Test(arguments: [nil, "", "/nonexistent"])
    func `without the program the status is 127 and the message says where it was looked for`(
        path: String?
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        _ = try install(in: folder, mode: 0o644)
        let beside = folder.root
        let (outcome, became, errors) = await run(["lint"], path: path ?? folder.root, beside: beside)
        #expect(outcome == .notInstalled)
        #expect(outcome.rawValue == 127)
        #expect(became.isEmpty)
        #expect(
            errors == """
                glossctl: gloss-dictionary is not installed: it is neither beside glossctl (\(beside)) nor in PATH
                It is part of Gloss. Add its folder to PATH.

                """)
    }

    @Test func `a program that does not start is reported`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let program = try install(in: folder)
        let errors = Mutex<[UInt8]>([])
        let console = Console(
            environment: ["PATH": folder.root], output: ByteSink { _ in },
            errors: ByteSink { bytes in errors.withLock { $0 += bytes } },
            become: { _, _ in throw FileError(call: "execv", errno: ENOEXEC) }, now: { Run.now })
        #expect(await Glossctl.run(["lint"], on: console) == .notInstalled)
        let printed = errors.withLock { String(decoding: $0, as: UTF8.self) }
        #expect(printed == "glossctl: \(program) cannot be run: execv: Exec format error\n")
    }

    @Test func `the process becomes the program, with its output, status and signals`() async throws {
        let glossctl = try #require(Self.builtGlossctl(), "glossctl is not built beside the tests")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.copyItem(atPath: glossctl, toPath: folder.path("glossctl"))
        _ = try install(in: folder)
        let (output, status) = try Self.output(of: folder.path("glossctl"), ["lint", "--help", "a b", "--", "-x"])
        #expect(output == "<lint><--help><a b><--><-x>")
        #expect(status == 7)
        let handsOn = "#!/bin/sh\nkill -TERM $$\nsleep 1\nexit 5\n"
        try Data(handsOn.utf8).write(to: URL(filePath: folder.path("gloss-dictionary")))
        #expect(try Self.output(of: folder.path("glossctl"), ["generate"]).status == 15)
    }

    /// SwiftPM puts executables beside the test bundle.
    private static func builtGlossctl() -> String? {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = tests.deletingLastPathComponent().appending(path: "glossctl").path()
        return FileManager.default.isExecutableFile(atPath: beside) ? beside : nil
    }

    /// - Returns: the exit status, or the number of the signal that ended it.
    private static func output(of program: String, _ arguments: [String]) throws -> (text: String, status: Int32) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text, process.terminationStatus)
    }
}
