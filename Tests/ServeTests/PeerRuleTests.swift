import Foundation
import Glibc
import Testing

@testable import Serve

struct AdminRuleTests {
    @Test func `root, the daemon's own user and the group's members may change things`() {
        let rule = AdminRule(ownUID: 777, group: "adm")
        let adm = AdminRule.groupID(named: "adm")
        #expect(adm == 4)
        #expect(rule.allows(PeerCredentials(uid: 0, groups: [0])))
        #expect(rule.allows(PeerCredentials(uid: 777, groups: [777])))
        #expect(rule.allows(PeerCredentials(uid: 1000, groups: [1000, 4])))
        #expect(!rule.allows(PeerCredentials(uid: 1000, groups: [1000])))
    }

    @Test func `a group that does not exist lets nobody in`() {
        let rule = AdminRule(ownUID: 777, group: "no-such-group-here")
        #expect(!rule.allows(PeerCredentials(uid: 1000, groups: [1000])))
        #expect(!AdminRule(ownUID: 777, group: nil).allows(PeerCredentials(uid: 1000, groups: [0])))
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
            #expect(try await curl(["http://gloss/v1/gaps"], groups: groups, server) == "200")
            #expect(try await curl(["-X", "POST", "http://gloss/v1/reload"], groups: groups, server) == reload)
        }
    }
}

private func allowEntry(to socket: String) throws {
    let folder = (socket as NSString).deletingLastPathComponent
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder)
}

/// The status that the request of another user is answered with.
private func curl(_ arguments: [String], groups: [String], _ server: RunningServer) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments =
        ["--reuid=65534", "--regid=65534"] + groups
        + ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", server.socket] + arguments
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
