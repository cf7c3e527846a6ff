import Model

/// A part of a file of a dictionary.
struct FilePart: Hashable {
    @Exact var file: String
    var kind: FileSection.Kind

    init(_ file: String, _ kind: FileSection.Kind) {
        self.file = file
        self.kind = kind
    }
}

/// The current files of a dictionary, of which parts are replaced by their last good text or left out.
struct PatchedFiles {
    private enum Patch { case lastGood, nothing }

    private let current: [ExactString: SectionedFile]
    private let last: [ExactString: SectionedFile]
    private let names: [String]
    /// The files with errors. An error may hide a heading: what seems to be missing stays as it was.
    private let withErrors: Set<ExactString>
    /// The types that the current files name.
    private let types: Set<ExactString>
    /// The files that cannot be used, with the places of their errors. The current ones of these are the last good ones.
    private let unusable: [ExactString: String]
    private var patches: [FilePart: Patch] = [:]
    private var filePatches: [ExactString: Patch] = [:]
    /// Where the error is for which a part or a file was replaced.
    private var places: [FilePart: String] = [:]
    private var filePlaces: [ExactString: String] = [:]
    /// The first of these places of each type.
    private var typePlaces: [ExactString: String] = [:]
    /// What was replaced since the files were parsed.
    private var replaced: Set<FilePart> = []
    private var replacedFiles: Set<ExactString> = []
    /// Whether the current text of a part is the last good one, as far as that was asked.
    private var unchanged: [FilePart: Bool] = [:]

    init(_ parsed: ParsedDictionary, last: ParsedDictionary, unusable: [ExactString: String]) {
        func byName(_ files: [SectionedFile]) -> [ExactString: SectionedFile] {
            Dictionary(files.map { (ExactString($0.name), $0) }) { first, _ in first }
        }
        current = byName(parsed.files)
        self.last = byName(last.files)
        names = Set(current.keys).union(self.last.keys).map(\.text).filter { $0.hasSuffix(".md") }.sorted()
        withErrors = Set(exact: parsed.problems.lazy.filter { $0.severity == .error }.map(\.file))
        types = parsed.declaredTypes
        self.unusable = unusable
        filePlaces = unusable
    }

    // MARK: texts

    /// Whether any part is replaced or left out.
    var isChanged: Bool { !patches.isEmpty || !filePatches.isEmpty }

    /// The files with their parts replaced or left out.
    var all: [DefinitionFile] {
        let common = DictionaryParser.commonFile
        // Without the parameters of all events, none is as it is defined.
        let isWithoutCommon = patches[FilePart(common, .head)] == .nothing || filePatches[common] == .nothing
        return isWithoutCommon ? [] : names.compactMap(file)
    }

    private func file(_ name: String) -> DefinitionFile? {
        let patch = filePatches[name]
        guard patch != .nothing else { return nil }
        let head = patches[FilePart(name, .head)]
        // What is before the first type concerns no other.
        guard TypeParser.isOfType(name) || head != .nothing else { return nil }
        // Before there was `common.md`, there was nothing in it.
        if head == .lastGood, last[name] == nil { return nil }
        var text = PatchedText(last: last[name])
        let missing = patch == .lastGood ? [:] : missingSections(of: name)
        guard let file = patch == .lastGood ? last[name] : current[name] else {
            for index in missing.values.joined().sorted() { text.append(index, of: last[name], isLast: true) }
            return text.isEmpty ? nil : DefinitionFile(name: name, bytes: text.bytes)
        }
        var seen: [FileSection.Kind: Int] = [:]
        for (index, section) in file.sections.enumerated() {
            let occurrence = seen[section.kind, default: 0]
            seen[section.kind] = occurrence + 1
            switch patches[FilePart(name, section.kind)] {
            case nil: text.append(index, of: file, isLast: patch == .lastGood)
            case .lastGood?:
                let places = last[name]?.indices(of: section.kind) ?? []
                if occurrence < places.count { text.append(places[occurrence], of: last[name], isLast: true) }
            case .nothing?: break
            }
            guard occurrence == 0 else { continue }
            for index in missing[section.kind] ?? [] { text.append(index, of: last[name], isLast: true) }
        }
        let bytes = text.bytes
        // A file of which nothing is left is not there.
        let isLeft = bytes.contains { $0 != 0x0A && $0 != 0x0D } || bytes == file.bytes
        return isLeft ? DefinitionFile(name: name, bytes: bytes) : nil
    }

