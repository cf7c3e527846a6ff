import API
import Hummingbird
import Model
import Queries

extension ControlAPI {
    /// `GET /v1/reports/undefined`
    func undefined(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await report(.undefined, request, context) { try await $0.undefined() }
    }

    /// `GET /v1/reports/unseen`
    func unseen(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await report(.unseen, request, context) { try await $0.unseen() }
    }

    /// `GET /v1/reports/violations`
    func violations(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await report(.violations, request, context) { try await $0.violations() }
    }

    /// `GET /v1/reports/obsolete`
    func obsolete(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await report(.obsolete, request, context) { try await $0.obsolete() }
    }

    /// `GET /v1/reports/unkeyed`
    func unkeyed(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await report(.unkeyed, request, context) { try await $0.unkeyed() }
    }

    /// `GET /v1/reports/malformed`
    func malformed(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await report(.malformed, request, context) { try await $0.malformed() }
    }

    private func report<Row>(
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
