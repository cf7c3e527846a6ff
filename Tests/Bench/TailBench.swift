import Foundation
import Glibc
import Synchronization
import TestSupport

/// From sending a message to its line being printed: `glossctl tail` and `journalctl -f` side by side, on the same
/// messages of the same journald.
struct TailBench {
    let programs: URL
    let messages: Int

    func run() async throws -> [BenchResult] {
        try await PrivateJournald.withOne { try await measure($0) }
    }

    private func measure(_ journald: PrivateJournald) async throws -> [BenchResult] {
        let daemon = try BenchDaemon(programs: programs, journal: .namespace(journald.namespace))
        try daemon.start()
        while daemon.status() == nil { try await Task.sleep(for: .milliseconds(50)) }
        let mine = try LinePrinter(
            programs.appending(path: "glossctl").path, ["--socket", daemon.socket, "tail", "-n", "0", "-o", "ndjson"])
        let other = try LinePrinter(
            "/usr/bin/env", ["journalctl", "--namespace", journald.namespace, "-f", "-n", "0", "-o", "cat"])
        try await Task.sleep(for: .seconds(1))
        var sent: [ContinuousClock.Instant] = []
        for number in 0..<messages {
            sent.append(ContinuousClock.now)
            try journald.send([
                "SUBSYSTEM": "com.example.shop", "CATEGORY": "Bench", "MESSAGE": "message \(number) of the tail bench",
            ])
            try await Task.sleep(for: .milliseconds(.random(in: 30...130)))
        }
        try await Task.sleep(for: .seconds(1))
        let ours = try mine.stop().latencies(of: sent, in: /message (\d+) of the tail bench/)
        let theirs = try other.stop().latencies(of: sent, in: /message (\d+) of the tail bench/)
        try daemon.stop()
        return [50, 99].map { percent in
            let (mine, other) = (percentile(percent, of: ours), percentile(percent, of: theirs))
            return BenchResult(
                what: "tail latency p\(percent), ms", ours: rounded(mine), other: rounded(other),
                otherName: "journalctl -f", ratio: other / mine, target: percent == 99 ? "10" : "")
        }
    }
}

extension [LinePrinter.Line] {
    /// In milliseconds, in the order of sending; the pattern finds the number of a line's message.
    func latencies(
        of sent: [ContinuousClock.Instant], in pattern: Regex<(Substring, Substring)>
    ) throws -> [Double] {
        let latencies = compactMap { line -> Double? in
            guard let match = line.text.firstMatch(of: pattern), let number = Int(match.output.1) else { return nil }
            return (line.time - sent[number]) / .milliseconds(1)
        }
        guard latencies.count == sent.count else {
            throw BenchError("\(latencies.count) of \(sent.count) messages were printed")
        }
        return latencies
    }
}

/// A running program, and when it printed each of its lines.
final class LinePrinter {
    struct Line: Sendable {
        var time: ContinuousClock.Instant
        var text: String
    }

    private final class Lines: Sendable {
        private let state = Mutex<[Line]>([])

        func append(_ line: Line) { state.withLock { $0.append(line) } }
        var all: [Line] { state.withLock { $0 } }
    }

    private let process = Process()
    private let reading: Thread
    private let lines = Lines()

    init(_ path: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let descriptor = output.fileHandleForReading.fileDescriptor
        let lines = lines
        reading = Thread {
            var pending: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return }
                let now = ContinuousClock.now
                pending += buffer[..<count]
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.append(Line(time: now, text: String(decoding: pending[..<end], as: UTF8.self)))
                    pending.removeSubrange(...end)
                }
            }
        }
        try process.run()
        reading.start()
    }

    func stop() -> [Line] {
        process.end()
        return lines.all
    }
}
