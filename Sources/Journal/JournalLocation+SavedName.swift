import Glibc
package import Model

extension JournalLocation {
    /// The name under which the position in the journal is saved. It does not depend on how the path of a folder is written.
    package var savedName: String {
        guard case .directory(let path) = self else { return name }
        return JournalLocation.directory(Self.plain(path)).name
    }

    /// Returns the path without links, as far as there are such folders, and without `//`, `/.` and a slash at the end.
    private static func plain(_ path: String) -> String {
        var (folders, rest) = (path.split(separator: "/").filter { $0 != "." }[...], [Substring]())
        while !folders.isEmpty {
            if let known = realpath("/" + folders.joined(separator: "/"), nil) {
                defer { free(known) }
                return ([String(cString: known)] + rest.reversed().map(String.init)).joined(separator: "/")
            }
            rest.append(folders.removeLast())
        }
        return "/" + rest.reversed().joined(separator: "/")
    }
}
