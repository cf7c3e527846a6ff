import API
import Hummingbird
import Model
import Queries

/// A verification for one client: progress lines, then a line with the result.
struct Verification: Sendable {
    let query: VerifyQuery
    let daemon: DaemonInterface
    /// The shortest time between two progress lines.
    let interval: Duration

    /// Sends lines until all entries are examined, the client disconnects, or the daemon stops; in the last two cases
    /// there is no result.
    func run(into stream: inout LineStream) async throws {
        var next = ContinuousClock.now
        let result = try await daemon.verify(query.sinceMicroseconds ?? 0) { found, part in
            if Task.isStopping { throw CancellationError() }
            guard .now >= next else { return }
            next = .now + interval
            stream.lines.append(found, percent: 100 * part)
            try await stream.write()
        }
        stream.lines.append(result)
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
        return stream(request, context, holding: place) { try await verification.run(into: &$0) }
    }
}
