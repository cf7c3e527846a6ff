import Foundation
import Glibc
import Model
import Testing

@testable import Serve

struct ControlSocketTests {
    @Test func `a stale socket is replaced, and its permission bits are exactly those asked for`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/control.sock"
            try leaveStaleSocket(at: path)
            let socket = try ControlSocket(path: path, mode: 0o660)
            #expect(permissions(path) == 0o660)
            Glibc.close(socket.descriptor)
            socket.remove()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a regular file in the socket's place is refused and stays`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/control.sock"
            try "precious".write(toFile: path, atomically: true, encoding: .utf8)
            let error = refusal(path)
            #expect(error?.kind == .notASocket)
            #expect(error?.hint != nil)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        }
    }

    @Test func `a second daemon is refused, and the first one stays reachable`() async throws {
        try await withServer { server in
            #expect(refusal(server.socket)?.kind == .inUse)
            let reply = try await server.get("/v1/gaps")
            #expect(reply.status == 200)
        }
    }

    @Test func `a socket that another program listens on is left alone, lock or not`() async throws {
        try await withServer { server in
            unlink(server.socket + ".lock")
            #expect(refusal(server.socket)?.kind == .inUse)
            let reply = try await server.get("/v1/gaps")
            #expect(reply.status == 200)
        }
    }

    @Test func `the lock is free again when its holder is gone`() async throws {
        try await withTemporaryFolder { folder in
            do {
                let lock = try FileLock(path: folder + "/lock")
                #expect(throws: ServeError.self) { _ = try FileLock(path: folder + "/lock") }
                _ = consume lock
            }
            _ = try FileLock(path: folder + "/lock")
        }
    }

    @Test func `a path that is too long for a socket is refused in words`() {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        let error = refusal(path)
        #expect(error?.description.contains("107") == true)
    }

    @Test func `serving ends when its task is cancelled, a client or not`() async throws {
        try await withServer { other in
            let options = ControlOptions(
                socket: other.socket + "2", mode: 0o600, adminGroup: nil, maximumTails: 1, maximumBodyBytes: 1,
                maximumTailLag: 1)
            let server = ControlServer(options: options, store: other.store, daemon: other.daemon.interface)
            let (listening, isListening) = AsyncStream<Void>.makeStream()
            let task = Task { try await server.run { isListening.finish() } }
            for await _ in listening {}
            let client = try await RawClient.connect(to: options.socket)
            try await client.send("GET /v1/events?follow=true HTTP/1.1\r\nHost: gloss\r\n\r\n")
            _ = try await client.receive()
            task.cancel()
            _ = await task.result
            #expect(!FileManager.default.fileExists(atPath: options.socket))
        }
    }

    @Test func `the socket's file goes with the server`() async throws {
        let socket = try await withServer { server in
            #expect(permissions(server.socket) == 0o660)
            await server.stop()
            return server.socket
        }
        #expect(!FileManager.default.fileExists(atPath: socket))
    }
}

/// Why a socket cannot be had there; `nil` when it can.
private func refusal(_ path: String) -> ServeError? {
    do {
        _ = try ControlSocket(path: path, mode: 0o660)
        return nil
    } catch {
        return error
    }
}

private func permissions(_ path: String) -> UInt32 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.posixPermissions] as? NSNumber)?.uint32Value ?? 0
}

/// What a daemon that was killed leaves behind.
private func leaveStaleSocket(at path: String) throws {
    let socket = try ControlSocket(path: path, mode: 0o600)
    Glibc.close(socket.descriptor)
    // Out of scope without `remove()`: the lock is given up, the file stays.
}
