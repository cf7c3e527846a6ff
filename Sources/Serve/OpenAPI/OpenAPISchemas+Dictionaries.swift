import API
import Model

extension OpenAPISchemas {
    static let dictionaries: [String: DocumentNode] = [
        "DictionaryList": object(["dictionaries": list("Dictionary")]),
        "Dictionary": object(
            [
                "name": text, "path": text, "subsystem": text, "category": text, "version": text, "key": texts,
                "types": integer, "definitions": integer, "loaded_at": time, "problem": text, "warnings": integer,
                "problems": array(definitionProblem), "problems_omitted": integer,
            ], optional: ["version", "loaded_at", "problem"]),
        "Parameter": object(
            [
                "name": text, "type": text, "custom": flag, "values": texts, "same_as": text, "optional": flag,
                "max_bytes": integer, "obsolete": flag, "privacy": choice(Privacy.allCases.map(\.rawValue)),
                "role": choice(ParameterRole.allCases.map(\.rawValue)), "indexed": flag, "description": texts,
            ], optional: ["values", "same_as", "max_bytes", "role"]),
        "Definition": object(definition),
        "DefinitionDetail": object(definition.merging(history) { $1 }, optional: ["example"]),
        "DefinitionList": object(
            [
                "dictionary": text, "version": text, "common_parameters": list("Parameter"),
                "common_matches": array(match), "categories": array(category), "total": integer, "next": text,
            ], optional: ["common_matches", "next"]),
        "DictionaryVersionList": object([
            "dictionary": text, "current": text,
            "versions": array(
                object([
                    "version": text, "loaded_at": time, "last_loaded_at": time, "definitions": integer,
                    "key": texts, "files": flag,
                ])),
        ]),
        "DictionaryFiles": object([
            "dictionary": text, "version": text,
            "files": array(object(["name": text, "text": text, "base64": text], optional: ["base64"])),
        ]),
    ]

    private static let definitionProblem = object([
        "file": text, "line": integer, "column": integer,
        "severity": choice(DefinitionProblemReply.Severity.allCases.map(\.rawValue)), "rule": text, "message": text,
    ])

    private static let definition: [String: DocumentNode] = [
        "dictionary": text, "category": text, "name": text, "description": text, "category_description": text,
        "obsolete": flag, "parameters": list("Parameter"), "category_parameters": list("Parameter"),
        "common_parameters": list("Parameter"), "source": text,
    ]

    private static let history: [String: DocumentNode] = [
        "version": text, "loaded_at": time, "state": state,
        "usage": object(
            [
                "total": counts, "day": counts, "week": counts, "first_seen": time, "last_seen": time,
                "watched_since": time,
            ], optional: ["first_seen", "last_seen", "watched_since"]),
        "violations": array(
            object(["parameter": text, "rule": rule, "count": integer, "last_seen": time], optional: ["parameter"])),
        "links": list("Link"), "example": OpenAPIDocument.reference("EventLine"),
    ]

    private static let category = object(
        [
            "name": text, "title": text, "description": text, "parameters": list("Parameter"),
            "definitions": array(
                object(
                    [
                        "name": text, "description": text, "obsolete": flag, "state": state, "seen": counts,
                        "last_seen": time, "parameters": list("Parameter"), "matches": array(match),
                    ], optional: ["last_seen", "matches"])),
            "matches": array(match),
        ], optional: ["title", "matches"])

    private static let match = object(
        ["place": choice(DefinitionList.Match.Place.allCases.map(\.rawValue)), "parameter": text],
        optional: ["parameter"])

    private static let state = choice(DefinitionState.allCases.map(\.rawValue))
    private static let rule = choice(Violation.Rule.allCases.map(\.rawValue))
}
