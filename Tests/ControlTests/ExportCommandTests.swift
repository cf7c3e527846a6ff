import Foundation
import Model
import TestSupport
import Testing

@testable import Control

struct ExportCommandTests {
    @Test(arguments: ["-journal", "-wal"], [true, false])
    func `what is left of an older file is not applied to a new one`(suffix: String, isThere: Bool) async throws {
        let daemon = try FakeDaemon { _ in .problem(500, "not to be asked") }
        defer { daemon.stop() }
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "x.sqlite").path
            if isThere { try Data("old".utf8).write(to: URL(filePath: file)) }
            try Data("journal".utf8).write(to: URL(filePath: file + suffix))
            let run = await Run.glossctl("--socket", daemon.socket, "export", "--sqlite", file, "--force")
            #expect(run.status == .no && run.errors.contains("\(file)\(suffix) is there"), "\(run.errors)")
            #expect(daemon.requests.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: file) || isThere)
        }
    }
}
