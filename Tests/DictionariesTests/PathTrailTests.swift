import Foundation
import TestSupport
import Testing

@testable import Dictionaries

struct PathTrailTests {
    /// `~` stands for the temporary folder.
    private func trail(_ path: String, _ make: (URL) throws -> Void) async throws -> (steps: [String], end: String?) {
        try await withTemporaryFolder { folder in
            let root = folder.resolvingSymlinksInPath()
            try make(root)
            let trail = PathTrail(root.path + "/" + path)
            func short(_ path: String) -> String { path.replacing(root.path, with: "~") }
            return (trail.steps.map { short("\($0.folder)/\($0.name)") }, trail.end.map(short))
        }
    }

    private func folder(_ path: String, _ root: URL) throws {
        try FileManager.default.createDirectory(at: root.appending(path: path), withIntermediateDirectories: true)
    }

    private func link(_ path: String, _ target: String, _ root: URL) throws {
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: path).path, withDestinationPath: target)
    }

    @Test func `a plain folder can be replaced in its parent`() async throws {
        let (steps, end) = try await trail("a/./b/") { try folder("a/b", $0) }
        #expect(steps == ["~/a/b"])
        #expect(end == "~/a/b")
    }

    @Test func `every link on the way counts`() async throws {
        let (steps, end) = try await trail("current/b") { root in
            try folder("v1/b", root)
            try link("v", "v1", root)
            try link("current", "../\(root.lastPathComponent)/v", root)
        }
        #expect(steps == ["~/current", "~/v", "~/v1/b"])
        #expect(end == "~/v1/b")
    }

    @Test func `the first name that is missing is what is waited for`() async throws {
        let (steps, end) = try await trail("a/b/c") { try folder("a", $0) }
        #expect(steps == ["~/a/b"])
        #expect(end == nil)
    }

    @Test func `a link to nowhere waits for its target as well`() async throws {
        let (steps, end) = try await trail("a") { try link("a", "gone/away", $0) }
        #expect(steps == ["~/a", "~/gone"])
        #expect(end == nil)
    }

    @Test func `links in a circle lead nowhere`() async throws {
        let (steps, end) = try await trail("a/x") { root in
            try link("a", "b", root)
            try link("b", "a", root)
        }
        #expect(Set(steps) == ["~/a", "~/b"])
        #expect(end == nil)
    }
}
