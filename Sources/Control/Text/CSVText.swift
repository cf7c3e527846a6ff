import Model

/// Rows of CSV.
///
/// Values are written unchanged, including those that begin with `=`, `+`, `-` or `@`: a prefix would change the data
/// for all readers but spreadsheets. Only control characters become escapes, since texts come from payloads and the
/// table may be shown on a terminal.
/// - Source: RFC 4180 for the quotes; lines end with LF, as is usual on Linux.
enum CSVText {
    static func line(_ fields: [String]) -> String {
        // Readers skip empty lines.
        fields == [""] ? "\"\"\n" : fields.map(field).joined(separator: ",") + "\n"
    }

    private static func field(_ text: String) -> String {
        let safe = SafeText.neutralised(text)
        guard safe.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
        return "\"\(safe.replacing("\"", with: "\"\""))\""
    }
}
