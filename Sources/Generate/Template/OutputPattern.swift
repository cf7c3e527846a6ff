import Model

/// The path of a template's output, such as `{category}/{event}.json`. Its placeholders determine whether there is one
/// file for the dictionary, or one for each category or event.
struct OutputPattern {
    enum Scope { case dictionary, category, event }

    private enum Part {
        case text(String)
        case name(isCategory: Bool, style: String?)
    }

    let scope: Scope
    private let parts: [Part]
    /// The depth of the files; 1 for files in the output folder itself.
    let depth: Int
    /// The common end of all file names, from the first dot after the last placeholder.
    let ending: String

    private static let styles = ["camel", "pascal", "snake", "constant"]

    init(_ text: String, template: String) throws(GenerateError) {
        func refused(_ why: String) -> GenerateError {
            GenerateError(.templates, "\(template): output `\(text)`: \(why)")
        }
        var parts: [Part] = []
        var scope = Scope.dictionary
        for (index, piece) in text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
            guard index > 0 else {
                parts.append(.text(String(piece)))
                continue
            }
            guard let end = piece.firstIndex(of: "}") else { throw refused("a `{` is not closed") }
            let place = piece[..<end].split(separator: ".", maxSplits: 1).map(String.init)
            guard let what = place.first, what == "category" || what == "event",
                place.count == 1 || Self.styles.contains(place[1])
            else {
                throw refused("there is no `{\(piece[..<end])}`: write {category} or {event}, or such as {event.snake}")
            }
            parts.append(.name(isCategory: what == "category", style: place.count > 1 ? place[1] : nil))
            parts.append(.text(String(Substring(piece.utf8[end...].dropFirst()))))
            if what == "event" { scope = .event } else if scope == .dictionary { scope = .category }
        }
        let folders = text.split(separator: "/", omittingEmptySubsequences: false)
        guard !folders.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }), !text.contains("\\") else {
            throw refused("write a path within the folder of the output")
        }
        guard let last = folders.last?.split(separator: "}", omittingEmptySubsequences: false).last, last.contains(".")
        else { throw refused("write a file name with an ending, such as `{category}.kt`") }
        self.parts = parts
        self.scope = scope
        depth = folders.count
        ending = String(last[(last.firstIndex(of: ".") ?? last.startIndex)...])
    }

    func path(category: CategoryNode?, event: EventNode?) -> String {
        parts.map { part in
            switch part {
            case .text(let text): return text
            case .name(let isCategory, let style):
                let names = isCategory ? category?.names : event?.names
                let plain = isCategory ? category?.name : event?.name
                let name =
                    switch style {
                    case "camel": names?.camel
                    case "pascal": names?.pascal
                    case "snake": names?.snake
                    case "constant": names?.constant
                    default: plain.map(Self.fileName)
                    }
                // Backticks are for code.
                return (name ?? "").filter { $0 != "`" }
            }
        }.joined()
    }

    /// The name of a category or event with `%2F` for a slash, and so on, where a file cannot have it on every system.
    private static func fileName(_ name: String) -> String {
        name.unicodeScalars.enumerated().map { index, scalar in
            let isSafe = !"/\\:*?\"<>|%`".unicodeScalars.contains(scalar) && !(index == 0 && scalar == ".")
            return isSafe ? String(scalar) : "%" + String(scalar.value, radix: 16, uppercase: true)
        }.joined()
    }
}
