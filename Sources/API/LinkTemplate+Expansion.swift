package import Model

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
