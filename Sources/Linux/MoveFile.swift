internal import Glibc

/// Gives a file that is complete its name, once its contents are on the disk: after a power failure, neither is the name that of a
/// part, nor is the file gone that was replaced.
/// - Parameter replaces: whether a file that has the name is replaced.
/// - Returns: zero, or the error number, `EEXIST` for a name that must not be replaced.
/// - Source: rename(2); link(2), which replaces nothing
package func moveFile(_ path: String, to name: String, replaces: Bool) -> Int32 {
    let code = sync(path)
    guard code == 0 else { return code }
    if !replaces {
        if link(path, name) == 0 {
            unlink(path)
            return 0
        }
        // Some file systems have no links.
        guard [EPERM, EOPNOTSUPP, EMLINK].contains(errno) else { return errno }
        if access(name, F_OK) == 0 { return EEXIST }
    }
    return rename(path, name) == 0 ? 0 : errno
}

private func sync(_ path: String) -> Int32 {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return errno }
    defer { close(file) }
    // Some file systems cannot.
    return fsync(file) == 0 || [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) ? 0 : errno
}
