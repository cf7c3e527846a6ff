import Glibc
package import Model

extension JournalLocation {
    /// The names under which the position in the journal may be saved. They do not depend on how the path of a folder is
    /// written. A new position is saved under the first, which is by the path without links. The position may be saved under
    /// another one if a folder has become a link since, or if what a link leads to was not there.
    package var savedNames: [String] {
        guard case .directory(let path) = self else { return [name] }
        let folders = path.split(separator: "/").filter { $0 != "." }
        return (0...folders.count).reversed().reduce(into: []) { names, count in
            guard let known = Self.withoutLinks("/" + folders[..<count].joined(separator: "/")) else { return }
            let plain = (known == "/" ? "" : known) + folders[count...].map { "/\($0)" }.joined()
            let name = JournalLocation.directory(plain.isEmpty ? "/" : plain).name
            if !names.contains(name) { names.append(name) }
        }
    }

    /// - Returns: `nil` when there is no such folder.
    private static func withoutLinks(_ path: String) -> String? {
        guard let known = realpath(path, nil) else { return nil }
        defer { free(known) }
        return String(cString: known)
    }
}
