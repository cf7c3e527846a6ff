internal import Glibc
internal import Model

/// Returns the bytes that unprivileged programs may still use on the file system of a path; `nil` when they are not known, or have
/// no limit.
/// - Source: statvfs(3)
package func freeBytes(at path: String) -> UInt64? {
    var status = statvfs()
    // A tmpfs without a limit has no number of blocks.
    guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
    return UInt64(status.f_bavail).times(clamped: UInt64(status.f_frsize))
}
