import Glibc
import Linux
package import Model
import Synchronization

/// The folders of a journal in the file system.
/// - Source: systemd-journald.service(8), "Files"
struct JournalFolders {
    let location: JournalLocation
    private let roots: [String]
    private let machine: Machine

    /// - Parameters:
    ///   - roots: where journald has the folders of machines; in the first, all are of this one.
    ///   - machineIDPath: the file with the machine's id.
    init(
        _ location: JournalLocation, roots: [String] = ["/run/log/journal", "/var/log/journal"],
        machineIDPath: String = "/etc/machine-id"
    ) {
        (self.location, self.roots, machine) = (location, roots, Machine(machineIDPath))
    }

    private final class Machine: Sendable {
        private let path: String
        /// The id that was read last: one that cannot be read for a moment is still the same.
        private let known = Mutex<String?>(nil)

        init(_ path: String) { self.path = path }

        /// The machine's id; `nil` if it has none yet, as in some containers: the file is empty until then.
        var id: String? {
            let read = Self.beginning(of: path)
            return known.withLock { known in
                if let read, JournalFolders.isID(read) { known = read }
                return known
            }
        }

        /// - Returns: as much as an id has; `nil` when the file cannot be read.
        private static func beginning(of path: String) -> String? {
            guard let file = try? OpenFile(path: path) else { return nil }
            defer { file.close() }
            return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
                guard let count = try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0) else { return nil }
                return String(decoding: buffer[..<count], as: UTF8.self)
            }
        }
    }

    /// The folders of which at least one must exist for the journal to exist.
    var expected: [String] {
        let id = machine.id ?? "*"
        switch location {
        case .directory(let path): return [path]
        case .machine: return roots.map { "\($0)/\(id)" }
        case .namespace(let name): return roots.map { "\($0)/\(id).\(name)" }
        }
    }

    /// Returns its folders that exist, and the roots in which others may appear.
    func existing() -> [String] {
        switch location {
        case .directory(let path):
            isFolder(path) ? [path] + subfolders(of: path) { Self.isID($0) } : []
        case .machine: machineFolders { Self.isID($0) }
        case .namespace(let name):
            machineFolders { folder in
                folder.hasSuffix(".\(name)") && Self.isID(Substring(folder.utf8.dropLast(name.utf8.count + 1)))
            }
        }
    }

    /// Returns the folders with journals beside the covered ones: of other machines and namespaces, or within the
    /// folder that the settings name. Who names a namespace knows that the machine has other journals.
    func uncovered(besides existing: [String]) -> [String] {
        let parents: [String] =
            switch location {
            case .directory(let path): [path]
            case .machine: roots
            case .namespace: []
            }
        let covered = Set(exact: existing)
        return parents.flatMap { subfolders(of: $0) { _ in true } }.filter { folder in
            !covered.contains(ExactString(folder)) && Listing(folder).names.contains(where: Self.isJournal)
        }
    }

    private func machineFolders(where isCovered: (String) -> Bool) -> [String] {
        let machineID = machine.id
        return roots.flatMap { root -> [String] in
            guard isFolder(root) else { return [] }
            // Everything in /run belongs to this machine, whatever its name is.
            return [root]
                + subfolders(of: root) { name in
                    isCovered(name) && (root == roots[0] || machineID.map { name.hasPrefix($0) } ?? false)
                }
        }
    }

    /// Whether it is the folder that the settings name, with its subfolders.
    private var isOneFolder: Bool { if case .directory = location { true } else { false } }

    private func subfolders(of folder: String, where isWanted: (String) -> Bool) -> [String] {
        Listing(folder).names.filter(isWanted).map { "\(folder)/\($0)" }.filter(isFolder).sorted()
    }

    private static func isID(_ name: some StringProtocol) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy { hexadecimalValue(of: $0) != nil }
    }

    private static func isJournal(_ name: String) -> Bool { name.hasSuffix(".journal") || name.hasSuffix(".journal~") }

    // MARK: Looking

    /// The folders and files at one moment.
    struct Look {
        /// Whether there is a folder to read.
        var isThere = true
        /// The folders that can be read.
        var folders: [String] = []
        var files: [String] = []
        /// Files that will never be read.
        var unreadable: [JournalHealth.Problem] = []
        /// The folders that are missing or cannot be read.
        var problems: [JournalHealth.Problem] = []
    }

    /// - Parameter existing: the result of a recent call of `existing()`, if there was one.
    func look(into existing: [String]? = nil) -> Look {
        let existing = existing ?? self.existing()
        var look = Look()
        if existing.isEmpty || !isOneFolder && existing.allSatisfy(roots.contains) {
            look.isThere = false
            let missing = expected.joined(separator: " or ")
            let reason = "there is no such folder, or it cannot be read"
            look.problems.append(.init(path: missing, reason: reason))
        }
        for folder in existing {
            guard access(folder, R_OK | X_OK) == 0 else {
                look.problems.append(.init(path: folder, reason: errnoText(errno)))
                continue
            }
            let listing = Listing(folder)
            look.folders.append(folder)
            look.files += listing.names.filter(Self.isJournal).map { "\(folder)/\($0)" }
            for name in listing.unreadable where Self.isJournal(name) {
                look.unreadable.append(.init(path: "\(folder)/\(name)", reason: "its name is not UTF-8: rename it"))
            }
            if listing.error != 0 { look.problems.append(.init(path: folder, reason: errnoText(listing.error))) }
        }
        return look
    }
}

extension JournalLocation {
    /// The folders of which one must exist, and why nothing is read; `nil` if one does.
    package var absence: JournalHealth.Problem? {
        let look = JournalFolders(self).look()
        return look.isThere ? nil : look.problems.first
    }
}

/// The names in a folder.
private struct Listing {
    var names: [String] = []
    /// Names that are not UTF-8, with U+FFFD for what is not.
    var unreadable: [String] = []
    /// The errno if some names may be missing, otherwise 0.
    var error: Int32 = 0

    init(_ folder: String) {
        do throws(OpenFolder.Failure) {
            try OpenFolder(folder).forEachName { name, isText in
                if !isText { unreadable.append(name) } else if name != "." && name != ".." { names.append(name) }
            }
        } catch {
            self.error = error.code
        }
    }
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
