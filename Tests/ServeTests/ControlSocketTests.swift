import Foundation
import Glibc
import Linux
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
            socket.remove()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a regular file in the socket's place is refused and stays`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/control.sock"
            try "precious".write(toFile: path, atomically: true, encoding: .utf8)
            let error = refusal(path)
            #expect(error?.description == "\(path) exists and is not a socket")
            #expect(error?.hint != nil)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        }
    }

    @Test func `a second daemon is refused, and the first one stays reachable`() async throws {
        try await withServer { server in
            #expect(refusal(server.socket)?.description.hasPrefix("another glossd") == true)
            let reply = try await server.get("/v1/gaps")
            #expect(reply.status == 200)
        }
    }

    @Test func `a socket that another program listens on is left alone, lock or not`() async throws {
        try await withServer { server in
            unlink(server.socket + ".lock")
            #expect(refusal(server.socket)?.description == "another program listens on \(server.socket)")
            let reply = try await server.get("/v1/gaps")
            #expect(reply.status == 200)
        }
    }

    @Test func `the lock is free again when its holder is gone`() async throws {
        try await withTemporaryFolder { folder in
            do {
                let lock = try FileLock(path: folder + "/lock")
                #expect(throws: FileLock.Failure.self) { _ = try FileLock(path: folder + "/lock") }
                _ = consume lock
            }
            _ = try FileLock(path: folder + "/lock")
        }
    }

    @Test(arguments: ["precious", "4711\nprecious", "123456789012345\n6", "a hard link", "a pipe"])
    func `what is no lock file is not taken for one, and stays as it is`(what: String) async throws {
        try await withTemporaryFolder { folder in
            let (path, lock) = (folder + "/control.sock", folder + "/control.sock.lock")
            switch what {
            case "a pipe": try #require(mkfifo(lock, 0o600) == 0)
            case "a hard link":
                try what.write(toFile: folder + "/file", atomically: true, encoding: .utf8)
                try #require(link(folder + "/file", lock) == 0)
            default: try what.write(toFile: lock, atomically: true, encoding: .utf8)
            }
            let error = refusal(path)
            #expect(error?.description.hasPrefix("\(lock) is not the lock of a control socket: it ") == true)
            #expect(error?.hint?.hasPrefix("Move it away") == true && error?.isLasting == true)
            #expect(!FileManager.default.fileExists(atPath: path))
            guard what != "a pipe" else { return }
            #expect(try String(contentsOfFile: lock, encoding: .utf8) == what)
        }
    }

    @Test(.enabled("needs root to give a file away") { geteuid() == 0 })
    func `another user's lock file is refused, and stays as it is`() async throws {
        try await withTemporaryFolder { folder in
            let (path, lock) = (folder + "/control.sock", folder + "/control.sock.lock")
            try "4711\n".write(toFile: lock, atomically: true, encoding: .utf8)
            try #require(chown(lock, 65_534, 65_534) == 0)
            #expect(refusal(path)?.description.hasSuffix("it belongs to another user (65534)") == true)
            #expect(try String(contentsOfFile: lock, encoding: .utf8) == "4711\n")
        }
    }

    @Test(arguments: ["", "4711\n"]) func `a lock that a daemon has left is taken`(text: String) async throws {
        try await withTemporaryFolder { folder in
            try text.write(toFile: folder + "/control.sock.lock", atomically: true, encoding: .utf8)
            #expect(refusal(folder + "/control.sock") == nil)
        }
    }

    @Test func `a socket that is given up is closed, its file removed and its lock free`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/control.sock"
            do { _ = try ControlSocket(path: path, mode: 0o660) }
            #expect(!FileManager.default.fileExists(atPath: path))
            _ = try ControlSocket(path: path, mode: 0o660)
        }
    }

    @Test func `who holds the lock is named`() async throws {
        try await withServer { server in
            #expect(refusal(server.socket)?.description.contains("another glossd (process \(getpid())) serves") == true)
        }
    }

    @Test func `what is wrong with the folder is reported in words, with what to do`() async throws {
        try await withTemporaryFolder { folder in
            let missing = refusal(folder + "/no/control.sock")
            #expect(missing?.description == "the control socket cannot be created: there is no folder \(folder)/no")
            #expect(missing?.hint == "Create it, or name another path in control.socket.")
            try "".write(toFile: folder + "/file", atomically: true, encoding: .utf8)
            #expect(
                refusal(folder + "/file/control.sock")?.description.contains("there is no folder \(folder)/file")
                    == true)
            let forbidden = ServeError(call: "bind", path: "/run/gloss/control.sock", errno: EACCES)
            #expect(
                forbidden.description
                    == "the control socket cannot be created: this user may not write to /run/gloss/control.sock")
            #expect(forbidden.hint?.contains("/run/gloss ") == true)
        }
    }

    @Test func `a path that is too long for a socket is refused in words`() {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        let error = refusal(path)
        #expect(error?.description.contains("107") == true)
    }

    /// A server beside another one, which has what it needs.
    private func second(_ other: RunningServer) -> (ControlServer, ControlOptions) {
        let options = ControlOptions(
            socket: other.socket + "2", mode: 0o600, adminGroup: nil, maximumTails: 1, maximumBodyBytes: 1,
            maximumTailLag: 1)
        return (ControlServer(options: options, store: other.store, daemon: other.daemon), options)
    }

    @Test(.timeLimit(.minutes(1))) func `a server that cannot listen fails`() async throws {
        try await withServer { other in
            let (server, options) = second(other)
            let socket = try ControlSocket(options)
            let descriptor = try #require(socket.takeDescriptor())
            defer { close(descriptor) }
            await #expect(throws: ServeError.self) { try await server.run(on: socket) }
            #expect(!FileManager.default.fileExists(atPath: options.socket))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a lock whose file was removed is taken again, and not from another daemon`() async throws {
        try await withServer { other in
            let (_, options) = second(other)
            let lock = options.socket + ".lock"
            let first = try ControlSocket(options)
            unlink(options.socket)
            unlink(lock)
            let renewed = try first.renewed()
            #expect(refusal(options.socket)?.description.contains("another glossd") == true)
            unlink(options.socket)
            unlink(lock)
            let another = try ControlSocket(options)
            #expect(throws: ServeError.self) { _ = try renewed.renewed() }
            // Neither of the first ones removes its file.
            first.remove()
            renewed.remove()
            #expect(another.isInPlace)
        }
    }

    @Test func `a socket that could not be made again is in place when its file is put back`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/control.sock"
            let socket = try ControlSocket(path: path, mode: 0o660)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(!socket.isInPlace)
            #expect(throws: ServeError.self) { _ = try socket.renewed() }
            try #require(rename(path + ".away", path) == 0)
            #expect(socket.isInPlace)
            socket.remove()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `serving ends when its task is cancelled, a client or not`() async throws {
        try await withServer { other in
            let (server, options) = second(other)
            let (listening, isListening) = AsyncStream<Void>.makeStream()
            let socket = try ControlSocket(options)
            let task = Task { try await server.run(on: socket) { isListening.finish() } }
            for await _ in listening {}
            let client = try await RawClient.connect(to: options.socket)
            try await client.send("GET /v1/events?follow=true HTTP/1.1\r\nHost: gloss\r\n\r\n")
            _ = try await client.receive()
            task.cancel()
            _ = await task.result
            #expect(!FileManager.default.fileExists(atPath: options.socket))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a socket whose file was removed is made again, and its connections go on`() async throws {
        var limits = ControlLimits()
        limits.lookTime = .milliseconds(10)
        let request = "GET /v1/gaps HTTP/1.1\r\nHost: gloss\r\n\r\n"
        let socket = try await withServer(limits: limits) { server in
            let early = try await RawClient.connect(to: server.socket)
            try await early.send(request)
            _ = try await early.receive()
            for _ in 0..<2 {
                unlink(server.socket)
                var late: RawClient?
                while late == nil {
                    try await Task.sleep(for: .milliseconds(10))
                    late = try? await RawClient.connect(to: server.socket)
                }
                #expect(permissions(server.socket) == 0o660)
                try await late?.send(request)
                #expect(try await late?.receive().starts(with: Array("HTTP/1.1 200".utf8)) == true)
            }
            try await early.send(request)
            #expect(try await early.receive().starts(with: Array("HTTP/1.1 200".utf8)))
            await server.stop()
            return server.socket
        }
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a socket is not made again where another file stands`() async throws {
        var limits = ControlLimits()
        limits.lookTime = .milliseconds(10)
        try await withServer(limits: limits) { server in
            // At no time is there no file, which would be made again.
            let other = server.socket + ".other"
            try #require(FileManager.default.createFile(atPath: other, contents: nil))
            try #require(rename(other, server.socket) == 0)
            while !server.daemon.reports.contains(where: { $0.contains(" is gone") }) {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(FileManager.default.contents(atPath: server.socket) == Data())
            try FileManager.default.removeItem(atPath: server.socket)
            while !FileManager.default.fileExists(atPath: server.socket) {
                try await Task.sleep(for: .milliseconds(10))
            }
            await server.stop()
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
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    try #require(status == 0)
}
