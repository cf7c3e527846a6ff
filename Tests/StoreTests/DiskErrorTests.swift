import Foundation
import GRDB
import Glibc
import Model
import Testing

@testable import Store

/// A disk that refuses to read or write: descriptors of the database are replaced by ones for which the kernel refuses it.
struct DiskErrorTests {
    /// Runs `body` while this process' descriptors for the file are those of another one, opened for reading.
    private func replacing(_ path: String, by other: String, _ body: () async throws -> Void) async throws {
        let replacement = open(other, O_RDONLY | O_CLOEXEC)
        try #require(replacement >= 0)
        defer { close(replacement) }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
            .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
        try #require(!descriptors.isEmpty)
        let kept = descriptors.map { ($0, dup($0)) }
        for descriptor in descriptors { dup2(replacement, descriptor) }
        defer {
            for (descriptor, copy) in kept {
                dup2(copy, descriptor)
                close(copy)
            }
        }
        try await body()
    }

    @Test func `what the disk refuses to read is no damage, and is over when it can be read`() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/events.sqlite"
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(9000, payloadBytes: 300), journal: "machine")
            // The log has no page any more: readers take those of the file.
            _ = try await store.database.write { try $0.checkpoint(.truncate) }
            // Nothing is mapped at its beginning.
            try await replacing(path, by: "/proc/self/mem") {
                let error = await storeError { _ = try await store.all() }
                #expect(error?.kind == .disk && error?.hint != nil)
                let text = try #require(error?.description)
                #expect(text.contains("the disk cannot be read (") && text.contains("Input/output error"), "\(text)")
                #expect(store.diskError?.description == error?.description)
            }
            #expect(same(try await store.all(), journal.events))
            #expect(store.diskError == nil && store.damage == nil)
            await store.close()
        }
    }

    @Test func `a log that cannot be copied does not hide the next damage`() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/events.sqlite"
            let store = try await EventStore.open(folder, maximumBytes: 4 << 20)
            try await replacing(path, by: path) {
                let error = await storeError {
                    try await store.database.write { [bytes = store.limit.walBytes] db in
                        try db.execute(sql: "CREATE TABLE t AS SELECT zeroblob(\(bytes))")
                        throw DatabaseError.damaged("a row")
                    }
                }
                #expect(error?.kind == .corrupt, "after a commit")
                try await store.database.write { db in
                    _ = #expect(throws: DatabaseError.self) { try db.checkpoint(.truncate) }
                }
            }
            let error = await storeError {
                try await store.database.write { _ in throw DatabaseError.damaged("a row") }
            }
            #expect(error?.kind == .corrupt, "after another call")
            #expect(store.damage != nil && store.diskError == nil)
            await store.close()
        }
    }

    @Test func `what the disk refuses to write is not saved, and can be saved when it can be written`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            let (log, batch) = (folder + "/events.sqlite-wal", journal.batch(10))
            try await replacing(log, by: log) {
                let error = await storeError { try await store.save(batch, journal: "machine") }
                #expect(error?.kind == .disk && error?.hint != nil)
                let text = try #require(error?.description)
                #expect(text.contains("the disk cannot be written"), "\(text)")
                #expect(text.contains("Bad file descriptor"), "\(text)")
                #expect(store.diskError != nil)
            }
            #expect(same(try await store.all(), journal.events.dropLast(10)))
            try await store.save(batch, journal: "machine")
            #expect(same(try await store.all(), journal.events))
            #expect(store.diskError == nil)
            await store.close()
        }
    }

    @Test(arguments: [(EDQUOT, StoreError.Kind.full), (ENOSPC, .full), (EIO, .disk), (EFBIG, .disk), (EROFS, .disk)])
    func `an exceeded quota is a full disk, and other errors of writing are the disk's`(
        code: Int32, kind: StoreError.Kind
    ) async throws {
        try await withStoreFolder { folder in
            let file = try StoreFile(path: folder + "/events.sqlite")
            let error = StoreError(DatabaseError(resultCode: .SQLITE_IOERR_WRITE), file: file, systemError: code)
            #expect(error.kind == kind && error.isOfDisk == (kind == .full) && error.hint != nil)
            #expect(error.description.contains(", \(errnoText(code)), SQLite's code 778"), "\(error)")
        }
    }
}
