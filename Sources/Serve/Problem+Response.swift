import API
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Store

extension Response {
    /// Makes a response with a problem document.
    init(_ problem: Problem, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = Problem.mediaType
        self.init(
            status: .init(code: problem.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: problem.encoded)))
    }

    /// Makes the response to what others are doing already.
    /// - Parameter seconds: when to try again.
    static func busy(_ title: String, _ detail: String, seconds: Int = 10) -> Response {
        Response(Problem(status: 503, title: title, detail: detail), headers: [.retryAfter: String(seconds)])
    }

    /// Makes a response with a JSON document.
    /// - Throws: `EncodingError`.
    init(json value: some Encodable) throws {
        self.init(jsonText: try APICoding.encode(value))
    }

    /// Makes a response with encoded JSON.
    init(jsonText bytes: some Sequence<UInt8>) {
        self.init(jsonBody: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Makes a response with a JSON document, which may be written in pieces.
    init(jsonBody body: ResponseBody) {
        self.init(status: .ok, headers: [.contentType: "application/json"], body: body)
    }
}

extension Problem {
    /// The problem as JSON.
    var encoded: Data {
        // Cannot fail, since a problem has only texts and a number.
        (try? APICoding.encode(self)) ?? Data()
    }

    /// Makes the reply to a request that failed with an error.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as QueryError:
            self.init(
                status: error.isUnprocessable ? 422 : 400, title: "Bad query",
                detail: "\(error.parameter) \(error.description)",
                parameter: error.parameter)
        case let error as StoreError: self.init(store: error)
        case let error as HTTPError where error.status == .notFound:
            self.init(status: 404, title: "Not found", detail: "There is no such path; see \(APIPath.openAPI).")
        case let error as any HTTPResponseError:
            self.init(status: error.status.code, title: error.status.reasonPhrase)
        default: self.init(status: 500, title: "Internal error", detail: "\(error)")
        }
    }

    private init(store error: StoreError) {
        let detail = [error.description, error.hint].compactMap(\.self).joined(separator: ". ")
        switch error.kind {
        case .invalidPattern: self.init(status: 422, title: "Bad query", detail: detail)
        case .cancelled: self.init(status: 503, title: "Given up", detail: detail)
        case .busy, .locked, .full: self.init(status: 503, title: "The store is busy", detail: detail)
        case .disk, .corrupt, .otherLayout, .readOnly, .foreign, .failed:
            self.init(status: 500, title: "The store failed", detail: detail)
        }
    }
}

/// Answers every error with a problem document.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ControlContext, next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as BodyLimit.ConnectionLost {
            throw error.cause
        } catch {
            return Response(Problem(error))
        }
    }
}
