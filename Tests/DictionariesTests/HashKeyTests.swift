import Foundation
import Glibc
import TestSupport
import Testing

@testable import Dictionaries

struct HashKeyTests {
    /// What the start says to a key, which must be what a look at it says.
    private func failure(_ prepare: (String) throws -> Void) async throws -> HashKey.Failure? {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: HashKey.fileName).path
            try prepare(path)
            let place = StateFolder(ofStore: folder.appending(path: "events.sqlite").path)
            let seen = #expect(throws: HashKey.Failure.self) { try HashKey.look(in: place) }
            do {
                _ = try HashKey(in: place)
                return nil
            } catch let failure as HashKey.Failure {
                #expect(seen?.description == failure.description && failure.isLasting)
                return failure
            }
        }
    }

    private func write(_ count: Int, _ path: String, mode: Int) throws {
        try Data(repeating: 7, count: count).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func `it is made once, readable by nobody else, and stays the same`() async throws {
        try await withTemporaryFolder { folder in
            let store = folder.appending(path: "events.sqlite").path
            let unseen = try HashKey.look(in: StateFolder(ofStore: store))
            #expect(try unseen == nil && FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            let key = try HashKey(in: StateFolder(ofStore: store))
            let unknown = try HashKey.look(in: StateFolder(ofStore: store))
            #expect(unknown == nil)
            #expect(key.bytes.count == 32)
            #expect(Set(key.bytes).count > 8, "not random")
            let path = folder.appending(path: HashKey.fileName).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try HashKey(in: StateFolder(ofStore: store))
            #expect(again.bytes == key.bytes)
            #expect(key.isNew && !again.isNew)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [HashKey.fileName])
        }
    }

    @Test func `daemons that start at the same time in one folder have one key`() async throws {
        for _ in 0..<50 {
            try await withTemporaryFolder { folder in
                let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                    for number in 0..<8 {
                        let store = folder.appending(path: "\(number).sqlite").path
                        group.addTask { try HashKey(in: StateFolder(ofStore: store)).bytes }
                    }
                    return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
                }
                #expect(keys.count == 1)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [HashKey.fileName])
            }
        }
    }

    @Test func `a store that is a link has its key where the file is`() async throws {
        try await withTemporaryFolder { folder in
            let real = folder.appending(path: "real")
            try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
            try Data().write(to: real.appending(path: "events.sqlite"))
            let link = folder.appending(path: "events.sqlite").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real/events.sqlite")
            let key = try HashKey(in: StateFolder(ofStore: link))
            #expect(try Data(contentsOf: real.appending(path: HashKey.fileName)) == Data(key.bytes))
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660])
    func `a key that others may read is refused`(mode: Int) async throws {
        let failure = try #require(try await failure { try write(32, $0, mode: mode) })
        #expect(failure.description.contains("can be read by others"))
        #expect(failure.hint.contains("chmod 600"))
    }

    @Test(.enabled("needs root to give a file away") { geteuid() == 0 })
    func `another user's key is refused`() async throws {
        let failure = try await failure { path in
            try write(32, path, mode: 0o600)
            try #require(chown(path, 65_534, 65_534) == 0)
        }
        #expect(failure?.description.hasSuffix("\(HashKey.fileName) belongs to another user (65534)") == true)
        #expect(failure?.hint.contains("chown") == true)
    }

    @Test(.enabled("needs root to give a file away") { geteuid() == 0 })
    func `a look by another user finds nothing wrong with the key of the folder's owner`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: HashKey.fileName).path
            try write(32, path, mode: 0o600)
            try #require(chown(path, 65_534, 65_534) == 0 && chown(folder.path, 65_534, 65_534) == 0)
            let place = StateFolder(ofStore: folder.appending(path: "events.sqlite").path)
            let unknown = try HashKey.look(in: place)
            #expect(unknown == nil)
            #expect(throws: HashKey.Failure.self) { try HashKey(in: place) }
        }
    }

    @Test(arguments: [0, 31, 33])
    func `a key of another size is refused`(size: Int) async throws {
        let failure = try #require(try await failure { try write(size, $0, mode: 0o600) })
        #expect(failure.description.contains("has \(size) bytes instead of 32"))
    }

    @Test func `what is not a regular file is refused, without waiting for it`() async throws {
        let isFolder = try await failure { path in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        #expect(isFolder?.description.contains("not a regular file") == true)
        let isPipe = try await failure { #expect(mkfifo($0, 0o600) == 0) }
        #expect(isPipe?.description.contains("not a regular file") == true)
        let isLink = try await failure { path in
            try write(32, path + ".real", mode: 0o600)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        }
        #expect(isLink?.description.contains("symbolic link") == true)
    }

    @Test func `a folder that cannot be written is reported`() async throws {
        do {
            _ = try HashKey(in: StateFolder(ofStore: "/proc/self/events.sqlite"))
            Issue.record("there should be no key")
        } catch {
            #expect(error.description.contains("cannot be made: open"))
        }
    }
}
