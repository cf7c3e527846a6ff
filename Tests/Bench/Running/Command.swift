import Foundation
import Glibc

/// What a program took, and what it printed.
struct CommandRun {
    /// Until the first byte of its output, in milliseconds; `nil` if there was none.
    var firstByte: Double?
    /// Until it had ended, in milliseconds.
    var time = 0.0
    var lines = 0
    /// Empty unless it was to be kept.
    var output = Data()
    /// The most private memory that it and the programs it runs had together; 0 unless it was watched.
    var peakBytes = 0
    /// Its exit status.
    var status: Int32 = 0
}

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

    /// A pipeline of programs.
    static func shell(_ text: String) -> Command { Command("sh", ["-c", text]) }

    /// Whether a program is there to be started by its name.
    static func isInstalled(_ name: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// What it prints. Its exit status does not matter: some say with it that they found nothing.
    func output() throws -> Data { try measured(keepsOutput: true).output }

    /// Reads all that it prints. To watch its memory takes some processor time from it.
    func measured(keepsOutput: Bool = false, watchesMemory: Bool = false) throws -> CommandRun {
        var run = CommandRun()
        var watch: MemoryWatch?
        let start = ContinuousClock.now
        func elapsed() -> Double { (ContinuousClock.now - start) / .milliseconds(1) }
        defer { _ = watch?.stop() }
        let status = try self.run(to: STDOUT_FILENO) { pid in
            guard watchesMemory else { return }
            watch = MemoryWatch(everyMicroseconds: 1000) { ProcessUsage(pid: pid).anonymousBytesWithChildren }
        } take: { piece in
            if run.firstByte == nil { run.firstByte = elapsed() }
            run.lines += piece.lineCount
            if keepsOutput { run.output.append(contentsOf: piece) }
        }
        run.time = elapsed()
        run.peakBytes = watch?.stop() ?? 0
        // As shells have it: 128 and the number of the signal that ended it.
        run.status = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
        return run
    }

    /// How many lines it prints, of which none is kept.
    func lineCount() throws -> Int { try measured().lines }

    /// Nobody reads what it prints.
    func toNowhere() throws {
        // Open until it ends.
        let lifeline: Int32 = 3
        let status = try run(to: lifeline) { _ in
        } take: { _ in
        }
        guard status == 0 else { throw BenchError("\(path) ended with status \(status >> 8)") }
    }

    /// - Parameters:
    ///   - descriptor: which of its descriptors is ours to read.
    ///   - started: gets its process id.
    /// - Returns: as `waitpid` gives it.
    private func run(
        to descriptor: Int32, started: (pid_t) -> Void, take: (UnsafeRawBufferPointer) -> Void
    ) throws -> Int32 {
        let (reading, writing) = try pipe()
        defer { close(reading) }
        let pid = try spawn(writing, as: descriptor)
        started(pid)
        do {
            try read(reading, take)
        } catch {
            // Those of a pipeline would go on without their shell.
            for process in ProcessUsage(pid: pid).children { kill(process.pid, SIGKILL) }
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
