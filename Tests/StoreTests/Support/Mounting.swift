import Foundation
import Testing

/// Whether file systems can be mounted here, which requires root and a container that permits it. In CI the tests
/// that need it must run.
let canMount: Bool = {
    guard getuid() == 0 else { return false }
    let folder = NSTemporaryDirectory() + "/gloss-mount-" + UUID().uuidString
    guard (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil else {
        return false
    }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    guard (try? run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)) == 0 else { return false }
    return (try? run("/usr/bin/umount", folder)) == 0
}()

let isCI = ProcessInfo.processInfo.environment["CI"] == "true"

extension Trait where Self == ConditionTrait {
    static var mounts: Self { .enabled(if: canMount || isCI, "mounting a small file system needs root") }
}

/// Runs `body` like `withStoreFolder`, on a file system of its own.
/// - Parameter limit: its size limit, as an option of `mount`.
func withSmallDisk(_ limit: String, _ body: (String) async throws -> Void) async throws {
    try #require(canMount, "CI must be able to mount, so that this is tested")
    try await withStoreFolder { folder in
        try #require(run("/usr/bin/mount", "-t", "tmpfs", "-o", limit, "tmpfs", folder) == 0)
        defer { _ = try? run("/usr/bin/umount", "-l", folder) }
        try await body(folder)
    }
}

/// Files that fill a disk to the last byte.
struct Ballast {
    private var files: [String] = []

    init(_ folder: String) throws {
        repeat {
            files.append("\(folder)/ballast\(files.count)")
        } while try run("/usr/bin/dd", "if=/dev/zero", "of=\(files[files.count - 1])", "bs=4096", "count=32") == 0
    }

    /// Frees a little room.
    mutating func shrink() throws {
        guard let file = files.popLast() else { return }
        try FileManager.default.removeItem(atPath: file)
    }
}
