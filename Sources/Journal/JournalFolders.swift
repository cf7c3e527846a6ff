import Glibc
import Model

/// The folders that make up a journal, looked up in the file system: libsystemd tells neither which ones it reads nor
/// what it could not read in them.
/// - Source: systemd-journald.service(8), "Files"; sd_journal_open(3)
struct JournalFolders {
    private static let roots = ["/run/log/journal", "/var/log/journal"]

    let location: JournalLocation
    /// `nil` where the machine has none yet, as in some containers.
    private let machineID: String?

    init(_ location: JournalLocation) {
        self.location = location
        machineID = readFile("/etc/machine-id", limit: 64).map { String(decoding: $0.prefix(32), as: UTF8.self) }
    }

    /// What would have to be there for the journal to be there: one of these folders.
    var expected: [String] {
        switch location {
        case .directory(let path): [path]
        case .machine: Self.roots.map { "\($0)/\(machineID ?? "*")" }
        case .namespace(let name): Self.roots.map { "\($0)/\(machineID ?? "*").\(name)" }
        }
    }

    /// The folders that libsystemd reads at this moment. It watches the roots as well, so a change of this list that it
    /// could not notice (a root that was not there, a namespace's folder) needs the journal to be opened anew.
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

    /// Those of them that it may read. Others it passes over, also where they may be read later.
    func readable() -> [String] { existing().filter { access($0, R_OK | X_OK) == 0 } }

    /// The journal files in them, of whatever machine.
    func files() -> [String] { readable().flatMap(Self.files) }

    private static func files(in folder: String) -> [String] {
        names(in: folder).filter { $0.hasSuffix(".journal") || $0.hasSuffix(".journal~") }.map { "\(folder)/\($0)" }
    }

    /// Folders with journals that this location does not cover: other namespaces, what other machines sent.
    func uncovered() -> [String] {
        guard location == .machine else { return [] }
        return Self.roots.flatMap { root in subfolders(of: root) { $0.contains(".") || $0 == "remote" } }
    }

    private func machineFolders(where isCovered: (String) -> Bool) -> [String] {
        Self.roots.flatMap { root -> [String] in
            guard isFolder(root) else { return [] }
            // What lies in /run is of this machine, whatever it is called.
            return [root]
                + subfolders(of: root) { name in
                    isCovered(name) && (root == Self.roots[0] || machineID.map { name.hasPrefix($0) } ?? false)
                }
        }
    }

    private func subfolders(of folder: String, where isWanted: (String) -> Bool) -> [String] {
        names(in: folder).filter(isWanted).map { "\(folder)/\($0)" }.filter(isFolder).sorted()
    }

    private static func isID(_ name: some StringProtocol) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy { hexadecimalValue(of: $0) != nil }
    }

    // MARK: Health

    /// Names each folder and file that is not read although it should be, once.
    func health() -> JournalHealth {
        var health = JournalHealth(uncovered: uncovered())
        let folders = existing()
        if folders.isEmpty || folders.allSatisfy(Self.roots.contains) {
            let missing = expected.joined(separator: " or ")
            let reason = "there is no such folder, or it may not be looked into"
            health.problems.append(.init(path: missing, reason: reason))
        }
        for folder in folders {
            guard access(folder, R_OK | X_OK) == 0 else {
                health.problems.append(.init(path: folder, reason: errorText(errno)))
                continue
            }
            for path in Self.files(in: folder) {
                switch Self.reasonNotToRead(path) {
                case .some(let reason): health.problems.append(.init(path: path, reason: reason))
                case .none: health.readableFiles += 1
                }
            }
        }
        if health.readableFiles == 0, health.problems.isEmpty {
            let reason = "there are no journal files in it"
            health.problems.append(.init(path: expected.joined(separator: " or "), reason: reason))
        }
        health.problems.sort { $0.path < $1.path }
        return health
    }

    private static func reasonNotToRead(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ENOENT ? nil : errorText(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return "it is a folder, not a journal file"
        case S_IFIFO: return "it is a pipe, not a journal file"
        default: return "it is not a regular file"
        }
        if status.st_size == 0 { return "it is empty" }
        switch JournalHandle.refusal(ofFile: path) {
        case nil, ENOENT: return nil
        case ENODATA: return "it is too short for a journal file"
        case EBADMSG: return "it is damaged, or not a journal file"
        case EPROTONOSUPPORT: return "it was written by a newer systemd in a form that this machine's cannot read"
        case .some(let errno): return errorText(errno)
        }
    }
}

/// The names of a folder's entries; empty when it cannot be read.
func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// At most `limit` bytes of a file; `nil` when it cannot be read.
func readFile(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        while count < limit {
            let step = read(descriptor, buffer.baseAddress! + count, limit - count)
            if step <= 0 { break }
            count += step
        }
    }
}
