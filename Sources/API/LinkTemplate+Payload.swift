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
