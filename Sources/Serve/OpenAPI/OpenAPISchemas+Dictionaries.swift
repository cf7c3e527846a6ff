import API
import Model

extension OpenAPISchemas {
    static let dictionaries: [String: DocumentNode] = [
        "DictionaryList": object([
            "dictionaries": list("Dictionary", "In the order of the settings: the first that fits an event is used")
        ]),
        "Dictionary": object(
            [
                "name": text("What the settings call it"), "path": text("The folder of its files"),
                "subsystem": text("Glob on the subsystem of events that are looked up in it"),
                "category": text("Glob on the category of events that are looked up in it"),
                "version": text("The version in force; absent where none could be loaded yet"), "key": payloadKey,
                "types": integer("How many custom types the settings define for it"),
                "definitions": integer("How many events it defines"),
                "loaded_at": time("When it was put in force; absent where none could be loaded yet"),
                "problem": text("Why the files as they are now could not be loaded"),
                "warnings": integer("How many of the problems, listed or not, are warnings"),
                "problems": array(definitionProblem, "What is wrong with the files as they are now, errors first"),
                "problems_omitted": integer("How many more problems there are than are listed"),
            ], optional: ["version", "loaded_at", "problem"]),
        "Parameter": parameter,
        "Definition": object(definition),
        "DefinitionDetail": object(definition.merging(history) { $1 }, optional: ["example"]),
        "DefinitionList": object(
            [
                "dictionary": text("The dictionary's name"), "version": text("Its version in force"),
                "key": payloadKey,
                "common_parameters": list("Parameter", "Those of every event of the dictionary"),
                "common_matches": array(match, "Where the words of a search are in common parameters"),
                "categories": array(category, "The categories that have something to show"),
                "total": integer("How many definitions there would be without n"),
                "next": text("Where the next page goes on: after= this; absent when there is no more"),
            ], optional: ["common_matches", "next"]),
        "DictionaryVersionList": object([
            "dictionary": text("The dictionary's name"), "current": text("Its version in force"),
            "versions": array(version, "The contents that it had, newest first"),
        ]),
        "DictionaryFiles": object([
            "dictionary": text("The dictionary's name"), "version": text("The version that the files are of"),
            "files": array(file, "Sorted by name"),
        ]),
    ]

    private static let payloadKey = array(
        text("A member of payloads"), "The members of payloads that have the event's category and its name")

    private static let definitionProblem = object([
        "file": text("The file"), "line": integer("The line, from 1"), "column": integer("The column, from 1"),
        "severity": choice(DefinitionProblemReply.Severity.allCases.map(\.rawValue), "Whether it prevents loading"),
        "rule": text("The rule of lint"), "message": text("What is wrong"),
    ])

    private static let parameter = object(
        [
            "name": text("Its name"), "type": text("Its type, such as bigint, or a custom type's name"),
            "custom": flag("Whether the type is one of the team's own"),
            "values": array(text("A value"), "The values that are allowed, where not all of the type are"),
            "same_as": text("The built-in type that a custom type is checked like"),
            "optional": flag("Whether it may be absent or null"), "max_bytes": integer("How long a string may be"),
            "obsolete": flag("Whether it is marked obsolete"),
            "privacy": choice(Privacy.allCases.map(\.rawValue), "What becomes of its values before they are stored"),
            "role": choice(ParameterRole.allCases.map(\.rawValue), "Whom it names"),
            "description": array(text("A line"), "What it means, line by line"),
        ], optional: ["values", "same_as", "max_bytes", "role"])

    private static let definition: [String: DocumentNode] = [
        "dictionary": text("The dictionary that defines it"), "key": payloadKey,
        "category": text("The category of its key"),
        "name": text("Its name in the category"), "description": text("What it means"),
        "category_description": text("What the category means"), "obsolete": flag("Whether it is marked obsolete"),
        "parameters": list("Parameter", "Its own, in the order of the file"),
        "category_parameters": list("Parameter", "Those of every event of the category"),
        "common_parameters": list("Parameter", "Those of every event of the dictionary"),
        "source": text("Where it is written: FILE:LINE"),
    ]

    private static let history: [String: DocumentNode] = [
        "version": text("The dictionary's version in force"), "loaded_at": time("When that was put in force"),
        "state": state,
        "usage": object(
            [
                "total": counts("Since the store was made, also of events that retention removed"),
                "day": counts("Of the stored events of the last 24 hours"),
                "week": counts("Of the stored events of the last seven days"),
                "first_seen": time("When the first such event was sent"),
                "last_seen": time("When the latest such event was sent"),
                "watched_since": time("When the definition was first loaded"),
            ], optional: ["first_seen", "last_seen", "watched_since"], "What is known of its events"),
        "violations": array(
            object(
                [
                    "parameter": text("The parameter that breaks it"), "rule": rule,
                    "count": integer("How many events broke it"), "last_seen": time("When the latest of them was sent"),
                ], optional: ["parameter"]), "Which rules its events broke"),
        "links": list("Link", "The definition elsewhere"),
        "example": reference("EventLine", "The newest stored event that keeps to the definition, or else the newest"),
    ]

    private static let version = object([
        "version": text("Its name: a digest of the contents"), "loaded_at": time("When it was first in force"),
        "last_loaded_at": time("When it was last put in force"), "definitions": integer("How many events it defines"),
        "key": payloadKey, "files": flag("Whether its files are still kept"),
    ])

    private static let file = object(
        [
            "name": text("Its name"), "text": text("Its contents; invalid UTF-8 is repaired"),
            "base64": text("Its contents in Base64, where they are not UTF-8"),
        ], optional: ["base64"])

    private static let category = object(
        [
            "name": text("Its name"), "title": text("Its heading"), "description": text("What it means"),
            "parameters": list("Parameter", "Those of every event of the category"),
            "definitions": array(item, "In the order of the file"),
            "matches": array(match, "Where the words of a search are, when the category itself was found"),
        ], optional: ["title", "matches"])

    private static let item = object(
        [
            "name": text("Its name in the category"), "description": text("What it means"),
            "obsolete": flag("Whether it is marked obsolete"), "state": state,
            "seen": counts("How many such events came, by resolution"),
            "last_seen": time("When the latest of them was sent"), "parameters": list("Parameter", "Its own"),
            "matches": array(match, "Where the words of a search are"),
        ], optional: ["last_seen", "matches"])

    private static let match = object(
        [
            "place": choice(DefinitionList.Match.Place.allCases.map(\.rawValue), "Which text has a word of the search"),
            "parameter": text("The parameter that the text is of"),
        ], optional: ["parameter"])

    private static let state = choice(DefinitionState.allCases.map(\.rawValue), "Whether its events come")
    static let rule = choice(Violation.Rule.allCases.map(\.rawValue), "The rule that is broken")
}
