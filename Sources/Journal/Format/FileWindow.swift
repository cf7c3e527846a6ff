import Glibc

/// Bytes that are read by offset: a file, or an array in tests.
protocol ByteSource {
    /// Reads as many bytes as the buffer has, fewer only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FormatError) -> Int
}

struct OpenFile: ByteSource {
    let descriptor: CInt

    /// - Throws: `FormatError.io`
    init(path: String) throws(FormatError) {
        // Opening a pipe that somebody put there must not block.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .io(errno: errno) }
    }

    /// Closes the file. The caller that opened it must call this exactly once.
    func close() { _ = Glibc.close(descriptor) }

    /// - Throws: `FormatError`.
    func header() throws(FormatError) -> FileHeader {
        var bytes = InlineArray<272, UInt8>(repeating: 0)
        var span = bytes.mutableSpan
        return try span.withUnsafeMutableBytes { buffer throws(FormatError) in
            let count = try read(into: buffer, at: 0)
            return try FileHeader(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
        }
    }

    static func stamp(path: String) throws(FormatError) -> FileStamp {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason = errno
            throw reason == ENOENT && lstat(path, &status) == 0 ? .notAFile("a link to nothing") : .io(errno: reason)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .notAFile("a folder")
        case S_IFIFO: throw .notAFile("a pipe")
        default: throw .notAFile("a device or a socket")
        }
        return FileStamp(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), bytes: UInt64(max(0, status.st_size)),
            modified: [Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec)])
    }

    /// Returns the size in bytes.
    func size() throws(FormatError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .io(errno: errno) }
        return UInt64(max(0, status.st_size))
    }

    /// Whether the file has less than its header says and was written to a moment ago: it is being copied.
    func isUnfinished(_ header: FileHeader) -> Bool {
        var status = stat()
        guard header.arenaBytes < Self.largestArena, fstat(descriptor, &status) == 0, status.st_nlink > 0,
            UInt64(max(0, status.st_size)) < header.headerBytes + header.arenaBytes || lacksTail(header)
        else { return false }
        // The kernel's time of a change may be a tick ahead of `time`, and that of another machine's disk more.
        let now = time(nil)
        return (now - Self.pause...now + Self.pause).contains(status.st_mtim.tv_sec)
    }

    /// Whether there are zeros in the place of the last object: the file got its size before its content, or its header before
    /// its new entries. journald makes a file as large as its header says, and writes an object, before the header names it.
    func lacksTail(_ header: FileHeader) -> Bool {
        let place = header.tailObject
        guard place >= header.headerBytes, place < Self.largestArena else { return false }
        var bytes = InlineArray<16, UInt8>(repeating: 0)
        var span = bytes.mutableSpan
        return span.withUnsafeMutableBytes { buffer in
            guard (try? read(into: buffer, at: place)) == buffer.count else { return false }
            // Its size comes after its type.
            guard let head = ObjectHead(UnsafeRawBufferPointer(buffer).bytes) else {
                return buffer[8...].allSatisfy { $0 == 0 }
            }
            // An entry may be there in part. Its last reference is not zero.
            let item = header.layout.entryItemBytes
            guard head.kind == .entry, head.size >= UInt64(EntryHead.bytes + item), head.size < Self.largestArena else {
                return false
            }
            let last = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(item, 8)])
            return (try? read(into: last, at: place + head.size - UInt64(item))) == last.count
                && last.allSatisfy { $0 == 0 }
        }
    }

    /// A larger number in a header is damaged.
    private static let largestArena: UInt64 = 1 << 36
    /// In seconds. A file to which nothing was written for so long was cut off.
    private static let pause = 10

    /// Whether the file was deleted.
    var hasNoName: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FormatError) -> Int {
        guard let base = buffer.baseAddress, let start = off_t(exactly: offset) else { return 0 }
        var count = 0
        while count < buffer.count {
            let step = pread(descriptor, base + count, buffer.count - count, start + off_t(count))
            if step == 0 { break }
            if step < 0 {
                if errno == EINTR { continue }
                throw .io(errno: errno)
            }
            count += step
        }
        return count
    }
}

/// The kernel's attributes of a file; they identify one that is no longer written to.
struct FileStamp: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var bytes: UInt64
    /// The time of the last change: seconds since 1970, and nanoseconds.
    var modified: [Int64]
}

/// A part of a file in memory, in a buffer that is reused.
struct FileWindow: ~Copyable {
    /// The size to which it grows if a part needs it: an entry with the most fields that it may have.
    private static let maximumBytes = 68 << 10

    private var buffer: UnsafeMutableRawBufferPointer
    private var start: UInt64 = 0
    private var count = 0

    init(bytes: Int) {
        // Whole pages are copied faster, but there may be many small windows.
        buffer = .allocate(byteCount: bytes, alignment: bytes < 64 << 10 ? 16 : 4096)
    }

    deinit { buffer.deallocate() }

    /// Discards the content, because the file may have changed.
    mutating func forget() { count = 0 }

    /// Reads bytes into memory if they are not there.
    /// - Returns: whether the file has all of them and the window is large enough for them.
    @inline(__always)
    mutating func hold(_ offset: UInt64, _ length: Int, of source: borrowing some ByteSource) throws(FormatError)
        -> Bool
    {
        if contains(offset, length) { return true }
        return try fill(offset, length, source)
    }

    @inline(never)
    private mutating func fill(_ offset: UInt64, _ length: Int, _ source: borrowing some ByteSource) throws(FormatError)
        -> Bool
    {
        count = 0
        if length > buffer.count {
            guard length <= Self.maximumBytes else { return false }
            buffer.deallocate()
            buffer = .allocate(byteCount: Self.maximumBytes, alignment: 4096)
        }
        start = offset
        count = try source.read(into: buffer, at: offset)
        return length <= count
    }

    @inline(__always)
    func contains(_ offset: UInt64, _ length: Int) -> Bool {
        offset >= start && offset - start <= UInt64(count) && Int(offset - start) + length <= count
    }

    var capacity: Int { buffer.count }

    /// - Precondition: `hold` returned true for these bytes.
    @inline(__always)
    func with<Result, Failure: Error>(
        _ offset: UInt64, _ length: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = Int(offset - start)
        precondition(offset >= start && place + length <= count)
        return try body(UnsafeRawBufferPointer(rebasing: buffer[place..<place + length]).bytes)
    }
}
