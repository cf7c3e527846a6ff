internal import CSystemd
import Glibc
import Model

/// Owns one `sd_journal`. Neither copyable nor `Sendable`: it stays on the thread that made it, and is closed there.
///
/// Memory that libsystemd hands out dies at the next call, so none of it leaves: callers get values, or a buffer that
/// is valid while their closure runs.
struct JournalHandle: ~Copyable {
    private let journal: OpaquePointer

    /// - Throws: `JournalError` with `ENOENT` for a folder that is not there. Folders and files that may not be read
    ///   are no error for libsystemd: see `JournalFolders`.
    init(_ location: JournalLocation) throws(JournalError) {
        var journal: OpaquePointer?
        // Like journalctl: all files of this machine, the users' among them.
        let flags = Int32(SD_JOURNAL_LOCAL_ONLY)
        switch location {
        case .machine:
            try check(sd_journal_open(&journal, flags), "sd_journal_open")
        case .namespace(let name):
            try check(sd_journal_open_namespace(&journal, name, flags), "sd_journal_open_namespace \(name)")
        case .directory(let path):
            try check(sd_journal_open_directory(&journal, path, 0), "sd_journal_open_directory \(path)")
        }
        guard let journal else { throw JournalError(call: "sd_journal_open", errno: EINVAL) }
        self.journal = journal
    }

    deinit { sd_journal_close(journal) }

    // MARK: Moving

    func seekHead() throws(JournalError) { try check(sd_journal_seek_head(journal), "sd_journal_seek_head") }

    func seekTail() throws(JournalError) { try check(sd_journal_seek_tail(journal), "sd_journal_seek_tail") }

    func seek(realtimeMicroseconds: UInt64) throws(JournalError) {
        try check(sd_journal_seek_realtime_usec(journal, realtimeMicroseconds), "sd_journal_seek_realtime_usec")
    }

    /// The next `next()` gives the entry at `cursor`, or what libsystemd holds to be the first one after it.
    func seek(_ cursor: JournalCursor) throws(JournalError) {
        try check(sd_journal_seek_cursor(journal, cursor.description), "sd_journal_seek_cursor")
    }

    /// - Returns: whether there was a next entry; otherwise the place is unchanged.
    func next() throws(JournalError) -> Bool { try check(sd_journal_next(journal), "sd_journal_next") > 0 }

    func previous() throws(JournalError) -> Bool { try check(sd_journal_previous(journal), "sd_journal_previous") > 0 }

    // MARK: The current entry

    /// Whether the current entry is the one that `cursor` names.
    func isAt(_ cursor: JournalCursor) throws(JournalError) -> Bool {
        try check(sd_journal_test_cursor(journal, cursor.description), "sd_journal_test_cursor") > 0
    }

    func cursor() throws(JournalError) -> JournalCursor {
        var text: UnsafeMutablePointer<CChar>?
        try check(sd_journal_get_cursor(journal, &text), "sd_journal_get_cursor")
        defer { free(text) }
        guard let text else { throw JournalError(call: "sd_journal_get_cursor", errno: EBADMSG) }
        let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
        guard let cursor = JournalCursor(utf8: bytes.assumingMemoryBound(to: UInt8.self)) else {
            throw JournalError(call: "sd_journal_get_cursor", errno: EBADMSG)
        }
        return cursor
    }

    /// Calls `body` with each field of the current entry, `NAME=value`, in the order in which the file has them.
    ///
    /// One pass over all fields is 2 to 5 times faster than asking for those of interest. Fields that cannot be had (a
    /// compression that is not built in, a damaged object) are skipped.
    /// - Source: sd_journal_enumerate_available_data(3)
    @inline(__always)
    func forEachField(_ body: (UnsafeRawBufferPointer) -> Void) throws(JournalError) {
        var data: UnsafeRawPointer?
        var count = 0
        sd_journal_restart_data(journal)
        while true {
            let status = sd_journal_enumerate_available_data(journal, &data, &count)
            if status == 0 { return }
            if status < 0 { throw JournalError(call: "sd_journal_enumerate_available_data", errno: -status) }
            body(UnsafeRawBufferPointer(start: data, count: count))
        }
    }

    /// The first value of one field, at most `limit` bytes of it; `nil` when the entry does not have it.
    func value(of field: String, limit: Int) -> [UInt8]? {
        var data: UnsafeRawPointer?
        var count = 0
        guard sd_journal_get_data(journal, field, &data, &count) >= 0 else { return nil }
        let value = UnsafeRawBufferPointer(start: data, count: count).dropFirst(field.utf8.count + 1)
        return Array(value.prefix(limit))
    }

    // MARK: The journal as a whole

    /// Starts to watch the journal's folders.
    /// - Returns: a descriptor to poll for input, owned by libsystemd.
    /// - Throws: `JournalError` with `EMFILE` when the kernel has no inotify instance left.
    func watch() throws(JournalError) -> Int32 { try check(sd_journal_get_fd(journal), "sd_journal_get_fd") }

    /// Takes note of files that came and went. Without it reading stops at the first rotation, and deleted files stay
    /// open for ever. Whether it reports APPEND or INVALIDATE makes no difference to a reader.
    func process() throws(JournalError) { try check(sd_journal_process(journal), "sd_journal_process") }

    /// When the oldest and the newest entry were written, by the files' headers; `nil` for an empty journal.
    func extent() throws(JournalError) -> (oldest: UInt64, newest: UInt64)? {
        var oldest: UInt64 = 0
        var newest: UInt64 = 0
        let status = sd_journal_get_cutoff_realtime_usec(journal, &oldest, &newest)
        return try check(status, "sd_journal_get_cutoff_realtime_usec") > 0 ? (oldest, newest) : nil
    }

    /// Why libsystemd refuses a file, which it does not say when it opens a whole folder.
    /// - Returns: a positive errno value; `nil` when it can be read.
    static func refusal(ofFile path: String) -> Int32? {
        var journal: OpaquePointer?
        let status = path.withCString { path in
            var paths: [UnsafePointer<CChar>?] = [path, nil]
            return sd_journal_open_files(&journal, &paths, 0)
        }
        guard status >= 0 else { return -status }
        sd_journal_close(journal)
        return nil
    }
}

@discardableResult
private func check(_ status: Int32, _ call: @autoclosure () -> String) throws(JournalError) -> Int32 {
    guard status < 0 else { return status }
    throw JournalError(call: call(), errno: -status)
}
