package import Model

extension [DefinitionProblem] {
    /// Sets the columns: the place of each problem's subject in the file's line, otherwise the start of the line's
    /// text. Lines are used as they are in the file: tabs, bullets and emphasis marks count.
    package func located(in files: [DefinitionFile]) -> [DefinitionProblem] {
        var problems = self
        let places = Dictionary(grouping: indices.lazy.filter { self[$0].column == 0 }) { ExactString(self[$0].file) }
        for file in files {
            guard let indices = places[file.name] else { continue }
            var lines = FileLines(file.bytes)
            for index in indices.sorted(by: { self[$0].line < self[$1].line }) {
                let line = lines.line(problems[index].line)
                problems[index].column = column(of: problems[index].subject, in: line)
            }
        }
        return problems
    }

    private func column(of subject: String?, in line: ArraySlice<UInt8>) -> Int {
        let blanks = line.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var offset = blanks.endIndex
        if let subject, let found = place(of: [UInt8](subject.utf8.prefix { $0 != 0x0A }), in: line) {
            offset = found
        }
        // Continuation bytes of a character are not counted.
        return line[..<offset].count { $0 & 0xC0 != 0x80 } + 1
    }

    /// Returns the first place where it is a separate word, otherwise the first place.
    private func place(of subject: [UInt8], in line: ArraySlice<UInt8>) -> Int? {
        guard let first = subject.first, let last = subject.last else { return nil }
        var (anywhere, searched): (Int?, Int) = (nil, line.startIndex)
        // A line may be nothing but the subject.
        for _ in 0..<100 {
            guard let start = line[searched...].firstPlace(of: subject) else { break }
            let end = start + subject.count
            anywhere = anywhere ?? start
            searched = start + 1
            let isJoined = start > line.startIndex && first.isWordByte && line[start - 1].isWordByte
            let goesOn = end < line.endIndex && last.isWordByte && line[end].isWordByte
            if !isJoined, !goesOn { return start }
        }
        return anywhere
    }
}
