import Foundation
import Glibc
import Synchronization
import Testing

@testable import Control

@Suite struct EmitCommandTests {
    /// Runs `glossctl emit` and gives the datagrams that a journald would get.
    private func emit(_ arguments: String..., input: String = "") async throws -> (Run, [String]) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("journal")
        let journald = try folder.bind(path, type: SOCK_DGRAM)
        defer { close(journald) }
        let run = await Run.glossctl(["emit", "--journal-socket", path] + arguments, input: input)
        var datagrams: [String] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(journald, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
            datagrams.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
        return (run, datagrams)
    }

    @Test func `an entry has the payload and says whose it is`() async throws {
        let (run, entries) = try await emit("--subsystem", "com.example.shop", "--category", "A", #"{"a":1}"#)
        #expect(run.status == .done)
        #expect(
            entries == [
                "MESSAGE={\"a\":1}\nSUBSYSTEM=com.example.shop\nCATEGORY=A\nPRIORITY=5\nSYSLOG_IDENTIFIER=glossctl\n"
            ])
    }

    @Test func `level, identifier and further fields are as given`() async throws {
        let (run, entries) = try await emit(
            "--subsystem", "s", "--category", "", "--level", "fault", "--identifier", "me", "--field", "SEQ=1=2",
            "not { JSON")
        #expect(run.status == .done)
        #expect(
            entries == ["MESSAGE=not { JSON\nSUBSYSTEM=s\nCATEGORY=\nPRIORITY=2\nSYSLOG_IDENTIFIER=me\nSEQ=1=2\n"])
    }

    @Test func `each line of standard input is an entry`() async throws {
        let (run, entries) = try await emit("--subsystem", "s", "--category", "c", "-", input: "{\"a\":1}\n\n{\"a\":2}")
        #expect(run.status == .done)
        #expect(entries.map { $0.prefix { $0 != "\n" } } == ["MESSAGE={\"a\":1}", "MESSAGE=", "MESSAGE={\"a\":2}"])
    }

    @Test func `without a journald the answer is no`() async {
        let run = await Run.glossctl(
            "emit", "--journal-socket", "/nonexistent/socket", "--subsystem", "s", "--category", "c", "{}")
        #expect(run.status == .no)
        #expect(run.errors.hasPrefix("glossctl: no journald listens at /nonexistent/socket\n"))
    }

    @Test func `when a line fails, the lines before it are counted`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("journal")
        let journald = try folder.bind(path, type: SOCK_DGRAM)
        let parts = Mutex(["1\n2\n", "3\n"])
        let errors = Mutex<[UInt8]>([])
        let console = Console(
            environment: [:], output: ByteSink { _ in }, errors: ByteSink { bytes in errors.withLock { $0 += bytes } },
            input: {
                parts.withLock { parts in
                    // journald ends between the second line and the third.
                    if parts.count == 1 { close(journald) }
                    return parts.isEmpty ? [] : Array(parts.removeFirst().utf8)
                }
            }, now: { Run.now })
        let arguments = ["emit", "--journal-socket", path, "--subsystem", "s", "--category", "c", "-"]
        #expect(await Glossctl.run(arguments, on: console) == .no)
        let text = String(decoding: errors.withLock { $0 }, as: UTF8.self)
        #expect(text.hasPrefix("glossctl: no journald listens at \(path), after 2 lines\n"), "\(text)")
    }

    @Test func `a field that has an option of its own is wrong usage`() async throws {
        for (field, option) in [
            ("MESSAGE=x", "the payload"), ("SUBSYSTEM=x", "--subsystem"), ("CATEGORY=", "--category"),
            ("PRIORITY=1", "--level"), ("SYSLOG_IDENTIFIER=x", "--identifier"),
            // With the accent, = is another character, but no other byte.
            ("MESSAGE=\u{301}x", "the payload"),
        ] {
            let (run, entries) = try await emit("--subsystem", "s", "--category", "c", "--field", field, "{}")
            #expect(run.status == .wrongUsage && run.errors.contains("\(option) says what") && entries.isEmpty)
        }
    }

    @Test func `a value may begin with an accent`() async throws {
        let (run, entries) = try await emit("--subsystem", "s", "--category", "c", "--field", "NAME=\u{301}x", "{}")
        #expect(run.status == .done)
        #expect(entries.count == 1 && entries[0].utf8.suffix(9).elementsEqual("NAME=\u{301}x\n".utf8))
        let (none, _) = try await emit("--subsystem", "s", "--category", "c", "--field", "NAME", "{}")
        #expect(none.status == .wrongUsage && none.errors.contains("--field NAME: write NAME=VALUE."))
    }

    @Test func `a field name that journald would drop is wrong usage`() async throws {
        let (run, entries) = try await emit("--subsystem", "s", "--category", "c", "--field", "lower=1", "{}")
        #expect(run.status == .wrongUsage)
        #expect(entries.isEmpty)
    }
}
