import Foundation

/// Where the programs are, and where what is generated for them is kept.
struct BenchPlace: Sendable {
    /// Beside this program.
    let programs: URL
    /// For journals, which are made once, and for what goes when it has been used.
    let work: URL

    init() throws {
        programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        work = programs.deletingLastPathComponent().appending(path: "bench")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    }

    /// The path of one of our programs.
    func program(_ name: String) -> String { programs.appending(path: name).path }

    /// A folder that is there for as long as `body` takes.
    func withFolder<Result>(_ name: String, _ body: (URL) async throws -> Result) async throws -> Result {
        let folder = work.appending(path: "\(name)-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
