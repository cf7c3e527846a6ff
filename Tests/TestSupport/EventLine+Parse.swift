package import API

extension EventLine {
    /// Reads the line of an event.
    package static func parse(_ line: [UInt8]) throws -> EventLine {
        guard case .event(let event) = try StreamLine.parse(line) else { throw NoEvent() }
        return event
    }

    private struct NoEvent: Error {}
}
