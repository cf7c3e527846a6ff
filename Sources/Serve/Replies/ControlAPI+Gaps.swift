import API
import Hummingbird
import Model
import Store

extension ControlAPI {
    /// `GET /v1/gaps`
    func gaps(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try GapQuery(urlQuery: request.uri.query)
        let limit = query.limit
        // One more than asked for tells whether there is more.
        return try await documents.response(context) {
            let records = try await store.gaps(after: query.after, limit: limit + 1)
            let page = records.prefix(limit)
            return try APICoding.encode(
                GapList(gaps: page.map(GapLine.init), next: records.count > limit ? page.last?.id : nil))
        }
    }
}
