import Foundation

/// A folder that is removed with its contents at the end of the scope.
func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    // Short, since a socket's path has at most 107 bytes.
    let path = "/tmp/gloss-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    do {
        let result = try await body(path)
        try FileManager.default.removeItem(atPath: path)
        return result
    } catch {
        try? FileManager.default.removeItem(atPath: path)
        throw error
    }
}
