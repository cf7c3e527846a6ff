/// The text of a notifier, in which `{{…}}` stands for a part of the notice.
package enum AlertTemplate {
    package enum Name: String, CaseIterable, Sendable {
        case alert, state, cause, text, time, since, event, shown
    }

    /// What is wrong with a template; `nil` if nothing is.
    package static func problem(_ template: String) -> String? {
        let known = Name.allCases.map { "{{\($0.rawValue)}}" }.joined(separator: ", ")
        let pieces = pieces(template)
        if pieces == nil { return "a text in which each {{ has its }}; there are \(known)" }
        for case .place(let name) in pieces ?? [] where Name(rawValue: name) == nil {
            return "a text with \(known), and no {{\(name)}}"
        }
        return nil
    }

    /// Whether anything stands for a part of the notice.
    package static func hasPlaces(_ template: String) -> Bool {
        (pieces(template) ?? []).contains { if case .place = $0 { true } else { false } }
    }

    /// Returns the text for a notice.
    /// - Parameter isJSON: whether the parts are written as in a string of JSON.
    package static func text(_ template: String, _ notice: AlertNotice, isJSON: Bool) -> String {
        (pieces(template) ?? []).map { piece in
            switch piece {
            case .text(let text): String(text)
            case .place(let name):
                Name(rawValue: name).map { isJSON ? escaped(value($0, notice)) : value($0, notice) } ?? ""
            }
        }.joined()
    }

    private static func value(_ name: Name, _ notice: AlertNotice) -> String {
        switch name {
        case .alert: notice.alert
        case .state: notice.state.rawValue
        case .cause: notice.causeText
        case .text: notice.text
        case .time: CivilTime.iso(notice.time, .utc, decimals: 0)
        case .since: CivilTime.iso(notice.since, .utc, decimals: 0)
        case .event: notice.event.map { String($0) } ?? ""
        case .shown: notice.shownText
        }
    }

    private enum Piece {
        case text(Substring)
        case place(String)
    }

    private static func pieces(_ template: String) -> [Piece]? {
        var (pieces, rest) = ([Piece](), template[...])
        while let opening = rest.parts(at: "{{") {
            guard let closing = opening.after.parts(at: "}}") else { return nil }
            pieces.append(.text(opening.before))
            pieces.append(.place(String(closing.before).trimmed))
            rest = closing.after
        }
        return pieces + [.text(rest)]
    }

    /// - Source: RFC 8259, section 7
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20:
                result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
