/// One line of the NDJSON that reads, tails and sinks get, as the reading end sees it.
package enum StreamLine: Sendable, Hashable {
    case event(EventLine)
    /// A place where entries are missing, in reads and tails.
    case gap(GapLine)
    /// The tail was too slow: this many events of the store, whether the tail's filter would have let them through or
    /// not, were left out here.
    case missed(count: Int64)
    /// The tail left this many events out that were sent before it began and came now, in a journal file that was read late.
    case late(count: Int64)
    /// Something failed in the middle of the stream, which ends with this line.
    case error(Problem)
    /// A type of a newer daemon; to be passed over.
    case other(type: String)
}

/// Why a line could not be read.
package struct StreamLineError: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String
}
