import API
import Model
import Queries

/// The files of a version of a dictionary as the body of a response. Together they may have hundreds of megabytes, so
/// each is read when those before it were taken.
struct DictionaryFilesBody: Sendable {
    let dictionary: String
    let version: String
    let names: [(name: String, bytes: Int)]
    let memory: StreamMemory
    /// Reads one file; `nil` when it is not kept any more.
    let file: @Sendable (_ name: String) async throws -> DefinitionFile?

    /// - Parameter chunkBytes: small files are written together until they have so many.
    /// - Throws: when the connection is gone, or a file: then the client sees that the body ends too early.
    func write(to body: consuming PacedBody, chunkBytes: Int) async throws {
        var reply = DictionaryFilesWriter(dictionary: dictionary, version: version)
        for (name, bytes) in names {
            // Whoever waits for memory holds none.
            if reply.pendingBytes + bytes > chunkBytes { try await body.write(reply.take()) }
            let share = bytes > chunkBytes ? try await memory.take(EventSource.copies * bytes) : nil
            guard let file = try await file(name) else { throw FileIsGone() }
            reply.append(file)
            if reply.pendingBytes >= chunkBytes { try await body.write(reply.take()) }
            withExtendedLifetime(share) {}
        }
        reply.finish()
        try await body.write(reply.take())
        try await body.finish()
    }

    /// The version was retired while it was on its way.
    struct FileIsGone: Error {}
}
