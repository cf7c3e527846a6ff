import API
import Model

extension ParameterReply {
    /// The type in the form of definitions: `!bigint`, `!string? 64`, `SearchOrder`, `[Item] 50`, with `[obsolete]` if it
    /// is obsolete.
    var typeName: String {
        SafeText.neutralised((obsolete ? "[obsolete] " : "") + written)
    }

    /// The type with the allowed values.
    var typeText: String {
        var text = typeName
        if let sameAs { text += " (as \(sameAs))" }
        if let values { text += " (\(values.joined(separator: ", ")))" }
        return SafeText.neutralised(text)
    }

    /// What is said about it besides its type: `checked as user_id · values: a, b · privacy: hash · user`.
    var annotations: String {
        [
            sameAs.map { "checked as \($0)" },
            values.map { "values: \($0.joined(separator: ", "))" },
            privacy == "public" ? nil : "privacy: \(privacy)",
            role,
        ].compactMap { $0 }.joined(separator: " · ")
    }
}