    /// Returns the last good sections that the current file does not have and that stay, by the section that they follow.
    private func missingSections(of name: String) -> [FileSection.Kind: [Int]] {
        guard let old = last[name] else { return [:] }
        let file = current[name]
        guard file != nil || TypeParser.isOfType(name) else { return [:] }
        var count: [FileSection.Kind: Int] = [:]
        for section in file?.sections ?? [] { count[section.kind, default: 0] += 1 }
        var missing: [FileSection.Kind: [Int]] = [:]
        var previous = FileSection.Kind.head
        for (index, section) in old.sections.enumerated() where section.kind != .unnamed {
            let part = FilePart(name, section.kind)
            if let rest = count[section.kind], rest > 0 || patches[part] != .lastGood {
                count[section.kind] = rest - 1
                previous = section.kind
            } else if patches[part] == .lastGood || isRetained(part) {
                missing[previous, default: []].append(index)
            }
        }
        return missing
    }

    /// Whether a part is in force although the current file, which has errors, does not have it.
    private func isRetained(_ part: FilePart) -> Bool {
        guard withErrors.contains(part.file), patches[part] == nil, case .named(let name) = part.kind,
            let file = current[part.file], file.indices(of: part.kind).isEmpty
        else { return false }
        return !TypeParser.isOfType(part.file) || !types.contains(name)
    }

    // MARK: patches

    /// Begins to replace parts after the files were parsed: until it is called again, each part is replaced once.
    mutating func beginRound() {
        replaced = []
        replacedFiles = []
    }

    /// Replaces a part by its last good text. If there is none, or it was replaced before, it is left out.
    mutating func replace(_ part: FilePart, because place: String) {
        guard replaced.insert(part).inserted else { return }
        if places[part] == nil { places[part] = place }
        if case .named(let type) = part.kind, TypeParser.isOfType(part.file), typePlaces[type] == nil {
            typePlaces[type] = place
        }
        patches[part] = patches[part] == nil && hasLastGood(part) ? .lastGood : .nothing
    }

    mutating func leaveOut(_ part: FilePart, because place: String) {
        places[part] = place
        patches[part] = .nothing
    }

    /// Replaces a file by the last good one. If there is none, or it was replaced before, it is left out.
    mutating func replaceFile(_ name: String, because place: String) {
        guard replacedFiles.insert(ExactString(name)).inserted else { return }
        if filePlaces[name] == nil { filePlaces[name] = place }
        filePatches[name] = filePatches[name] == nil && last[name] != nil ? .lastGood : .nothing
    }

    /// Puts a part in force that the current files do not have.
    /// - Returns: whether it was not.
    mutating func restore(_ part: FilePart) -> Bool {
        guard patches[part] == nil, filePatches[part.file] == nil else { return false }
        patches[part] = .lastGood
        return true
    }

    /// Whether there is the last good text of any part in place of the current one.
    var hasLastGood: Bool {
        patches.values.contains(.lastGood) || filePatches.values.contains(.lastGood) || !withErrors.isEmpty
            || !unusable.isEmpty
    }

    /// The files of which a part is left out, or all.
    var leftOut: Set<ExactString> {
        let parts = patches.lazy.filter { part, patch in patch == .nothing && part.kind != .unnamed }.map {
            ExactString($0.key.file)
        }
        let files = filePatches.lazy.filter { $0.value == .nothing }.map(\.key)
        let never = unusable.keys.filter { name in
            last[name] == nil
                && (name.text != TypeParser.folder || !last.keys.contains { TypeParser.isOfType($0.text) })
        }
        return unnamedLeftOut.union(parts).union(files).union(never)
    }

    /// The files of which a part is left out whose name has an error. It may be a good one that stays as it was, under its name.
    var unnamedLeftOut: Set<ExactString> {
        Set(
            patches.lazy.filter { part, patch in
                patch == .nothing && part.kind == .unnamed
                    && last[part.file]?.sections.contains { isRetained(FilePart(part.file, $0.kind)) } != true
            }.map { ExactString($0.key.file) })
    }

    func isInForce(_ part: FilePart) -> Bool {
        patches[part] != .nothing && filePatches[part.file] != .nothing
    }

