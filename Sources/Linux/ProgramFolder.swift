internal import Glibc

/// Returns the folder of the program that this process runs; `nil` if it cannot be determined.
/// - Source: proc_pid_exe(5)
@Sendable
package func programFolder() -> String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    let text = String(cString: path)
    guard let slash = text.lastIndex(of: "/"), slash > text.startIndex else { return nil }
    return String(text[..<slash])
}
