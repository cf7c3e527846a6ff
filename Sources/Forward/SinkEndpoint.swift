import FoundationEssentials
import Glibc
import Model

/// The validated address and headers of a sink.
struct SinkEndpoint: Sendable, Hashable {
    let url: String
    let host: String
    let port: Int

    /// Headers that describe the framing and encoding of a batch: the settings cannot set them.
    private static let reserved: Set<String> = [
        "connection", "content-encoding", "content-length", "content-type", "expect", "host", "idempotency-key", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// - Throws: `SinkError` when batches cannot be posted to `url`, or a header cannot be sent.
    init(_ options: SinkOptions) throws(SinkError) {
        let example = "write the address in full, such as https://logs.example.com/ingest"
        guard let parsed = URL(string: options.url, encodingInvalidCharacters: false) else {
            throw SinkError("url is not a URL", hint: example)
        }
        guard let scheme = parsed.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw SinkError("url must begin with http:// or https://", hint: example)
        }
        guard let host = parsed.host, !host.isEmpty else {
            throw SinkError("url has no host", hint: example)
        }
        guard parsed.user == nil, parsed.password == nil else {
            throw SinkError(
                "url holds a user name or password",
                hint: "settings hold no secrets: put a bearer token into a file and name it as token_file")
        }
        let port = parsed.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else {
            throw SinkError("url has the invalid port \(port)", hint: example)
        }
        guard scheme == "https" || options.tokenFile == nil || Self.isLoopback(host) else {
            throw SinkError(
                "url begins with http://, which would show the token to everybody on the way",
                hint: "write https://, or remove credential and token_file; with a token, http:// is only for "
                    + "addresses of this machine: localhost, 127.0.0.0/8, [::1]")
        }
        // The settings check what headers are made of, and let none have a secret.
        for name in options.headers.keys where Self.reserved.contains(name.text.lowercased()) {
            throw SinkError("the header \(name.text) is set by Gloss itself", hint: "remove it")
        }
        self.host = host
        self.port = port
        url = options.url
    }

    /// Whether the address is on this machine: 127.0.0.0/8, ::1 and `localhost`.
    private static func isLoopback(_ host: String) -> Bool {
        let host = host.filter { $0 != "[" && $0 != "]" }.lowercased()
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        if inet_pton(AF_INET6, host, &six) == 1 {
            return withUnsafeBytes(of: &six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
        return host == "localhost"
    }

    /// Returns the URL for people: without its query, which may contain a key.
    static func display(_ url: String) -> String {
        url.firstIndex { $0 == "?" || $0 == "#" }.map { String(url[..<$0]) } ?? url
    }

    /// Returns what `display` leaves out, without the `?`; `nil` if there is nothing.
    static func query(_ url: String) -> String? {
        let query = url.utf8.dropFirst(display(url).utf8.count + 1)
        return query.isEmpty ? nil : String(Substring(query))
    }
}
