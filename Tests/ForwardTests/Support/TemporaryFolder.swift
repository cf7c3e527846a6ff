import Foundation

struct TemporaryFolder: Sendable {
    let root: String

    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// - Returns: the file's path.
    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }
}

/// A folder of its own for a test, removed behind it.
func withTemporaryFolder<Result>(_ body: (TemporaryFolder) async throws -> Result) async throws -> Result {
    let root = FileManager.default.temporaryDirectory.appending(path: "gloss-forward-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    return try await body(TemporaryFolder(root: root))
}
