import API
import Hummingbird
import Model
import Queries

extension ControlAPI {
    /// `GET /v1/reports/{report}`
    func report<Row>(
        _ kind: ReportKind, _ request: Request, _ context: ControlContext,
        _ make: @escaping @Sendable (ReportMaker) async throws -> Report<Row>
    ) async throws -> Response {
        let query = try ReportQuery(urlQuery: request.uri.query, report: kind)
        let predicate = try await predicate(query.filter, from: context)
        let maker = ReportMaker(
            store: store, source: EventSource(store, memory, limits.pages),
            dictionaries: await daemon.dictionaries().map(\.dictionary), rules: await daemon.rules(), query: query,
            matching: predicate)
        return try await documents.response(context, predicate.isOnStoredEvents ? .search : .brief) {
            try APICoding.encode(try await make(maker))
        }
    }
}
