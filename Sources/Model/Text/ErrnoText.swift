internal import Glibc

/// Returns what the system says about a value of `errno`, such as `No such file or directory`.
///
/// `strerror` keeps its text by thread, since glibc 2.32.
package func errnoText(_ code: Int32) -> String { String(cString: strerror(code)) }
