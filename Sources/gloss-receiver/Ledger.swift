import Glibc
import Linux
import Model

/// One request with a batch.
struct Received: Sendable {
    /// Its `Idempotency-Key`, or `-`.
    var key: String
    var encoding: String?
    /// The body as it was received.
    var body: [UInt8]
    /// The decompressed body.
    var plain: [UInt8]

    var eventCount: Int { plain.count { $0 == UInt8(ascii: "\n") } }
}

/// The record of what was received: it remembers keys, writes the files, prints a line for each attempt, and chooses
/// the answers.
actor Ledger {
    private struct Seen {
        var digest: UInt64
        var isTaken: Bool
    }

    /// How many keys are remembered at least; of twice as many, the older half is forgotten.
    private static let keyLimit = 100_000

    private var script: AnswerScript
    private let output: AppendedFile?
    private let attempts: AppendedFile?
    private let isQuiet: Bool
    private var seen: [String: Seen] = [:]
    private var keysInOrder: [String] = []

    init(script: AnswerScript, output: AppendedFile?, attempts: AppendedFile?, isQuiet: Bool) {
        self.script = script
        self.output = output
        self.attempts = attempts
        self.isQuiet = isQuiet
    }

    /// Takes a batch if the script says so. The batch is on disk when this returns.
    /// - Throws: an error when a file cannot be written. It does not use up the answer.
    func take(_ batch: Received) throws -> AnswerScript.Answer {
        let answer = script.current
        let digest = FNV1a(batch.body).value
        let before = seen[batch.key]
        let isResent = before?.digest == digest
        if answer.takesBatch, !(isResent && before?.isTaken == true) { try output?.append(batch.plain, sync: true) }
        remember(batch.key, Seen(digest: digest, isTaken: answer.takesBatch || (isResent && before?.isTaken == true)))
        try attempts?.append(record(of: batch, digest: digest, answer: answer), sync: false)
        script.advance()
        let note = before == nil ? "" : isResent ? "  resent" : "  DIFFERENT BODY"
        say("\(answer.name)  \(batch.eventCount) events  \(sizes(batch))  key \(batch.key)\(note)")
        return answer
    }

    /// Returns a line of JSON. The key was already cleaned and needs no escaping.
    private func record(of batch: Received, digest: UInt64, answer: AnswerScript.Answer) -> [UInt8] {
        let digest = String(digest, radix: 16)
        let names = #""key":"\#(batch.key)","digest":"\#(digest)","status":"\#(answer.name)""#
        return Array("{\(names),\"events\":\(batch.eventCount)}\n".utf8)
    }

    /// Prints the reason for a refused request, which does not use up an answer of the script.
    func refuse(_ reason: String) {
        say(reason)
    }

    private func sizes(_ batch: Received) -> String {
        guard let encoding = batch.encoding else { return "\(batch.body.count) bytes" }
        return "\(batch.body.count) bytes (\(encoding)) of \(batch.plain.count)"
    }

    private func remember(_ key: String, _ entry: Seen) {
        guard key != "-" else { return }
        if seen.updateValue(entry, forKey: key) == nil { keysInOrder.append(key) }
        guard keysInOrder.count >= 2 * Self.keyLimit else { return }
        for old in keysInOrder.prefix(Self.keyLimit) { seen[old] = nil }
        keysInOrder.removeFirst(Self.keyLimit)
    }

    private func say(_ text: String) {
        guard !isQuiet else { return }
        writeLine("\(timeOfDay())  \(text)")
    }

    /// Returns the local time as `14:02:03.123`.
    private func timeOfDay() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var local = tm()
        localtime_r(&now.tv_sec, &local)
        let parts = [local.tm_hour, local.tm_min, local.tm_sec].map { padded(Int($0), 2) }
        return "\(parts.joined(separator: ":")).\(padded(now.tv_nsec / 1_000_000, 3))"
    }

    private func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
}

/// Writes a line to standard output without buffering, even into a pipe.
func writeLine(_ text: String) {
    writeAll(Array("\(text)\n".utf8), to: STDOUT_FILENO)
}

/// A file to which data is appended. It is open until the process ends.
struct AppendedFile: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var path: String
        var errno: Int32
        var description: String { "\(path) cannot be written: \(errnoText(errno))" }
    }

    private let path: String
    private let descriptor: Int32

    init(path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure(path: path, errno: errno) }
    }

    /// Appends all bytes or none: after an error the file has its earlier length.
    /// - Parameter sync: whether the bytes must be on disk when it returns.
    func append(_ bytes: [UInt8], sync: Bool) throws(Failure) {
        let end = lseek(descriptor, 0, SEEK_END)
        var failure = writeAll(bytes, to: descriptor)
        if failure == 0, sync, fdatasync(descriptor) != 0, errno != EINVAL { failure = errno }
        guard failure == 0 else {
            // Removes the partial line. If that fails too (a pipe, a broken disk), the error already says enough.
            _ = ftruncate(descriptor, end)
            throw Failure(path: path, errno: failure)
        }
    }
}
