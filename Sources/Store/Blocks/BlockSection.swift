/// The parts of a block's data. Each is packed by itself: who wants one need not unpack the others.
struct BlockSection: Hashable {
    var number: Int

    init(number: Int) { self.number = number }

    private init(_ number: Int) { self.number = number }

    static let most = 16 + PayloadSplitter.capacity.paths

    static let ids = Self(0)
    /// Microseconds since 1970.
    static let times = Self(1)
    /// When the boot was, by each event: its time less its microseconds since the boot.
    static let bootTimes = Self(2)
    static let seqnums = Self(3)
    static let xorHashes = Self(4)
    static let ordinals = Self(5)
    /// By how much they differ from that of the sender's event before, which begin at 0; -1 where there is none.
    static let pids = Self(6)
    static let levels = Self(7)
    /// Numbers of `senderTable`.
    static let senders = Self(8)
    static let senderTable = Self(9)
    /// Numbers of `kindTable`.
    static let kinds = Self(10)
    static let kindTable = Self(11)
    /// `FindingsText`, empty where there is none.
    static let findings = Self(12)
    /// The paths and templates of payloads.
    static let shapes = Self(13)
    /// Which template each payload has, see `RecentTemplates`.
    static let templates = Self(14)
    /// Payloads without a template.
    static let whole = Self(15)

    /// The values of a path.
    static func values(ofPath path: Int) -> Self { Self(16 + path) }
}
