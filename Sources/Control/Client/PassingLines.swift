import API

/// Examines the beginnings of lines while a stream passes through. It keeps only the line that says that the stream
/// failed.
struct PassingLines: Sendable {
    /// The beginning of every line.
    static let beginning = Array(#"{"type":""#.utf8)
    /// The beginning of the line that ends a failed stream.
    static let failure = Array(#"{"type":"error""#.utf8)
    /// The beginning of the line of an event, which has the same length.
    static let event = Array(#"{"type":"event""#.utf8)
    private static let longestFailure = 1 << 20

    /// The beginning of the current line, as far as it is needed.
    private var head: [UInt8] = []
    private var failed: [UInt8] = []
    private(set) var hasEvents = false

    /// - Returns: how many lines end in the piece.
    /// - Throws: if a line does not begin like those of the daemon.
    @discardableResult
    mutating func feed(_ piece: ArraySlice<UInt8>) throws(ControlError) -> Int {
        var (rest, ended) = (piece, 0)
        while !rest.isEmpty {
            let length = rest.withUnsafeBufferPointer { $0[...].lengthOfLine }
            let part = rest.prefix(length ?? rest.count)
            try pass(part)
            rest = rest.dropFirst(part.count)
            guard length != nil else { continue }
            guard head.count >= Self.beginning.count else { throw Self.notOurs }
            head.removeAll(keepingCapacity: true)
            rest = rest.dropFirst()
            ended += 1
        }
        return ended
    }

    /// The problem that ended the stream, if it failed.
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
}