    func isLastGood(_ part: FilePart) -> Bool {
        patches[part] == .lastGood || filePatches[part.file] == .lastGood || unusable[part.file] != nil
            || isRetained(part)
    }

    private func hasLastGood(_ part: FilePart) -> Bool {
        // Nothing can be said of what has no name.
        guard part.kind != .unnamed else { return false }
        if part == FilePart(DictionaryParser.commonFile, .head) { return !last.isEmpty }
        return last[part.file]?.indices(of: part.kind).isEmpty == false
    }

    // MARK: whose fault it is

    /// Returns which of the parts that contradict each other is replaced: one that was edited, rather than one that was good
    /// before.
    /// - Parameter part: the part that lint names.
    mutating func culprit(_ part: FilePart, _ others: [FilePart]) -> FilePart {
        let others = others.filter { replaced.contains($0) || ($0 != part && isInForce($0)) }
        if isRetained(part) { return part }
        if let retained = others.first(where: isRetained) { return retained }
        guard isAsBefore(part) else { return part }
        return others.first { replaced.contains($0) || !isAsBefore($0) } ?? part
    }

    private mutating func isAsBefore(_ part: FilePart) -> Bool {
        if isLastGood(part) { return true }
        if let known = unchanged[part] { return known }
        let now = current[part.file]?.text(of: part.kind)
        let isUnchanged = now != nil && now == last[part.file]?.text(of: part.kind)
        unchanged[part] = isUnchanged
        return isUnchanged
    }

    /// Returns the place in the current file for a line of the same part in a patched one.
    func place(of line: Int, in file: SectionedFile) -> String {
        let here = "\(file.name):\(line)"
        guard let index = file.index(of: line) else { return here }
        let section = file.sections[index]
        let part = FilePart(file.name, section.kind)
        if let known = places[part] ?? filePlaces[file.name] { return known }
        let occurrence = file.indices(of: section.kind).endOfThose { $0 < index }
        guard let own = current[file.name], own.indices(of: section.kind).count > occurrence else { return here }
        return "\(file.name):\(own.sections[own.indices(of: section.kind)[occurrence]].line + line - section.line)"
    }

    /// Returns the place of the error for which an event is not as the current files define it.
    func placeOfError(concerning event: FilePart) -> String? {
        let common = DictionaryParser.commonFile
        return places[event] ?? places[FilePart(event.file, .head)] ?? filePlaces[event.file]
            ?? places[FilePart(common, .head)] ?? filePlaces[common]
    }

    /// Returns the place of the error for which a type was left out.
    func place(ofType name: ExactString) -> String? {
        typePlaces[name]
            ?? filePlaces.first { file, _ in
                TypeParser.isOfType(file.text) && current[file]?.indices(of: .named(name)).isEmpty == false
            }?.value
    }
}

/// A file that is put together of sections.
private struct PatchedText {
    let last: SectionedFile?
    private var pieces: [(bytes: ArraySlice<UInt8>, follows: Bool)] = []
    /// The section that was appended last.
    private var end: (index: Int, isLast: Bool)?

    init(last: SectionedFile?) { self.last = last }

    var isEmpty: Bool { pieces.isEmpty }

    /// - Parameter isLast: whether the file is the last good one.
    mutating func append(_ index: Int, of file: SectionedFile?, isLast: Bool) {
        guard let file else { return }
        let follows = end.map { $0 == (index - 1, isLast) } ?? true
        pieces.append((file.bytes(of: index), follows))
        end = (index, isLast)
    }

    var bytes: [UInt8] {
        let all = Array(pieces.map(\.bytes).joined())
        if all == last?.bytes || pieces.allSatisfy(\.follows) { return all }
        var bytes: [UInt8] = []
        for piece in pieces {
            // A heading directly below a list would be part of it.
            if !piece.follows { bytes += Self.breaks(after: bytes) }
            bytes += piece.bytes
        }
        return bytes
    }

    /// Returns the line breaks that are missing for an empty line at the end.
    private static func breaks(after bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        guard let end = rest.popLast() else { return [] }
        guard end == 0x0A || end == 0x0D else { return [0x0A, 0x0A] }
        if end == 0x0A, rest.last == 0x0D { rest.removeLast() }
        return rest.last.map { $0 == 0x0A || $0 == 0x0D } ?? true ? [] : [0x0A]
    }
}
