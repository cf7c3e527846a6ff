import API
import Model

extension ParameterReply {
    /// The type as definitions write it: `!bigint`, `!string? 64`, `SearchOrder`; with `[obsolete]` where it is.
    var typeName: String {
        let name = (obsolete ? "[obsolete] " : "") + (custom ? "" : "!") + type + (optional ? "?" : "")
        return SafeText.neutralised(name + (maxBytes.map { " \($0)" } ?? ""))
    }

    /// The type with what the settings and the definition say of its values.
    var typeText: String {
        var text = typeName
        if let sameAs { text += " (as \(sameAs))" }
        if let values { text += " (\(values.joined(separator: ", ")))" }
        return SafeText.neutralised(text)
    }

    /// What else is said of its values: `privacy: hash · user`.
    var annotations: String {
        [
            sameAs.map { "checked as !\($0)" },
            values.map { "values: \($0.joined(separator: ", "))" },
            privacy == "public" ? nil : "privacy: \(privacy)",
            role,
        ].compactMap { $0 }.joined(separator: " · ")
    }
}
