import API
import Model

extension OpenAPISchemas {
    static func name(of report: ReportKind) -> String {
        switch report {
        case .undefined: "UndefinedReport"
        case .unseen: "UnseenReport"
        case .violations: "ViolationReport"
        case .obsolete: "ObsoleteReport"
        case .unkeyed: "UnkeyedReport"
        case .malformed: "MalformedReport"
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
                    "looked_at": reference("ReportScope", "What the report was made from"),
                ])
            )
        }
    ).merging(["ReportScope": scope]) { $1 }

    private static let scope = object(
        [
            "events": counts("How many events meet the filter, whether they are in a row or not"),
            "gaps": array(gaps, "The gap records of the range, by cause; absent when there are none"),
            "stored_since": time("Retention removed events of the range that were older; absent when it did not"),
            "unknown": array(unknown, "Names that were asked for and that nothing has; absent when there are none"),
        ], optional: ["gaps", "stored_since", "unknown"])

    private static let gaps = object(
        [
            "cause": choice(Gap.Cause.allCases.map(\.rawValue), "Why entries are missing"),
            "records": integer("How many gap records there are"),
            "missing": integer("How many entries are missing for certain, as far as the records know"),
            "at_most": integer("How many more may be missing; absent when no record says so"),
            "uncounted": integer("How many of the records do not know how many entries are missing"),
        ], optional: ["at_most", "uncounted"])

    private static let unknown = object([
        "parameter": choice(["subsystem", "category", "event"], "Which filter has it"),
        "value": text("The glob that was asked for"),
    ])

    private static let origin = object(
        [
            "subsystem": text("The subsystem of their journal entries"),
            "category": text("The category of their journal entries"),
        ], "Whose events they are; of a row that has a key only where no dictionary covers them")

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
                seen.merging(["origin": origin, "closest": closest]) { $1 },
                optional: ["dictionary", "origin", "sample_event", "closest"])
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
        case .unkeyed, .malformed:
            return object(
                seen.merging([
                    "dictionary": text("The dictionary; absent where none covers the events"), "origin": origin,
                    "reason": text("What is wrong with the latest of them, where that is known"),
                ]) { $1 }, optional: ["dictionary", "sample_event", "reason"])
        }
    }

    private static let closest = object(
        [
            "category": text("Its category"), "name": text("Its name in the category"),
            "distance": integer("How many characters must be inserted, deleted, replaced or swapped"),
        ], "The defined key that is nearest; absent when none is near enough")
}
