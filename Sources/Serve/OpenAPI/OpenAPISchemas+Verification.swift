extension OpenAPISchemas {
    static let verification: [String: DocumentNode] = [
        "VerificationStreamLine": [
            "oneOf": .list(
                ["VerificationProgressLine", "VerificationLine", "ErrorLine"].map(OpenAPIDocument.reference)),
            "description": "One line of a verification's stream",
        ],
        "VerificationProgressLine": object(
            counts.merging([
                "type": constant("progress", "What kind of line this is"),
                "percent": number("Which part of the entries was looked at, 0 to 100"),
            ]) { $1 }, "What was found so far"),
        "VerificationLine": object(
            counts.merging([
                "type": constant("verification", "What kind of line this is"),
                "whole": flag("Whether nothing is unexplained or unreadable"),
                "examples": array(text("One of them"), "The first of what is unexplained or unreadable, in words"),
            ]) { $1 }, "What was found: the last line"),
    ]

    private static let counts: [String: DocumentNode] = [
        "entries": integer("How many entries were looked at; each is in one of the six counts that follow"),
        "stored": integer("Entries whose events are in the store"),
        "passed": integer("Entries that no source takes, as the settings are now"),
        "duplicates": integer("Entries that a full file has half-written, and the next one whole"),
        "expired": integer("Entries that are older than events are kept, or than the oldest that retention has left"),
        "damaged": integer("Entries that cannot be read, and gap records say so"),
        "unexplained": integer(
            "Entries that should be in the store and are not, or cannot be read and no gap record says so"),
        "missing": integer("Sequence numbers that no file has and that gap records name"),
        "unexplained_numbers": integer("Sequence numbers that no file has and of which nothing tells"),
        "unread": integer("Entries that were not read yet when it began"),
        "unreadable_files": integer("Files and folders that cannot be read"),
    ]
}
