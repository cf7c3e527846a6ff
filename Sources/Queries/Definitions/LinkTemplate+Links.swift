package import API
import JSON
package import Model

extension LinkTemplate {
    /// Longer paths are ignored.
    private static let maximumPathBytes = 2048

    /// Returns the value of `{path}`: the path in the payload's string `path`, without scheme, host, query and
    /// fragment, with each number and each UUID replaced by `*`.
    /// - Parameter payload: JSON text, or any text of an event without a payload.
    static func path(ofPayload payload: [UInt8]) -> String? {
        guard let members = try? JSONScanner.members(of: payload, limits: .payload),
            let member = members.last(where: { payload[$0.key].elementsEqual("path".utf8) }),
            case .string(let hasEscapes) = member.kind, member.content.count <= maximumPathBytes
        else { return nil }
        let text =
            hasEscapes
            ? JSONScanner.text(of: payload, in: member.content)
            : String(decoding: payload[member.content], as: UTF8.self)
        return path(ofAddress: text)
    }

    /// - Returns: `nil` if the text is not an absolute path, such as the placeholder of a private value.
    private static func path(ofAddress address: String) -> String? {
        var path = Substring(address.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
        // `://` has no meaning in a path: a scheme is only possible before the first `/`.
        if let colon = path.unicodeScalars.firstIndex(where: { $0 == ":" || $0 == "/" }),
            let authority = path[colon...].rest(after: "://")
        {
            path = authority.firstIndex(of: "/").map { authority[$0...] } ?? "/"
        }
        guard path.hasPrefix("/") else { return nil }
        return PathPattern.of(path)
    }
}

extension [LinkTemplate] {
    /// Returns the links for one definition, without those that need a value that is missing.
    /// - Parameter payload: the payload of the event, or of an example.
    package func links(to key: EventKey, payload: [UInt8]?) -> [LinkReply] {
        guard !isEmpty else { return [] }
        let path = payload.flatMap(LinkTemplate.path(ofPayload:))
        return compactMap { template in
            template.url(key: key, path: path).map { LinkReply(name: template.name, url: $0) }
        }
    }
}

extension LinkTemplate {
    /// Returns the address with all placeholders replaced. Values are percent-encoded, and so are characters of the
    /// template that a URL may not have: the same address works in a browser, in a pipe and in JSON.
    ///
    /// - Parameter path: the path of the example, from `path(ofPayload:)`.
    /// - Returns: `nil` if a placeholder has no value, or is not a `Place`.
    func url(key: EventKey, path: String?) -> String? {
        var url = ""
        var rest = template[...]
        while let open = rest.parts(at: "{") {
            url += Self.escaped(open.before)
            guard let close = open.after.parts(at: "}"), let place = Place(rawValue: String(close.before)) else {
                return nil
            }
            rest = close.after
            switch place {
            case .category: url += percentEncoded(key.category)
            case .event: url += percentEncoded(key.name)
            case .path:
                guard let path else { return nil }
                url += percentEncoded(path)
            }
        }
        return url + Self.escaped(rest)
    }

    /// - Source: RFC 3986, section 2: a URL has only reserved and unreserved characters and `%`.
    private static func escaped(_ text: Substring) -> String {
        percentEncoded(String(text), keeping: "%:/?#[]@!$&'()*+,;=")
    }
}
