import Foundation
import Glibc
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

    @Test func `a field that has an option of its own is wrong usage`() async throws {
        for (field, option) in [
            ("MESSAGE=x", "the payload"), ("SUBSYSTEM=x", "--subsystem"), ("CATEGORY=", "--category"),
            ("PRIORITY=1", "--level"), ("SYSLOG_IDENTIFIER=x", "--identifier"),
        ] {
            let (run, entries) = try await emit("--subsystem", "s", "--category", "c", "--field", field, "{}")
            #expect(run.status == .wrongUsage && run.errors.contains("\(option) says what") && entries.isEmpty)
        }
    }

    @Test func `a field name that journald would drop is wrong usage`() async throws {
        let (run, entries) = try await emit("--subsystem", "s", "--category", "c", "--field", "lower=1", "{}")
        #expect(run.status == .wrongUsage)
        #expect(entries.isEmpty)
    }
}
