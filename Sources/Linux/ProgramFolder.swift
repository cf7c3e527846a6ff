internal import Glibc

/// Returns the folder of the program that this process runs; `nil` if it cannot be determined.
/// - Source: proc_pid_exe(5)
@Sendable
package func programFolder() -> String? { folder(ofLink: "/proc/self/exe") }

/// Returns the folder of the file that a symbolic link names, whether or not the file is there: a program that was replaced since it
/// was started is called `glossd (deleted)`.
/// - Source: readlink(2)
package func folder(ofLink link: String) -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &path, path.count)
    let text = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let slash = text.lastIndex(of: "/"), slash > text.startIndex else { return nil }
    return String(text[..<slash])
}
