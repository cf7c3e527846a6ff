import GRDBSQLite
import Glibc
import Linux
import Model
import Synchronization

/// SQLite's access to files, with a limit for all temporary files of this process together: the kernel's limit is one for each
/// file, and a statement has a file for each thing that it sorts.
/// - Source: https://www.sqlite.org/vfs.html
enum TemporaryFiles {
    /// The space on the disk that is left free, so that a store on the same disk goes on.
    private static let leastRoom: UInt64 = 512 << 20
    /// How much is written before the free space is looked at again.
    private static let step: Int64 = 1 << 20

    private struct State {
        var limit = Int64.max
        /// The sizes of the open files, by their addresses.
        var sizes: [UInt: Int64] = [:]
        var bytes: Int64 = 0
        /// What was written since the free space was looked at. It is looked at before anything is written.
        var unchecked = step
        var folder: String?
        var isDiskShort = false
    }

    private static let state = Mutex(State())
    /// SQLite's own, which stays as long as the process and is only called.
    nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)
    /// The system's methods of temporary files, and those with the limit: set with the first file, and then only read.
    nonisolated(unsafe) private static var systemMethods = sqlite3_io_methods()
    nonisolated(unsafe) private static let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)

    /// The name under which SQLite knows it; `nil` if it could not be registered.
    static let name: String? = {
        guard var vfs = system?.pointee else { return nil }
        let name = "gloss-temporary"
        vfs.zName = UnsafePointer(strdup(name))
        vfs.xOpen = { _, name, file, flags, outFlags in
            guard let system = TemporaryFiles.system, let file else { return SQLITE_CANTOPEN }
            let code = system.pointee.xOpen(system, name, file, flags, outFlags)
            // Every file is a temporary one, since the database is in memory.
            if code == SQLITE_OK { TemporaryFiles.add(file) }
            return code
        }
        let registered = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        registered.initialize(to: vfs)
        return sqlite3_vfs_register(registered, 0) == SQLITE_OK ? name : nil
    }()

    /// Sets the most bytes that the files may have together.
    static func limit(_ bytes: Int64) { state.withLock { $0.limit = bytes } }

    /// Whether a file could not grow because the disk is nearly full.
    static var isDiskShort: Bool { state.withLock { $0.isDiskShort } }

    private static func add(_ file: UnsafeMutablePointer<sqlite3_file>) {
        state.withLock { state in
            if state.folder == nil, let found = file.pointee.pMethods?.pointee {
                systemMethods = found
                methods.initialize(to: limited(found))
                state.folder = folder(file)
            }
            state.sizes[UInt(bitPattern: file)] = 0
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }

    private static func limited(_ methods: sqlite3_io_methods) -> sqlite3_io_methods {
        var methods = methods
        // Later versions can map a file into memory, and make it longer for that without writing.
        methods.iVersion = 1
        methods.xWrite = { file, bytes, count, offset in
            guard TemporaryFiles.hasRoom(file, upTo: offset + Int64(count)) else { return SQLITE_FULL }
            return TemporaryFiles.systemMethods.xWrite(file, bytes, count, offset)
        }
        methods.xClose = { file in
            TemporaryFiles.remove(file)
            return TemporaryFiles.systemMethods.xClose(file)
        }
        return methods
    }

    /// Returns where SQLite makes temporary files. They have no names, but it tells one that it would give.
    private static func folder(_ file: UnsafeMutablePointer<sqlite3_file>) -> String {
        var name: UnsafeMutablePointer<CChar>?
        _ = systemMethods.xFileControl(file, SQLITE_FCNTL_TEMPFILENAME, &name)
        defer { sqlite3_free(name) }
        let path = name.map { String(cString: $0) } ?? ""
        return path.lastIndex(of: "/").map { "\(path[..<$0])/" } ?? "."
    }

    /// Notes that a file grows, if it may.
    private static func hasRoom(_ file: UnsafeMutablePointer<sqlite3_file>?, upTo end: Int64) -> Bool {
        state.withLock { state in
            let address = UInt(bitPattern: file)
            let growth = end - (state.sizes[address] ?? 0)
            guard growth > 0 else { return true }
            guard state.bytes + growth <= state.limit else { return false }
            state.unchecked += growth
            if state.unchecked >= step, let folder = state.folder {
                state.isDiskShort = freeBytes(at: folder).map { $0 < leastRoom } ?? false
                guard !state.isDiskShort else { return false }
                state.unchecked = 0
            }
            state.bytes += growth
            state.sizes[address] = end
            return true
        }
    }

    private static func remove(_ file: UnsafeMutablePointer<sqlite3_file>?) {
        state.withLock { state in
            state.bytes -= state.sizes.removeValue(forKey: UInt(bitPattern: file)) ?? 0
        }
    }
}
