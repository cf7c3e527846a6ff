import JSON
package import Model

extension LinkTemplate {
    /// Longer paths are none that a link is for.
    private static let maximumPathBytes = 2048

    /// What `{path}` stands for: the path of the payload's string `path`, without scheme, host, query and fragment,
    /// each number and each UUID replaced by `*`.
    /// - Parameter payload: JSON text; of an event without payload, anything.
    package static func path(ofPayload payload: [UInt8]) -> String? {
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

    /// - Returns: `nil` for what is no absolute path, such as what stands for a private value.
    private static func path(ofAddress address: String) -> String? {
        var path = Substring(address.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
        // In a path `://` means nothing: only what stands before the first `/` may be a scheme.
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
    /// The addresses for one definition; those that need more than there is are left out.
    /// - Parameter payload: of the event that they are about, or of an example.
    package func links(to key: EventKey, payload: [UInt8]?) -> [LinkReply] {
        guard !isEmpty else { return [] }
        let path = payload.flatMap(LinkTemplate.path(ofPayload:))
        return compactMap { template in
            template.url(key: key, path: path).map { LinkReply(name: template.name, url: $0) }
        }
    }
}

extension LinkTemplate {
    /// What may stand in a template between `{` and `}`.
    package enum Place: String, Sendable, CaseIterable {
        case category, event, path
    }

    /// The address with every place filled in. Each value is percent-encoded, and so is what an address may not have of
    /// the template's own text: the same address is right in a browser, in a pipe and in JSON.
    ///
    /// - Parameter path: of the example, as `path(ofPayload:)` gives it.
    /// - Returns: `nil` when a place of the template has no value, or is none of `Place`.
    package func url(key: EventKey, path: String?) -> String? {
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

    /// - Source: RFC 3986, section 2: what is neither reserved nor unreserved nor `%` is no character of an address
    private static func escaped(_ text: Substring) -> String {
        percentEncoded(String(text), keeping: "%:/?#[]@!$&'()*+,;=")
    }
}
