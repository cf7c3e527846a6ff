import Foundation
import Glibc

/// What the kernel says of a running process.
struct ProcessUsage: Sendable {
    let pid: Int32

    /// Its private memory (`RssAnon`), in bytes.
    var anonymousBytes: Int? { value("RssAnon", in: "status").map { $0 << 10 } }

    /// The private memory of it and of the programs that it runs, in bytes.
    var anonymousBytesWithChildren: Int { (anonymousBytes ?? 0) + childrenAnonymousBytes }

    /// The private memory of the programs that it runs, in bytes.
    var childrenAnonymousBytes: Int { children.reduce(0) { $0 + ($1.anonymousBytes ?? 0) } }

    /// The programs that it has started and that have not ended. A child that still runs its parent's program shares its memory.
    var children: [ProcessUsage] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return threads.flatMap { thread in
            let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/children", encoding: .utf8)
            return (text ?? "").split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
        }.map(ProcessUsage.init(pid:)).filter { $0.program != program }
    }

    private var program: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe") }

    /// What it made the kernel write to disks, in bytes.
    var writtenBytes: Int? { value("write_bytes", in: "io") }

    /// That of all its threads, also of those that have ended.
    var processorTime: Duration? {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The first number of a line.
    private func value(_ key: String, in file: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/\(file)", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(key):") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    }
}
