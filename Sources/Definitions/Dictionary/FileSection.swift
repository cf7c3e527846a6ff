import Model

/// A part of a definition file: what is before the first h2, or an h2 and what follows it.
struct FileSection {
    enum Kind: Hashable {
        /// What is before the first event or type: it concerns all of them.
        case head
        /// An event, or a type.
        case named(ExactString)
        /// What follows a heading that names nothing.
        case unnamed
    }

    /// Its first line, from 1.
    var line: Int
    var kind: Kind

    /// The head of a file.
    init() {
        line = 1
        kind = .head
    }

    /// - Parameter name: the name of the event or type, if its heading has one.
    init(line: Int, name: String?) {
        self.line = line
        kind = name.map { .named(ExactString($0)) } ?? .unnamed
    }
}

/// A file with its sections.
struct SectionedFile {
    let name: String
    let bytes: [UInt8]
    let sections: [FileSection]
    /// Where each section begins in the bytes, and the end.
    private let starts: [Int]
    private let places: [FileSection.Kind: [Int]]

    init(_ file: DefinitionFile, _ sections: [FileSection]) {
        name = file.name
        bytes = file.bytes
        self.sections = sections
        var starts = [0]
        var lines = FileLines(file.bytes)
        for section in sections.dropFirst() { starts.append(lines.line(section.line).startIndex) }
        self.starts = starts + [file.bytes.count]
        places = Dictionary(grouping: sections.indices) { sections[$0].kind }
    }

    func bytes(of index: Int) -> ArraySlice<UInt8> { bytes[starts[index]..<starts[index + 1]] }

    /// Returns the places of the sections of this kind: a heading may be there twice.
    func indices(of kind: FileSection.Kind) -> [Int] { places[kind] ?? [] }

    /// Returns everything that the file says of a name, without line breaks at the end; `nil` for nothing.
    func text(of kind: FileSection.Kind) -> [[UInt8]]? {
        let parts = indices(of: kind).map { index in
            let bytes = bytes(of: index)
            let end = bytes.lastIndex { $0 != 0x0A && $0 != 0x0D }
            return Array(bytes[..<(end.map { $0 + 1 } ?? bytes.startIndex)])
        }
        return parts.isEmpty ? nil : parts
    }

    /// Returns the place of the section that a line is in; `nil` if the file has none.
    func index(of line: Int) -> Int? {
        let end = sections.endOfThose { $0.line <= line }
        return end == 0 ? nil : end - 1
    }

    /// Returns the section that a line is in.
    func section(of line: Int) -> FileSection.Kind { index(of: line).map { sections[$0].kind } ?? .head }
}
