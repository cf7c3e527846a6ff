import Foundation
import Glibc

/// A program that runs to its end. Foundation's `Process` would add its own waiting to the time.
struct Command {
    var path: String
    var arguments: [String]
    /// After which it is killed.
    var limit = Duration.seconds(180)

    init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    static func journalctl(_ journal: GeneratedJournal, _ arguments: [String]) -> Command {
        Command("journalctl", ["-D", journal.folder.path, "--no-pager", "--quiet", "-o", "json"] + arguments)
    }

    /// What it prints. Its exit status does not matter: some say with it that they found nothing.
    func output() throws -> Data {
        var data = Data()
        try run(to: STDOUT_FILENO) { data.append(contentsOf: $0) }
        return data
    }

    /// How many lines it prints, of which none is kept.
    func lineCount() throws -> Int {
        var lines = 0
        try run(to: STDOUT_FILENO) { lines += $0.lineCount }
        return lines
    }

    /// Nobody reads what it prints.
    func toNowhere() throws {
        // Open until it ends.
        let lifeline: Int32 = 3
        let status = try run(to: lifeline) { _ in }
        guard status == 0 else { throw BenchError("\(path) ended with status \(status >> 8)") }
    }

    /// - Parameter descriptor: which of its descriptors is ours to read.
    /// - Returns: as `waitpid` gives it.
    @discardableResult
    private func run(to descriptor: Int32, _ take: (UnsafeRawBufferPointer) -> Void) throws -> Int32 {
        let (reading, writing) = try pipe()
        defer { close(reading) }
        let pid = try spawn(writing, as: descriptor)
        do {
            try read(reading, take)
        } catch {
            kill(pid, SIGKILL)
            _ = wait(for: pid)
            throw error
        }
        return wait(for: pid)
    }

    private func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw BenchError("pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private func spawn(_ writing: Int32, as descriptor: Int32) throws -> pid_t {
        defer { close(writing) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for nowhere in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, nowhere, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, writing, descriptor)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, path, &actions, nil, &words, environ)
        guard code == 0 else { throw BenchError("\(path): \(String(cString: strerror(code)))") }
        return pid
    }

    /// Until all who could write have ended.
    private func read(_ reading: Int32, _ take: (UnsafeRawBufferPointer) -> Void) throws {
        let end = ContinuousClock.now + limit
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while ContinuousClock.now < end {
            var look = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard poll(&look, 1, 1000) > 0 else { continue }
            let count = Glibc.read(reading, buffer.baseAddress, buffer.count)
            guard count > 0 else { return }
            take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        throw BenchError("\(path) took longer than \(limit.components.seconds) s")
    }

    private func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}

extension UnsafeRawBufferPointer {
    /// How many line feeds there are.
    var lineCount: Int {
        guard var place = baseAddress else { return 0 }
        let end = place + count
        var lines = 0
        while place < end, let found = memchr(place, Int32(UInt8(ascii: "\n")), end - place) {
            lines += 1
            place = UnsafeRawPointer(found) + 1
        }
        return lines
    }
}
