import API
import Hummingbird
import Model
import Queries

extension ControlAPI {
    /// `GET /v1/verify`: progress lines, then a line with the result, unless the client disconnects or the daemon stops before.
    func verify(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try VerifyQuery(urlQuery: request.uri.query)
        guard let place = verifications.takeAtOnce(1) else {
            return .busy("A verification is running", "Another client verifies the journal. Try again later.")
        }
        return stream(request, context, holding: place) { stream in
            var next = ContinuousClock.now
            let result = try await daemon.verify(since: query.sinceMicroseconds ?? 0) { found, part in
                if Task.isStopping { throw CancellationError() }
                guard .now >= next else { return }
                next = .now + limits.progressTime
                stream.lines.append(found, percent: 100 * part)
                try await stream.write()
            }
            stream.lines.append(result)
        }
    }
}
