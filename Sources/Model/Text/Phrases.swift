internal import Glibc

/// Returns what the system says about a value of `errno`, such as `No such file or directory`.
///
/// `strerror` keeps its text by thread, since glibc 2.32.
package func errnoText(_ code: Int32) -> String { String(cString: strerror(code)) }

extension Int {
    /// Returns a number of things: `1 event`, `2 events`.
    /// - Parameter plural: that of a noun that takes more than an s.
    package func counted(_ noun: String, plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? "\(noun)s")"
    }
}
