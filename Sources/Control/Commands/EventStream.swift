import API

/// Runs the queries of `show` and `tail` and prints what comes.
struct EventStream {
    let client: ControlClient
    var printer: EventPrinter
    /// How many bytes of lines are held to turn them round; beyond it the daemon is asked a second time.
    var maximumHeldBytes = 8 << 20

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

    /// Prints the newest events, oldest first.
    ///
    /// They come newest first. As long as they are few, they are held and turned round. When they are many, only the ids of
    /// the first and the last one are kept, and what lies between them is asked for in the other order.
    mutating func printNewestLast(_ query: EventQuery) async throws {
        var held: [[UInt8]] = []
        var heldBytes = 0
        var newest: [UInt8]?
        var oldest: [UInt8]?
        try await client.lines(APIPath.events(query)) { lines in
            for line in lines {
                if let problem = StreamLine.problem(in: line) { throw ControlError.refused(problem) }
                // An array takes about 64 bytes besides.
                heldBytes += line.count + 64
                if heldBytes <= maximumHeldBytes { held.append(line) }
                guard StreamLine.isEvent(line) else { continue }
                if newest == nil { newest = line }
                oldest = line
            }
            if heldBytes > maximumHeldBytes { held = [] }
        }
        guard heldBytes > maximumHeldBytes, let newest, let oldest else {
            if !held.isEmpty { try await printer.print(held.reversed()) }
            return try printer.finish()
        }
        var again = query
        again.order = .oldest
        again.limit = nil
        again.after = try Self.id(of: oldest) - 1
        again.before = try Self.id(of: newest) + 1
        try await print(again)
    }

    private static func id(of line: [UInt8]) throws(ControlError) -> Int64 {
        do {
            return try EventLine.parse(line).id
        } catch {
            throw .badReply(error.description)
        }
    }
}
