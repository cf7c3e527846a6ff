import API
import Hummingbird
import Model

extension ControlAPI {
    /// `GET /v1/reports/undefined`
    func undefined(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: try await report(.undefined, request).undefined())
    }

    /// `GET /v1/reports/unseen`
    func unseen(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: try await report(.unseen, request).unseen())
    }

    /// `GET /v1/reports/violations`
    func violations(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: try await report(.violations, request).violations())
    }

    /// `GET /v1/reports/obsolete`
    func obsolete(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: try await report(.obsolete, request).obsolete())
    }

    private func report(_ kind: ReportKind, _ request: Request) async throws -> ReportMaker {
        let query = try ReportQuery(urlQuery: request.uri.query, report: kind)
        return ReportMaker(store: store, dictionaries: await daemon.dictionaries().map(\.dictionary), query: query)
    }
}
