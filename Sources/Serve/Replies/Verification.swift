import API
import Hummingbird
import Model
import Queries
import ServiceLifecycle

/// A verification for one client: progress lines, then a line with the result.
struct Verification: Sendable {
    let query: VerifyQuery
    let daemon: DaemonInterface
    /// The shortest time between two progress lines.
    let interval: Duration

    /// Sends lines until all entries are examined, the client disconnects, or the daemon stops; in the last two cases
    /// there is no result. Closing the sending side counts as disconnecting.
    func run(into stream: LineStream, untilClosed body: RequestBody) async throws {
        try await body.consumeWithCancellationOnInboundClose { _ in
            try await verify(stream)
        }
    }

    private var isStopping: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    private func verify(_ stream: LineStream) async throws {
        var stream = stream
        do {
            let result = try await result(&stream)
            stream.lines.append(result)
        } catch  where isStopping {
            // The daemon stops, or the client has disconnected: there is nothing to send.
        } catch {
            try stream.lines.append(Problem(error))
        }
        try await stream.finish()
    }

    private func result(_ stream: inout LineStream) async throws -> JournalVerification {
        var next = ContinuousClock.now
        return try await daemon.verify(query.sinceMicroseconds ?? 0) { found, part in
            if isStopping { throw CancellationError() }
            guard .now >= next else { return }
            next = .now + interval
            stream.lines.append(found, percent: 100 * part)
            try await stream.write()
        }
    }
}

extension ControlAPI {
    /// `GET /v1/verify`
    func verify(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try VerifyQuery(urlQuery: request.uri.query)
        guard let place = verifications.takeAtOnce(1) else {
            return .busy("A verification is running", "Another client verifies the journal. Try again later.")
        }
        let verification = Verification(query: query, daemon: daemon, interval: limits.progressTime)
        return Response(
            stream: ResponseBody { writer in
                _ = place
                let stream = LineStream(writer, channel: context.channel, chunkBytes: limits.pages.lineBytes)
                try await verification.run(into: stream, untilClosed: request.body)
            }, watchesClient: true)
    }
}
