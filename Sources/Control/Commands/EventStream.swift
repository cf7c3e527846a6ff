import API

/// Runs the queries of `show` and `tail` and prints what comes.
struct EventStream {
    let client: ControlClient
    let console: Console
    var printer: EventPrinter

    /// Prints the events in the order in which they come.
    /// - Throws: `ControlError.no` at the end where some were left out.
    mutating func print(_ query: EventQuery) async throws {
        let leftOut = try await printLines(query)
        try printer.finish()
        guard leftOut == 0 else { throw ControlError.no("\(leftOut == 1 ? "an event was" : "events were") left out") }
    }

    /// Prints what comes until the reader has seen enough, which is no failure, or the daemon goes away, which is one.
    mutating func follow(_ query: EventQuery) async throws {
        console.endWithReader()
        do {
            _ = try await printLines(query)
        } catch ControlError.interrupted {
            return
        }
        throw ControlError.left(socket: client.socket)
    }

    /// - Returns: how many events were left out, each of which was said.
    private mutating func printLines(_ query: EventQuery) async throws -> Int {
        if printer.passesLines {
            try await client.copyLines(APIPath.events(query)) { [printer] in try printer.pass($0) }
            return 0
        }
        var leftOut = 0
        try await client.lines(APIPath.events(query)) { [console] id, why in
            leftOut += 1
            console.complain(
                "event \(id) is left out: \(why). This writes it to a file: glossctl event \(id) -o json > FILE")
        } _: {
            try await printer.print($0)
        }
        return leftOut
    }
}
