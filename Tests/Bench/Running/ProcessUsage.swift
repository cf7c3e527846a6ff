import Foundation
import Glibc

/// What the kernel says of a running process.
struct ProcessUsage: Sendable {
    let pid: Int32

    /// Its private memory (`RssAnon`), in bytes.
    var anonymousBytes: Int? { value("RssAnon", in: "status").map { $0 << 10 } }

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
