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
                object([
                    "report": constant(kind.rawValue, "Which report this is"),
                    "rows": array(row(of: kind), "As many as were asked for, those that matter most first"),
                    "total": integer("How many rows there would be"),
                ])
            )
        })

    private static func row(of report: ReportKind) -> DocumentNode {
        let key: [String: DocumentNode] = [
            "dictionary": text("The dictionary; absent where none covers the event"),
            "category": text("The category of the event's key"), "name": text("Its name in the category"),
        ]
        let last: [String: DocumentNode] = [
            "last_seen": time("When the latest of them was sent"),
            "sample_event": integer("The id of the latest of them, as long as it is stored"),
        ]
        let seen = last.merging([
            "count": integer("How many events there were"), "first_seen": time("When the first of them was sent"),
        ]) { $1 }
        func row(_ properties: [String: DocumentNode], optional: Set<String>) -> DocumentNode {
            object(properties.merging(key) { $1 }, optional: optional)
        }
        switch report {
        case .undefined:
            return row(
                seen.merging(["closest": closest]) { $1 }, optional: ["dictionary", "sample_event", "closest"])
        case .unseen:
            return row(
                [
                    "description": text("The first line of its description"),
                    "watched_since": time("When the definition was first loaded"),
                ], optional: ["watched_since"])
        case .violations:
            return row(
                seen.merging(["parameter": text("The parameter that breaks the rule"), "rule": rule]) { $1 },
                optional: ["dictionary", "parameter", "sample_event"])
        case .obsolete:
            return row(
                last.merging([
                    "parameter": text("The obsolete parameter; absent when the event itself is obsolete"),
                    "still_seen": integer("How many events had it"),
                ]) { $1 }, optional: ["parameter", "last_seen", "sample_event"])
        }
    }

    private static let closest = object(
        [
            "category": text("Its category"), "name": text("Its name in the category"),
            "distance": integer("How many characters must be inserted, deleted, replaced or swapped"),
        ], "The defined key that is nearest; absent when none is near enough")
}
