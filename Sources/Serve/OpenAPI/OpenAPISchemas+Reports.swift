import API
import Model

extension OpenAPISchemas {
    static func name(of report: ReportKind) -> String {
        switch report {
        case .undefined: "UndefinedReport"
        case .unseen: "UnseenReport"
        case .violations: "ViolationReport"
        case .obsolete: "ObsoleteReport"
        }
    }

    static let reports = Dictionary(
        uniqueKeysWithValues: ReportKind.allCases.map { kind in
            (
                name(of: kind),
                object(["report": ["const": .text(kind.rawValue)], "rows": array(row(of: kind)), "total": integer])
            )
        })

    private static func row(of report: ReportKind) -> DocumentNode {
        let key: [String: DocumentNode] = ["dictionary": text, "category": text, "name": text]
        let seen: [String: DocumentNode] = [
            "count": integer, "first_seen": time, "last_seen": time, "sample_event": integer,
        ]
        func row(_ properties: [String: DocumentNode], optional: Set<String>) -> DocumentNode {
            object(properties.merging(key) { $1 }, optional: optional)
        }
        switch report {
        case .undefined:
            return row(
                seen.merging(["closest": object(["category": text, "name": text, "distance": integer])]) { $1 },
                optional: ["dictionary", "sample_event", "closest"])
        case .unseen:
            return row(["description": text, "watched_since": time], optional: ["watched_since"])
        case .violations:
            return row(
                seen.merging(["parameter": text, "rule": choice(Violation.Rule.allCases.map(\.rawValue))]) { $1 },
                optional: ["dictionary", "parameter", "sample_event"])
        case .obsolete:
            return row(
                ["parameter": text, "still_seen": integer, "last_seen": time, "sample_event": integer],
                optional: ["parameter", "last_seen", "sample_event"])
        }
    }
}
