package import Model

extension Checklist {
    /// Reads a list.
    /// - Parameters:
    ///   - file: its file, for messages, and for the name of a list that has none: that of the file without its extension.
    /// - Throws: `SettingsError` with every problem that was found, each with its line.
    package init(_ text: String, _ format: ChecklistFormat, file: String) throws(SettingsError) {
        let problems = SettingsProblems(file: file)
        let whole = file.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? file
        let name = whole.lastIndex(of: ".").map { String(whole[..<$0]) } ?? whole
        var builder = ChecklistBuilder(name: name) { problems.add($0, line: $1) }
        switch format {
        case .yaml: try builder.read(yaml: text, problems)
        case .markdown: builder.read(markdown: text.withoutByteOrderMark)
        }
        let list = builder.finished()
        guard problems.found.isEmpty else { throw SettingsError(problems: problems.found) }
        self = list
    }
}
