import Foundation

/// Whether file systems can be mounted here, which takes root and a container that allows it. In CI the tests that need
/// it must run.
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
