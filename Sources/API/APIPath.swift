package import Model

/// The paths of the control API, for the daemon and its clients.
package enum APIPath {
    package static let status = "/v1/status"
    package static let events = "/v1/events"
    package static let gaps = "/v1/gaps"
    package static let verify = "/v1/verify"
    package static let dictionaries = "/v1/dictionaries"
    package static let reports = "/v1/reports"
    package static let stats = "/v1/stats"
    package static let sql = "/v1/sql"
    package static let tables = "/v1/tables"
    package static let keys = "/v1/keys"
    package static let checklists = "/v1/checklists"
    package static let alerts = "/v1/alerts"
    package static let diagnostics = "/v1/diagnostics"
    package static let notices = "/v1/alerts/history"
    package static let reload = "/v1/reload"
    package static let openAPI = "/openapi.json"
    package static let metrics = "/metrics"

    package static func event(id: Int64) -> String { "\(events)/\(id)" }

    /// A page of the definitions of a dictionary.
    package static func definitions(dictionary: String, _ query: DefinitionQuery = DefinitionQuery()) -> String {
        path("\(dictionaries)/\(percentEncoded(dictionary))/definitions", query.parameters)
    }

    package static func definition(dictionary: String, key: EventKey) -> String {
        "\(definitions(dictionary: dictionary))/\(percentEncoded(key.category))/\(percentEncoded(key.name))"
    }

    /// The versions of a dictionary.
    package static func versions(dictionary: String) -> String {
        "\(dictionaries)/\(percentEncoded(dictionary))/versions"
    }

    package static func report(_ report: ReportKind, _ query: ReportQuery = ReportQuery()) -> String {
        path("\(reports)/\(report.rawValue)", query.parameters)
    }

    /// `/v1/events` with the query's parameters, such as `/v1/events?n=10&level=err`.
    package static func events(_ query: EventQuery) -> String { path(events, query.parameters) }

    package static func stats(_ query: StatsQuery) -> String { path(stats, query.parameters) }

    package static func sql(_ query: SQLQuery) -> String { path(sql, query.parameters) }

    package static func tables(_ query: TableQuery) -> String { path(tables, query.parameters) }

    package static func gaps(_ query: GapQuery) -> String { path(gaps, query.parameters) }

    package static func verify(_ query: VerifyQuery) -> String { path(verify, query.parameters) }

    package static func checklists(_ query: ChecklistQuery) -> String { path(checklists, query.parameters) }

    package static func checklist(_ run: String) -> String { "\(checklists)/\(percentEncoded(run))" }
    package static func checklistChanges(_ run: String) -> String { checklist(run) + "/changes" }
    package static func checklistScope(_ run: String) -> String { checklist(run) + "/scope" }
    package static func checklistReset(_ run: String) -> String { checklist(run) + "/reset" }
    package static func checklistStop(_ run: String) -> String { checklist(run) + "/stop" }

    package static func notices(_ query: NoticeQuery) -> String { path(notices, query.parameters) }

    package static func alertTest(_ alert: String) -> String { "\(alerts)/\(percentEncoded(alert))/test" }

    package static func alertSilence(_ alert: String, _ query: SilenceQuery) -> String {
        path("\(alerts)/\(percentEncoded(alert))/silence", query.parameters)
    }

    package static func alertTrial(_ alert: String, _ query: TrialQuery) -> String {
        path("\(alerts)/\(percentEncoded(alert))/trial", query.parameters)
    }

    private static func path(_ path: String, _ parameters: [(name: String, value: String)]) -> String {
        let items = parameters.map { "\($0.name)=\(percentEncoded($0.value))" }
        return items.isEmpty ? path : "\(path)?\(items.joined(separator: "&"))"
    }
}

/// Percent-encodes a text for a path segment or a query value: every byte but those of unreserved characters.
/// - Parameter others: ASCII characters that are not encoded either.
/// - Source: RFC 3986, section 2.3
package func percentEncoded(_ text: String, keeping others: String = "") -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        if byte.isNameByte || ".~".utf8.contains(byte) || others.utf8.contains(byte) {
            bytes.append(byte)
        } else {
            bytes.append(UInt8(ascii: "%"))
            bytes += (byte < 16 ? "0" : "").utf8
            bytes += String(byte, radix: 16, uppercase: true).utf8
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// Decodes a percent-encoded text.
/// - Parameter plusIsSpace: whether `+` means a space, as in the queries of HTML forms and most HTTP libraries.
/// - Returns: `nil` if a `%` is not followed by two hexadecimal digits, or the bytes are not UTF-8.
package func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%") {
            guard rest.count >= 2, let high = hexadecimalValue(of: rest.removeFirst()),
                let low = hexadecimalValue(of: rest.removeFirst())
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        } else {
            bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}
