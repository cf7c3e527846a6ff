import Emit
import Foundation
import TestSupport
import Testing

struct JournalWriterTests {
    @Test func `without a journald the error names the socket and what to do`() throws {
        let path = "/run/systemd/journal.gloss-test-nobody/socket"
        let writer = try JournalWriter(namespace: "gloss-test-nobody")
        let error = #expect(throws: EmitError.self) { try writer.send([("MESSAGE", [0x41])]) }
        #expect(error == .noJournal(path: path))
        #expect(error?.description == "no journald listens at \(path)")
        #expect(error?.hint?.contains("of this namespace") == true)
    }

    @Test func `where no journald listens at a given path, nothing is said of a namespace`() throws {
        let writer = try JournalWriter(socketPath: "/nonexistent/socket")
        let error = #expect(throws: EmitError.noJournal(path: "/nonexistent/socket")) {
            try writer.send([("MESSAGE", [0x41])])
        }
        let hint = try #require(error?.hint)
        #expect(hint.contains(JournalWriter.defaultSocketPath) && !hint.contains("namespace"))
    }

    @Test func `a journald that does not read is waited for as long as is said`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "gloss-emit-\(UUID().uuidString)").path
        let socket = try FullSocket(path: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (writer, start) = (try JournalWriter(socketPath: path, patience: .milliseconds(200)), ContinuousClock.now)
        #expect(throws: EmitError.system(call: "sendmsg", path: path, errno: EAGAIN)) {
            try withExtendedLifetime(socket) { try writer.send([("MESSAGE", [0x41])]) }
        }
        #expect(.milliseconds(150)..<(.seconds(10)) ~= ContinuousClock.now - start)
    }

    @Test(arguments: ["", ".", "..", "a/b", "../x", "a b", "a\n", "a*", String(repeating: "x", count: 80)])
    func `what cannot be a namespace is refused`(name: String) {
        #expect(throws: EmitError.invalidNamespace(name)) { _ = try JournalWriter(namespace: name) }
    }

    @Test func `a path that is too long for a socket is refused`() {
        #expect(throws: EmitError.self) { _ = try JournalWriter(socketPath: "/" + String(repeating: "x", count: 200)) }
    }
}
