import API
import HTTPTypes
import Hummingbird

/// Answers with 405 when the path is there, but does not take the method. The router calls such a path unknown.
struct MethodCheck: RouterMiddleware {
    let endpoints: [Endpoint]

    func handle(
        _ request: Request, context: ControlContext, next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        let methods = endpoints.filter { $0.takes(path) }.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
        guard !methods.isEmpty, !methods.contains(request.method) else { return try await next(request, context) }
        let names = methods.map(\.rawValue).joined(separator: ", ")
        return Response(
            Problem(status: 405, title: "Method not allowed", detail: "\(path) takes \(names) only"),
            headers: [.allow: names])
    }
}
