import Glibc
import Testing

@testable import Control

@Suite struct UnreachableDaemonTests {
    @Test func `a request that the daemon finds wrong ends with 2`() async throws {
        let (run, _) = try await ask("show", "--grep", "(") { _ in .problem(400, "grep: not a regular expression") }
        #expect(run.status == .wrongUsage)
        #expect(run.errors == "glossctl: grep: not a regular expression\n")
    }

    @Test func `an answer that is not one of glossd's documents is reported`() async throws {
        let (run, _) = try await ask("status") { _ in .document(Array("<html>".utf8)) }
        #expect(run.status == .unreachable)
        #expect(run.errors.contains("cannot be understood"))
    }

    @Test(arguments: [
        "status", "gaps", "reload", "definitions", "definitions show a/b", "search a", "event 1",
        "report unseen",
    ])
    func `a document of another shape is another program's, or another version's`(command: String) async throws {
        for document in ["{}", #"{"report":1,"version":[],"dictionaries":[{}]}"#, "{"] {
            let daemon = try FakeDaemon { _ in .document(Array(document.utf8)) }
            defer { daemon.stop() }
            let run = await Run.glossctl(
                ["--socket", daemon.socket] + command.split(separator: " ").map(String.init))
            #expect(run.status == .unreachable, "\(document)")
            #expect(
                run.errors.hasPrefix("glossctl: another program or another version of glossd answered"),
                "\(run.errors)")
        }
    }

    @Test(arguments: ["status", "show", "tail", "gaps", "verify", "reload", "definitions", "report"])
    func `without a daemon each command ends with 3 and says where and what to do`(command: String) async {
        let run = await Run.glossctl("--socket", "/nonexistent/gloss.sock", command)
        #expect(run.status == .unreachable)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == """
                glossctl: cannot reach glossd at /nonexistent/gloss.sock: there is no such socket
                Is glossd running (systemctl status glossd)? Or use --socket.

                """)
    }

    @Test func `a socket nobody listens on any more is refused`() async throws {
        let daemon = try FakeDaemon { _ in .problem(500, "") }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        defer { daemon.stop() }
        let stale = try folder.staleSocket()
        let run = await Run.glossctl("status", "--socket", stale)
        #expect(run.status == .unreachable)
        #expect(run.errors.contains("nobody answers there"))
        let file = try folder.file()
        for other in [file, "/tmp"] {
            let run = await Run.glossctl("status", "--socket", other)
            #expect(run.status == .unreachable)
            #expect(run.errors.contains("that is not a stream socket"), "\(run.errors)")
        }
        let long = "/" + String(repeating: "x", count: 200)
        #expect(await Run.glossctl("status", "--socket", long).errors.contains("longer than the 107 bytes"))
    }

    @Test func `a daemon that hangs is waited for only so long`() async throws {
        let daemon = try HangingDaemon(room: 0)
        defer { daemon.stop() }
        let client = ControlClient(socket: daemon.socket)
        // It accepts nothing: the first connection waits for its answer, and the others for room behind the first.
        for step in ["stream", "connection", "connection of a stream"] {
            let error = await #expect(throws: ControlError.self) {
                guard step.contains("stream") else { return _ = try await client.document("/v1/status", timeout: 1) }
                try await client.lines("/v1/events", timeout: 1, passingOver: { _, _ in }) { _ in }
            }
            #expect(error?.status == .unreachable)
            let message = error?.description ?? ""
            #expect(message.contains("it has not answered for 1 second\nIt hangs"), "\(step): \(message)")
        }
    }

    @Test(arguments: [
        ("report undefined --fail-on undefined --timeout 1s", "--fail-on: not yet, after "),
        ("checklist wait rel --timeout 1s", "glossd does not answer: what the run has come to is not known"),
    ])
    func `a command that has a time for it waits no longer for a daemon that hangs`(
        line: String, expected: String
    ) async throws {
        let daemon = try HangingDaemon(room: 16)
        defer { daemon.stop() }
        let start = ContinuousClock.now
        let run = await Run.glossctl(["--socket", daemon.socket] + line.split(separator: " ").map(String.init))
        #expect(run.status == .no && run.errors.hasPrefix("glossctl: \(expected)"), "\(run.errors)")
        #expect(run.errors.contains("glossd does not answer"))
        #expect(.now - start < .seconds(20))
    }

    @Test func `a stream that has begun is waited for`() async throws {
        let line = Array(#"{"type":"gap"}"#.utf8)
        let daemon = try FakeDaemon { _ in .quiet([line], seconds: 1.5) }
        defer { daemon.stop() }
        let (client, start) = (ControlClient(socket: daemon.socket), ContinuousClock.now)
        var lines: [[UInt8]] = []
        await #expect(throws: ControlError.self) {
            try await client.lines("/v1/events", timeout: 1, passingOver: { _, _ in }) { lines += $0 }
        }
        #expect(lines == [line] && .now - start >= .seconds(1.5))
    }

    @Test func `a refusal that does not come is not waited for, also in place of a stream`() async throws {
        let daemon = try FakeDaemon { _ in
            .quietDocument(status: 500, type: "application/problem+json", seconds: 20)
        }
        defer { daemon.stop() }
        let (client, start) = (ControlClient(socket: daemon.socket), ContinuousClock.now)
        let error = await #expect(throws: ControlError.self) {
            try await client.lines("/v1/events", timeout: 1, passingOver: { _, _ in }) { _ in }
        }
        #expect(error?.description.contains("it has not answered for 1 second\nIt hangs") ?? false)
        #expect(.now - start < .seconds(15))
    }

    @Test func `a daemon that hangs in the middle of a document is said to hang`() async throws {
        let daemon = try FakeDaemon { _ in .quietDocument(status: 200, type: "application/json", seconds: 20) }
        defer { daemon.stop() }
        let start = ContinuousClock.now
        let error = await #expect(throws: ControlError.self) {
            _ = try await ControlClient(socket: daemon.socket).document("/v1/status", timeout: 1)
        }
        #expect(error?.description.contains("it has not answered for 1 second\nIt hangs") ?? false)
        #expect(.now - start < .seconds(15))
    }

    @Test(arguments: [(0, "It belongs to root: use sudo"), (4, "sudo usermod -aG adm ")] as [(gid_t, String)])
    func `permission denied names the group of the socket`(group: gid_t, expected: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let socket = try folder.staleSocket()
        try #require(chown(socket, 0, group) == 0)
        let (why, hint) = SocketConnection.explanation(of: EACCES, socket)
        #expect(why == "permission denied")
        #expect(hint.contains(expected), "\(hint)")
    }

    @Test func `whose group cannot be seen is the one of an installation`() {
        let hint = SocketConnection.explanation(of: EACCES, "/nonexistent/s").hint
        #expect(hint.contains("usermod -aG systemd-journal "), "\(hint)")
    }

    @Test func `the environment names the socket, and --socket goes before it`() async {
        let run = await Run.glossctl("status", environment: ["GLOSS_SOCKET": "/nonexistent/env.sock"])
        #expect(run.errors.contains("/nonexistent/env.sock"))
        let other = await Run.glossctl(
            "status", "--socket", "/nonexistent/arg.sock", environment: ["GLOSS_SOCKET": "/nonexistent/env.sock"])
        #expect(other.errors.contains("/nonexistent/arg.sock"))
        for before in [["--socket", "/nonexistent/before.sock"], ["--socket=/nonexistent/before.sock"]] {
            #expect(await Run.glossctl(before + ["status"]).errors.contains("/nonexistent/before.sock"))
            // The last one counts.
            let both = await Run.glossctl(before + ["status", "--socket", "/nonexistent/behind.sock"])
            #expect(both.errors.contains("/nonexistent/behind.sock"))
        }
        #expect(await Run.glossctl("--socket").status == .wrongUsage)
        let neither = await Run.glossctl("status", environment: ["GLOSS_SOCKET": ""])
        #expect(neither.status == .done || neither.status == .no || neither.errors.contains("/run/gloss/control.sock"))
    }
}

/// A socket on which nothing is accepted.
private struct HangingDaemon {
    let socket: String
    private let folder: TemporaryFolder
    private let listener: Int32

    /// - Parameter room: how many connections wait to be accepted, besides the first.
    init(room: Int32) throws {
        folder = try TemporaryFolder()
        socket = folder.path("hanging")
        listener = try folder.bind(socket, type: SOCK_STREAM)
        try #require(listen(listener, room) == 0)
    }

    func stop() {
        close(listener)
        folder.remove()
    }
}
