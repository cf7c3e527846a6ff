import API
import Glibc

/// Looks at how the lines of a stream begin while they pass, and holds none but the one that says that the stream failed.
struct PassingLines: Sendable {
    /// How every line begins.
    static let beginning = Array(#"{"type":""#.utf8)
    /// How the one begins that ends a stream that failed.
    private static let failure = Array(#"{"type":"error""#.utf8)
    /// How that of an event begins, which is as long.
    static let event = Array(#"{"type":"event""#.utf8)
    private static let longestFailure = 1 << 20

    /// Of the line that is passing, as much as tells what it is.
    private var head: [UInt8] = []
    private var failed: [UInt8] = []
    private(set) var hasEvents = false

    /// - Throws: when a line of the piece is none of a daemon's.
    mutating func feed(_ piece: ArraySlice<UInt8>) throws(ControlError) {
        var rest = piece
        while !rest.isEmpty {
            let (part, isWhole) = Self.line(of: rest)
            try pass(part)
            rest = rest.dropFirst(part.count)
            guard isWhole else { continue }
            guard head.count >= Self.beginning.count else { throw Self.notOurs }
            head.removeAll(keepingCapacity: true)
            rest = rest.dropFirst()
        }
    }

    /// What a stream says that failed, once it is at its end.
    var problem: Problem? { failed.isEmpty ? nil : StreamLine.problem(in: failed) }

    private static let notOurs = ControlError.badReply("a line of it does not begin with its type")

    private mutating func pass(_ part: ArraySlice<UInt8>) throws(ControlError) {
        let known = head.count
        if known < Self.failure.count {
            head += part.prefix(Self.failure.count - known)
            guard head.starts(with: Self.beginning.prefix(head.count)) else { throw Self.notOurs }
            if head == Self.event { hasEvents = true }
        }
        guard head == Self.failure, failed.count + part.count < Self.longestFailure else { return }
        failed += failed.isEmpty ? head + part.dropFirst(head.count - known) : part[...]
    }

    /// What a line has of the bytes, without its end, and whether that is among them.
    private static func line(of bytes: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, isWhole: Bool) {
        let length = bytes.withUnsafeBytes { bytes -> Int? in
            guard let start = bytes.baseAddress, let end = memchr(start, 0x0A, bytes.count) else { return nil }
            return UnsafeRawPointer(end) - start
        }
        return (bytes.prefix(length ?? bytes.count), length != nil)
    }
}
