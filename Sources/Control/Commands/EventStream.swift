import API

/// Runs the queries of `show` and `tail` and prints what comes.
struct EventStream {
    let client: ControlClient
    var printer: EventPrinter

    /// Prints the events in the order in which they come.
    mutating func print(_ query: EventQuery) async throws {
        try await client.lines(APIPath.events(query)) { try await printer.print($0) }
        try printer.finish()
    }

    /// Prints what comes until the reader has seen enough, which is no failure, or the daemon goes away, which is one.
    mutating func follow(_ query: EventQuery, on console: Console) async throws {
        console.endWithReader()
        do {
            try await client.lines(APIPath.events(query)) { try await printer.print($0) }
        } catch ControlError.interrupted {
            return
        }
        throw ControlError.left(socket: client.socket)
    }
}
