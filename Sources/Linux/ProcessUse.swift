internal import Glibc

/// What this process uses of the machine. What cannot be read is `nil`.
/// - Source: proc_pid_status(5), getrlimit(2), clock_gettime(2)
package struct ProcessUse: Sendable, Hashable {
    /// The memory that is in RAM, with the pages of files that are mapped.
    package var residentBytes: UInt64?
    /// The part of it that is no file's.
    package var anonymousBytes: UInt64?
    package var virtualBytes: UInt64?
    /// The time of the processor, in seconds.
    package var processorSeconds: Double?
    package var openDescriptors: Int?
    package var maximumDescriptors: UInt64?

    package init() {}

    package static func now() -> ProcessUse {
        var use = ProcessUse()
        let status = status()
        use.residentBytes = bytes("VmRSS:", in: status)
        use.anonymousBytes = bytes("RssAnon:", in: status)
        use.virtualBytes = bytes("VmSize:", in: status)
        var time = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
            use.processorSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        use.openDescriptors = openFiles()
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            use.maximumDescriptors = UInt64(limit.rlim_cur)
        }
        return use
    }

    /// The memory that is in RAM and no file's, in bytes.
    static func anonymousBytes() -> UInt64? { bytes("RssAnon:", in: status()) }

    /// Returns a size of /proc/self/status in bytes.
    static func bytes(_ name: String, in status: String) -> UInt64? {
        for line in status.split(separator: "\n") where line.hasPrefix(name) {
            let words = line.dropFirst(name.utf8.count).split { $0 == " " || $0 == "\t" }
            guard words.count == 2, words[1] == "kB" else { return nil }
            return words.first.flatMap { UInt64($0) }.map { $0 << 10 }
        }
        return nil
    }

    private static func status() -> String {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        // It has about 1.5 KB.
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = read(file, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    private static func openFiles() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Not the two names of folders, nor the folder that is being read.
        return max(count - 3, 0)
    }
}
