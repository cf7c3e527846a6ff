import AsyncHTTPClient
import Glibc
import Model
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Describes for people why there was no answer.
enum NetworkFault {
    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: describe(error)
        case let error as NIOConnectionError: describe(error)
        case let error as IOError: describe(error)
        case let error as NIOSSLError: describe(error)
        case let error as BoringSSLError: "TLS failed: \(detail(error))"
        case let error as NIOSSLExtraError: describe(error)
        case HTTPParserError.invalidEOFState, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed:
            describe(HTTPClientError.remoteConnectionClosed)
        case let error as HTTPParserError: "the answer is not HTTP: \(error)"
        case let error as AnswerFault: "the answer is not valid: \(error)"
        case is CancellationError: "cancelled"
        default: "failed: \(error)"
        }
    }

    private static func describe(_ error: HTTPClientError) -> String {
        switch error {
        case .deadlineExceeded, .readTimeout: "no complete answer in time"
        case .connectTimeout, .getConnectionFromPoolTimeout: "no connection in time"
        case .tlsHandshakeTimeout: "TLS: no handshake in time"
        case .writeTimeout: "the request was not taken in time"
        case .remoteConnectionClosed: "the connection was closed before the answer was complete"
        // The long description may contain header values.
        default: error.shortDescription
        }
    }

    private static func describe(_ error: NIOConnectionError) -> String {
        if let attempt = error.connectionErrors.first { return describe(attempt.error) }
        if error.dnsAError != nil || error.dnsAAAAError != nil { return "the name cannot be resolved (DNS)" }
        return "no connection"
    }

    private static func describe(_ error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "connection refused"
        case ECONNRESET, EPIPE: "the connection was reset"
        case EHOSTUNREACH, ENETUNREACH: "no route to the host"
        case ETIMEDOUT: "the connection timed out"
        default: errnoText(error.errnoCode)
        }
    }

    private static func describe(_ error: NIOSSLError) -> String {
        switch error {
        case .handshakeFailed(let cause): "TLS handshake failed: \(detail(cause))"
        case .unableToValidateCertificate, .noCertificateToValidate: "TLS: the certificate is not trusted"
        case .uncleanShutdown: "TLS: the connection was cut off"
        case .noSuchFilesystemObject: "there is no such file"
        case .failedToLoadCertificate: "it holds no certificate that can be read"
        default: "TLS failed: \(error)"
        }
    }

    private static func describe(_ error: NIOSSLExtraError) -> String {
        error == .failedToValidateHostname ? "TLS: the certificate is for another host" : "TLS failed: \(error)"
    }

    private static func detail(_ error: BoringSSLError) -> String {
        let text = String(describing: error)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "the certificate is not trusted (CERTIFICATE_VERIFY_FAILED)"
        }
        if text.contains("UNSUPPORTED_PROTOCOL") || text.contains("ALERT_PROTOCOL_VERSION") {
            return "the other side speaks no TLS of version 1.2 or later"
        }
        if text.contains("WRONG_VERSION_NUMBER") { return "the other side does not speak TLS (WRONG_VERSION_NUMBER)" }
        return text
    }
}
