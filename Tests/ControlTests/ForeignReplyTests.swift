import Foundation
import Testing

@testable import Control

/// What is behind the socket is not glossd, or not as it should be.
@Suite struct ForeignReplyTests {
    @Test(arguments: ["status", "show", "tail", "gaps", "verify", "reload", "definitions", "report", "event 1"])
    func `an answer of another program is not taken for the daemon's`(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let document = Array("{}".utf8)
        for (reply, found) in [
            (.document(document, type: "text/html; charset=utf-8"), "200 with text/html"),
            (.document(document, status: 404), "404 with application/json"),
            (.document(document, type: ""), "200 with no content type"),
            (.foreign("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"), "200 with text/html"),
        ] as [(FakeDaemon.Reply, String)] {
            let daemon = try FakeDaemon { _ in reply }
            defer { daemon.stop() }
            let run = await Run.glossctl(["--socket", daemon.socket] + words)
            #expect(run.status == .unreachable)
            #expect(run.output.isEmpty)
            #expect(
                run.errors == """
                    glossctl: cannot reach glossd at \(daemon.socket): another program answers there: \(found)
                    --socket and GLOSS_SOCKET name the socket of glossd, which is control.socket in its settings.

                    """)
        }
    }

    @Test func `a stream is no document, and a document no stream`() async throws {
        let (show, _) = try await ask("show") { _ in .document(Array("{}".utf8)) }
        #expect(show.status == .unreachable)
        let (status, _) = try await ask("status") { _ in .lines([Array("{}".utf8)]) }
        #expect(status.status == .unreachable)
    }

    @Test func `the content type counts without its parameters and in any case`() async throws {
        let status = try Fixture.bytes("status-running.json")
        let (run, _) = try await ask("status", "-o", "json") { _ in
            .document(status, type: "Application/JSON; charset=utf-8")
        }
        #expect(run.status == .done)
    }

    @Test(arguments: ["show", "tail --no-reconnect", "show -o ndjson", "show -o json"])
    func `a line without its type is refused`(command: String) async throws {
        let daemon = try FakeDaemon { _ in .lines([Array("{}".utf8), Array("{}".utf8)]) }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + command.split(separator: " ").map(String.init))
        #expect(run.status == .unreachable)
        #expect(
            run.errors
                == "glossctl: the daemon's answer cannot be understood: a line of it does not begin with its type\n")
    }

    /// The built program, whose memory at most is what the kernel says.
    /// - Returns: exit status, largest resident size in bytes, and what was written to the standard error.
    private func measured(_ words: [String], _ reply: FakeDaemon.Reply) async throws -> (Int32, Int, String) {
        let daemon = try FakeDaemon { _ in reply }
        defer { daemon.stop() }
        let script = """
            import resource, subprocess, sys
            run = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            print(run.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
            print(run.stderr.decode())
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script, try BuiltGlossctl.path, "--socket", daemon.socket] + words
        let output = Pipe()
        process.standardOutput = output
        let text: String = try await withCheckedThrowingContinuation { read in
            Thread.detachNewThread {
                read.resume(
                    with: Result {
                        try process.run()
                        let bytes = output.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        return String(decoding: bytes, as: UTF8.self)
                    })
            }
        }
        let parts = text.split(separator: "\n", maxSplits: 1).map(String.init)
        let numbers = parts[0].split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 2, "\(text)")
        return (Int32(numbers[0]), numbers[1], parts.count > 1 ? parts[1] : "")
    }

    private static let braces = Array(String(repeating: "{}", count: 30 << 20).utf8)

    @Test func `an event of 60 MiB goes into a file within 64 MiB`() async throws {
        let (status, bytes, errors) = try await measured(["event", "1", "-o", "json"], .document(Self.braces))
        #expect(status == 0)
        #expect(bytes < 64 << 20, "\(bytes >> 20) MiB")
        #expect(errors.isEmpty || errors == "\n")
    }

    @Test(arguments: [("show", 1), ("show -o json", 1), ("tail --no-reconnect", 3)])
    func `an event whose line is too long is left out, and the others are shown`(command: String, status: Int32)
        async throws
    {
        let event = try #require(try Fixture.lines("events.ndjson").first)
        let long = Array(#"{"type":"event","id":4711,"uid":"x","payload":"#.utf8) + Self.braces.prefix(17 << 20)
        let daemon = try FakeDaemon { request in
            request.target.hasPrefix("/v1/events")
                ? .lines([event, long, event]) : (try? Fixture.answer(request, [])) ?? .problem(500, "")
        }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + command.split(separator: " ").map(String.init))
        #expect(run.status.rawValue == status)
        #expect(
            run.errors.hasPrefix(
                "glossctl: event 4711 is left out: a line is longer than 16 MiB. This writes it to a file: "
                    + "glossctl event 4711 -o json > FILE\n"), "\(run.errors)")
        #expect(run.output.split(separator: "recipe_id").count == 3, "\(run.output)")
        #expect(run.output.utf8.count < 100_000)
        guard command == "show" else { return }
        let (_, bytes, _) = try await measured(["show"], .lines([event, long + Self.braces, event]))
        #expect(bytes < 64 << 20, "\(bytes >> 20) MiB")
    }

    @Test(arguments: ["show -o ndjson", "tail --no-reconnect -o ndjson"])
    func `lines that are only passed on may be of any length`(command: String) async throws {
        let event = try #require(try Fixture.lines("events.ndjson").first)
        let long = Array(#"{"type":"event","id":4711,"uid":"x","payload":"#.utf8) + Self.braces
        let words = command.split(separator: " ").map(String.init)
        let daemon = try FakeDaemon { _ in .lines([event, long, event]) }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + words)
        #expect(run.status == (words[0] == "show" ? .done : .unreachable))
        #expect(run.output.utf8.count == 2 * event.count + long.count + 3)
        let (_, bytes, _) = try await measured(words, .lines([event, long, event]))
        #expect(bytes < 64 << 20, "\(bytes >> 20) MiB")
    }

    @Test func `what comes before a line that is not the daemon's is printed`() async throws {
        let event = try #require(try Fixture.lines("events.ndjson").first)
        let daemon = try FakeDaemon { _ in .lines([event, event, Array("{}".utf8), event]) }
        defer { daemon.stop() }
        let run = await Run.glossctl("--socket", daemon.socket, "show", "-o", "json")
        #expect(run.status == .unreachable)
        #expect(run.output.split(separator: "\n").count == 3, "\(run.output)")
        #expect(run.errors.contains("a line of it does not begin with its type"))
    }

    @Test func `60 MiB of braces are refused within 64 MiB`() async throws {
        let (status, bytes, errors) = try await measured(["status"], .document(Self.braces))
        #expect(status == 1)
        #expect(bytes < 64 << 20, "\(bytes >> 20) MiB")
        #expect(
            errors.contains("the answer is longer than 24 MiB, which is too long for glossctl. Use: curl "),
            "\(errors)")
    }

    @Test(arguments: ["show", "tail --no-reconnect"])
    func `a line of 60 MiB, and 60 MiB of lines, are refused within 64 MiB`(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let line = try await measured(words, .lines([Array(#"{"type":""#.utf8) + Self.braces]))
        #expect(line.0 == 1)
        #expect(line.1 < 64 << 20, "\(line.1 >> 20) MiB")
        #expect(
            line.2.contains("a line is longer than 16 MiB, which is too long for glossctl. Use: curl "),
            "\(line.2)")
        let lines = try await measured(words, .lines([Array(String(repeating: "{}\n", count: 20 << 20).utf8)]))
        #expect(lines.0 == 3)
        #expect(lines.1 < 64 << 20, "\(lines.1 >> 20) MiB")
        #expect(lines.2.contains("does not begin with its type"), "\(lines.2)")
    }

    @Test func `a list of empty objects is refused within 64 MiB`() async throws {
        let list = Array(("[" + String(repeating: "{},", count: 5_000_000) + "{}]").utf8)
        let (status, bytes, errors) = try await measured(["status"], .document(list))
        #expect(status == 3)
        #expect(bytes < 64 << 20, "\(bytes >> 20) MiB")
        #expect(errors.contains("it is no JSON object"), "\(errors)")
    }

    @Test func `many short lines that are right but for their contents are not held without a bound`() async throws {
        let lines = Array(String(repeating: #"{"type":"x"}"# + "\n", count: 1_200_000).utf8)
        let (_, bytes, _) = try await measured(["show", "-n", "999999"], .lines([lines]))
        #expect(bytes < 64 << 20, "\(bytes >> 20) MiB")
    }

    @Test(arguments: [
        ("status >&-", 1, "standard output: Bad file descriptor"),
        ("show >&-", 1, "standard output: Bad file descriptor"),
        ("status >/dev/full", 1, "standard output: No space left on device"),
        ("show -o ndjson >/dev/full", 1, "standard output: No space left on device"),
        ("--help >&-", 1, "standard output: Bad file descriptor"),
        ("--version >/dev/full", 1, "standard output: No space left on device"), ("status 2>&- >&-", 1, ""),
        ("show -o ndjson | head -c 1 >/dev/null", 0, ""), ("status <&- >/dev/null", 0, ""),
    ])
    func `what happened to the output is reported`(command: String, status: Int32, errors: String) async throws {
        let lines = try Fixture.lines("events.ndjson")
        let daemon = try FakeDaemon { request in
            request.target.hasPrefix("/v1/events")
                ? .lines((0..<2000).flatMap { _ in lines }) : (try? Fixture.answer(request, lines)) ?? .problem(500, "")
        }
        defer { daemon.stop() }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "\(try BuiltGlossctl.path) --socket \(daemon.socket) \(command)"]
        let pipe = Pipe()
        process.standardError = pipe
        let printed: String = try await withCheckedThrowingContinuation { read in
            Thread.detachNewThread {
                read.resume(
                    with: Result {
                        try process.run()
                        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        return String(decoding: bytes, as: UTF8.self)
                    })
            }
        }
        #expect(process.terminationStatus == status)
        #expect(printed == (errors.isEmpty ? "" : "glossctl: \(errors)\n"))
    }
}

/// The program as `swift build` made it, beside the tests' own bundle.
enum BuiltGlossctl {
    struct Missing: Error {}

    static var path: String {
        get throws {
            var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            while folder.path != "/" {
                let program = folder.appending(path: "glossctl").path
                if FileManager.default.isExecutableFile(atPath: program) { return program }
                folder.deleteLastPathComponent()
            }
            throw Missing()
        }
    }
}
