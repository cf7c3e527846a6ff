import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import Linux
import Model
import NIOCore

/// Answers every request as a batch, whatever its path.
struct ReceivingResponder: HTTPResponder {
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    static let maximumBodyBytes = 64 << 20
    static let maximumPlainBytes = 256 << 20

    let ledger: Ledger
    let tokenFile: String?

    func respond(to request: Request, context: Context) async throws -> Response {
        guard request.method == .post else { return await refusal(.methodNotAllowed, "send batches by POST") }
        do {
            guard try isAuthorized(request) else {
                return await refusal(.unauthorized, "missing or wrong bearer token")
            }
            let batch = try await receive(request)
            return try await perform(try await ledger.take(batch), context)
        } catch Inflater.Failure.damaged {
            return await refusal(.badRequest, "the body is not what its Content-Encoding says")
        } catch Inflater.Failure.unknownEncoding {
            return await refusal(.unsupportedMediaType, "unknown Content-Encoding")
        } catch is NIOTooManyBytesError, Inflater.Failure.tooLarge {
            return await refusal(.contentTooLarge, "the body is too large")
        } catch let error as AppendedFile.Failure {
            return await refusal(.internalServerError, error.description)
        } catch let error as TokenFile.Failure {
            return await refusal(.internalServerError, error.description)
        }
    }

    private func receive(_ request: Request) async throws -> Received {
        var request = request
        let body = Array(try await request.collectBody(upTo: Self.maximumBodyBytes).readableBytesView)
        let encoding = request.headers[.contentEncoding]
        let plain = try Inflater.plain(body, encoding: encoding, limit: Self.maximumPlainBytes)
        return Received(key: key(of: request), encoding: encoding, body: body, plain: plain)
    }

    private func perform(_ answer: AnswerScript.Answer, _ context: Context) async throws -> Response {
        switch answer.action {
        case .status(let status):
            return reply(.init(code: status), "answered as specified\n", header: answer.header)
        case .slow(let seconds):
            try await Task.sleep(for: .seconds(seconds))
            return reply(.ok, "answered late, as specified\n", header: answer.header)
        case .hang:
            try await Task.sleep(for: .seconds(86_400))
            return Response(status: .gatewayTimeout)
        case .drop:
            try? await context.channel.close()
            return Response(status: .ok)
        }
    }

    private func reply(_ status: HTTPResponse.Status, _ text: String, header: AnswerScript.Header? = nil) -> Response {
        var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
        if let header { headers[header.name] = header.value }
        // Replies with these statuses have no body.
        let hasBody = status.code != 204 && status.code != 304
        return Response(
            status: status, headers: headers,
            body: hasBody ? ResponseBody(byteBuffer: ByteBuffer(string: text)) : ResponseBody())
    }

    private func refusal(_ status: HTTPResponse.Status, _ reason: String) async -> Response {
        await ledger.refuse("\(status.code)  \(reason)")
        return reply(status, "\(reason)\n")
    }

    /// Checks the token. The file is read for each request, so that the token can be changed while the receiver runs.
    private func isAuthorized(_ request: Request) throws(TokenFile.Failure) -> Bool {
        guard let tokenFile else { return true }
        let token = try TokenFile.read(tokenFile)
        return request.headers[.authorization] == "Bearer \(token)"
    }

    /// Returns the key, shortened and printable, since it goes to a terminal and into JSON.
    private func key(of request: Request) -> String {
        guard let name = HTTPField.Name("Idempotency-Key"), let key = request.headers[name] else { return "-" }
        return String(key.unicodeScalars.prefix(128).map { isPlain($0) ? Character($0) : "?" })
    }

    private func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", ":": true
        default: false
        }
    }
}
