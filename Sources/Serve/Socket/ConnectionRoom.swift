/// How many connections there may be, and how many of them may be tails.
struct ConnectionRoom: Hashable {
    let connections: Int
    /// Tails leave some connections to other requests, or nobody could ask for anything while all are open.
    let tails: Int

    /// How many connections are not for tails, if there are enough.
    private static let others = 64

    /// - Parameters:
    ///   - usual: how many connections there may be, unless tails need more.
    ///   - descriptors: how many the process may have. Half of them are for journal files and everything else.
    init(tails: Int, usual: Int, descriptors: UInt64) {
        connections = min(max(usual, tails + Self.others), Int(clamping: descriptors / 2))
        self.tails = min(tails, connections - min(Self.others, connections / 2))
    }
}
