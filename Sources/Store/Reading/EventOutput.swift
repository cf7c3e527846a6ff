package import Model

/// What somebody makes of events while they are read, so that nobody keeps them.
package protocol EventOutput: Sendable {
    /// - Parameter bytes: how many the next event's payload has.
    /// - Returns: whether there is room for that event.
    func hasRoom(forPayload bytes: Int) -> Bool
    mutating func take(_ event: borrowing Event)
}

/// Keeps events as they are.
struct KeptEvents: EventOutput {
    private(set) var events: [Event] = []
    private var bytesLeft: Int
    private let takesOneOfAnySize: Bool

    /// About what events have together where nobody says more.
    private static let pageBytes = 1 << 20

    /// - Parameter bytes: the most that their payloads may have together; `nil` for about 1 MiB, and one event however large.
    init(bytes: Int?) {
        bytesLeft = bytes ?? Self.pageBytes
        takesOneOfAnySize = bytes == nil
    }

    func hasRoom(forPayload bytes: Int) -> Bool { bytes <= bytesLeft || events.isEmpty && takesOneOfAnySize }

    mutating func take(_ event: borrowing Event) {
        bytesLeft -= event.payload.count
        events.append(event.kept())
    }
}
