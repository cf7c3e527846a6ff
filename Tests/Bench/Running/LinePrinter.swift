import Foundation
import Glibc
import Synchronization

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
    /// Open as long as the thread reads from it.
    private let output = Pipe()
    private let reading: Thread
    private let lines = Lines()

    init(_ command: Command) throws {
        process.executableURL = URL(filePath: command.path)
        process.arguments = command.arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        reading = Self.reader(of: output.fileHandleForReading.fileDescriptor, into: lines)
        try process.run()
        reading.start()
    }

    deinit {
        if process.isRunning { process.end() }
    }

    private static func reader(of descriptor: Int32, into lines: Lines) -> Thread {
        Thread {
            var (pending, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                let now = ContinuousClock.now
                pending += buffer[..<count]
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.append(Line(time: now, text: String(decoding: pending[..<end], as: UTF8.self)))
                    pending.removeSubrange(...end)
                }
            }
        }
    }

    /// How many lines have this in them.
    func count(of text: String) -> Int { lines.all.count { $0.text.contains(text) } }

    func stop() -> [Line] {
        process.end()
        return lines.all
    }
}
