import TestSupport
import API
import Foundation
import Glibc
import Store
import Testing

@testable import Serve

struct PeerRuleTests {
    @Test func `root, the daemon's own user and the group's members may change things`() {
        let rule = PeerRule(ownUID: 777, groups: ["no-such-group-here", "adm"])
        let adm = PeerRule.groupID(named: "adm")
        #expect(adm == 4)
        #expect(rule.allows(PeerCredentials(uid: 0, groups: [0])))
        #expect(rule.allows(PeerCredentials(uid: 777, groups: [777])))
        #expect(rule.allows(PeerCredentials(uid: 1000, groups: [1000, 4])))
        #expect(!rule.allows(PeerCredentials(uid: 1000, groups: [1000])))
    }

    @Test func `a group that does not exist lets nobody in`() {
        let rule = PeerRule(ownUID: 777, groups: ["no-such-group-here"])
        #expect(!rule.allows(PeerCredentials(uid: 1000, groups: [1000])))
        #expect(!PeerRule(ownUID: 777, groups: []).allows(PeerCredentials(uid: 1000, groups: [0])))
    }

    @Test func `a refusal names those with permission`() {
        #expect("\(PeerRule(groups: []))" == "Only root and the user that glossd runs as")
        #expect("\(PeerRule(groups: ["a"]))" == "Only root, the user that glossd runs as, and members of a")
        #expect("\(PeerRule(groups: ["a", "b", "c"]))".hasSuffix(" runs as, and members of a, b or c"))
    }

    @Test func `that a client is unknown is not taken for a fault of the socket's path`() {
        let error = #expect(throws: PeerCredentials.Unknown.self) { try PeerCredentials.read(descriptor: -1) }
        #expect(error?.reason == "SO_PEERCRED: Bad file descriptor")
    }

    /// As another user, which only root can become.
    @Test(
        .enabled("needs root to become another user") { geteuid() == 0 },
        arguments: [
            (["--clear-groups"], "withheld"),
            // adm, whose members may read the journal.
            (["--groups", "4"], "present"),
        ])
    func `the fields of an entry are for callers that may read the journal`(
        groups: [String], state: String
    ) async throws {
        try await withServer(mode: 0o666) { server in
            try allowEntry(to: server.socket)
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            let reply = try await curl(["http://gloss/v1/events/1"], groups: groups, server)
            #expect(reply.contains(#""state":"\#(state)""#), "\(reply)")
            #expect(reply.contains("PRIORITY") == (state == "present"))
            #expect(reply.contains(#""payload":{"#), "the event itself is for all callers")
            if case .withheld(let reason) = try EventDetail.parse(Array(reply.utf8)).journal {
                #expect(reason.hasSuffix("and members of systemd-journal or adm may see them."))
            }
        }
    }

    /// As another user, which only root can become.
    @Test(
        .enabled("needs root to become another user") { geteuid() == 0 },
        arguments: [
            (["--clear-groups"], "403"),
            // adm, as a supplementary group.
            (["--groups", "4"], "200"),
        ])
    func `another user may ask, and change things only as a member of the group`(
        groups: [String], reload: String
    ) async throws {
        try await withServer(adminGroup: "adm", mode: 0o666) { server in
            try allowEntry(to: server.socket)
            #expect(try await curl(status + ["http://gloss/v1/gaps"], groups: groups, server) == "200")
            #expect(
                try await curl(status + ["-X", "POST", "http://gloss/v1/reload"], groups: groups, server) == reload)
        }
    }
}

private func allowEntry(to socket: String) throws {
    let folder = (socket as NSString).deletingLastPathComponent
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder)
}

/// For `curl`: only the status.
private let status = ["-o", "/dev/null", "-w", "%{http_code}"]

/// What the request of another user is answered with.
private func curl(_ arguments: [String], groups: [String], _ server: RunningServer) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments =
        ["--reuid=65534", "--regid=65534"] + groups
        + ["curl", "-s", "--unix-socket", server.socket] + arguments
    let output = Pipe()
    process.standardOutput = output
    return try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { _ in
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            continuation.resume(returning: text)
        }
        do { try process.run() } catch { continuation.resume(throwing: error) }
    }
}
