import Glibc
import Model

/// A folder of definition files as one look at it finds it, without reading any of them.
struct FolderLook {
    /// Differs when a file has come, gone or been written since, or may not be read any more.
    private(set) var stamp = 0
    /// The definition files that are symbolic links.
    private(set) var links: [String] = []
    private(set) var isThere = false

    /// What `DictionaryFolder` would read.
    static func isDefinitionFile(_ name: String) -> Bool { name.hasSuffix(".md") && !name.hasPrefix(".") }

    init(_ path: String) {
        guard let folder = opendir(path) else {
            stamp = Int(errno)
            return
        }
        defer { closedir(folder) }
        isThere = true
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard Self.isDefinitionFile(name) else { continue }
            // The order in which a folder gives its names means nothing.
            stamp ^= fileStamp(name, in: path)
        }
    }

    private mutating func fileStamp(_ name: String, in folder: String) -> Int {
        var hasher = Hasher()
        name.hashExactly(into: &hasher)
        var status = stat()
        guard lstat("\(folder)/\(name)", &status) == 0 else { return hasher.finalize() }
        if status.st_mode & S_IFMT == S_IFLNK {
            links.append(name)
            guard stat("\(folder)/\(name)", &status) == 0 else { return hasher.finalize() }
        }
        hasher.combine(status.st_dev)
        hasher.combine(status.st_ino)
        hasher.combine(status.st_size)
        hasher.combine(status.st_mode)
        for time in [status.st_mtim, status.st_ctim] {
            hasher.combine(time.tv_sec)
            hasher.combine(time.tv_nsec)
        }
        return hasher.finalize()
    }
}
