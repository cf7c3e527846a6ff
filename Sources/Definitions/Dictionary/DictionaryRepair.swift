package import Model

/// Makes a dictionary of files that have errors: each part with an error is replaced by its last good text, or left out.
///
/// The parts of a file are what is before its first heading, each event and each type. What depends on a part that is left
/// out is left out, too: the events of a category or of all categories on their common list, and everything that has a type.
package struct DictionaryRepair {
    /// The dictionary of those parts, whose `broken` names the events that were left out.
    package let dictionary: EventDictionary
    /// The files that it was made of.
    package let files: [DefinitionFile]

    /// The most times that the files are parsed. What still has errors then is left out, file by file.
    private static let maximumRounds = 8

    /// - Parameters:
    ///   - files: the current files, as far as they can be read.
    ///   - unreadable: the names of those that cannot.
    ///   - lastGood: the files of the last dictionary without errors.
    /// - Returns: `nil` if not even the last good files are free of errors.
    package init?(
        _ files: [DefinitionFile], unreadable: [String] = [], lastGood: [DefinitionFile], options: DictionaryOptions
    ) {
        let last = lastGood.isEmpty ? nil : DictionaryParser.parsed(lastGood, options: options)
        var repair = Repair(
            DictionaryParser.parsed(files, options: options), last?.files ?? [], unreadable: Set(exact: unreadable))
        var candidate = repair.original
        for round in 0... {
            let isLast = round == Self.maximumRounds
            guard repair.leaveOut(errorsOf: candidate, wholeFiles: isLast) else { break }
            guard round <= Self.maximumRounds else { return nil }
            candidate = DictionaryParser.parsed(repair.files, options: options)
        }
        self.files = repair.files
        var dictionary = candidate.dictionary
        dictionary.broken = repair.broken
        self.dictionary = dictionary
    }
}

private struct Repair {
    struct Part: Hashable {
        @Exact var file: String
        var kind: FileSection.Kind
    }

    private enum State { case lastGood, leftOut }

    let original: ParsedDictionary
    private let current: [ExactString: SectionedFile]
    private let last: [ExactString: SectionedFile]
    private let names: [String]
    /// The parts that are not as in the current files.
    private var states: [Part: State] = [:]
    /// Where the error is for which a part was left out or replaced.
    private var places: [Part: String] = [:]
    /// Files that are left out as a whole.
    private var removed: Set<ExactString> = []

    init(_ original: ParsedDictionary, _ last: [SectionedFile], unreadable: Set<ExactString>) {
        self.original = original
        var current = Dictionary(original.files.map { (ExactString($0.name), $0) }) { first, _ in first }
        self.last = Dictionary(last.map { (ExactString($0.name), $0) }) { first, _ in first }
        for name in unreadable { current[name] = self.last[name] }
        self.current = current
        names = current.keys.map(\.text).filter { $0.hasSuffix(".md") }.sorted()
    }

    // MARK: files

    /// The current files with their parts replaced or left out.
    var files: [DefinitionFile] {
        // Without the parameters of all events, none is as it is defined.
        state(of: .head, DictionaryParser.commonFile) == .leftOut ? [] : names.compactMap(file)
    }

    private func file(_ name: String) -> DefinitionFile? {
        guard let file = current[name], !removed.contains(name) else { return nil }
        // What is before the first type concerns no other.
        guard isOfType(name) || state(of: .head, name) != .leftOut else { return nil }
        var bytes: [UInt8] = []
        var isChanged = false
        var seen: Set<FileSection.Kind> = []
        for (index, section) in file.sections.enumerated() {
            switch state(of: section.kind, name) {
            case nil: bytes += file.bytes(of: index)
            case .lastGood? where seen.insert(section.kind).inserted:
                isChanged = true
                bytes += last[name]?.bytes(of: section.kind) ?? []
                // The last part of a file may end without a line break.
                if bytes.last != 0x0A, bytes.last != 0x0D { bytes += [0x0A, 0x0A] }
            case .lastGood?, .leftOut?: isChanged = true
            }
        }
        return DefinitionFile(name: name, bytes: isChanged ? bytes : file.bytes)
    }

    private func isOfType(_ file: String) -> Bool { file.hasPrefix("\(TypeParser.folder)/") }

    private func state(of kind: FileSection.Kind, _ file: String) -> State? { states[Part(file: file, kind: kind)] }

    // MARK: errors

    /// Replaces or leaves out the parts that have errors or depend on such parts.
    /// - Parameter wholeFiles: whether to leave out the files that they are in.
    /// - Returns: whether there were any.
    mutating func leaveOut(errorsOf parsed: ParsedDictionary, wholeFiles: Bool) -> Bool {
        let files = Dictionary(parsed.files.map { (ExactString($0.name), $0) }) { first, _ in first }
        var found = false
        for problem in parsed.problems where problem.severity == .error {
            // That there are no files concerns no part: nothing is defined then.
            guard let file = files[problem.file] else { continue }
            let kind = wholeFiles ? .head : file.section(of: problem.line)
            found = true
            if wholeFiles { removed.insert(problem.file) }
            let place = "\(problem.file):\(problem.line)"
            change(Part(file: problem.file, kind: kind), because: place, leavingOut: wholeFiles)
        }
        return leaveOutDependents(of: parsed) || found
    }

    private mutating func change(_ part: Part, because place: String, leavingOut: Bool = false) {
        if places[part] == nil { places[part] = place }
        let old = last[part.file]?.bytes(of: part.kind)
        let isNew = states[part] == nil && part.kind != .unnamed && !leavingOut
        states[part] = isNew && old != nil ? .lastGood : .leftOut
    }

    private mutating func leaveOutDependents(of parsed: ParsedDictionary) -> Bool {
        let gone = original.declaredTypes.subtracting(parsed.dictionary.types.map { ExactString($0.name) })
        guard !gone.isEmpty else { return false }
        var found = false
        func place(of type: ExactString) -> String {
            places.first { $0.key.kind == .named(type) && isOfType($0.key.file) }?.value ?? TypeParser.folder
        }
        var parts: [(Part, ExactString)] = []
        func look(_ parameters: [Parameter], _ file: String, _ kind: FileSection.Kind) {
            guard let type = parameters.lazy.flatMap(\.type.undefinedNames).first(where: gone.contains) else { return }
            parts.append((Part(file: file, kind: kind), type))
        }
        look(parsed.dictionary.common, DictionaryParser.commonFile, .head)
        for category in parsed.dictionary.categories {
            let file = "\(category.name).md"
            look(category.parameters, file, .head)
            for definition in category.definitions {
                look(definition.parameters, file, .named(ExactString(definition.key.name)))
            }
        }
        for type in parsed.dictionary.types {
            if case .same(let other) = type.meaning {
                look([Parameter(name: "", type: other)], type.file, .named(ExactString(type.name)))
            }
            look(type.members, type.file, .named(ExactString(type.name)))
        }
        for (part, type) in parts where states[part] != .leftOut {
            found = true
            change(part, because: place(of: type))
        }
        return found
    }

    // MARK: what was left out

    /// The events that were left out, by their names in payloads.
    var broken: [EventKey: ExactString] {
        var broken: [EventKey: ExactString] = [:]
        let common = left(DictionaryParser.commonFile, .head)
        for category in original.dictionary.categories {
            let file = "\(category.name).md"
            let head = left(file, .head) ?? common
            for definition in category.definitions {
                guard let place = left(file, .named(ExactString(definition.key.name))) ?? head else { continue }
                broken[EventKey(category: category.sentAs, name: definition.sentAs)] = ExactString(place)
            }
        }
        return broken
    }

    /// Returns the place of the error for which a part was left out.
    private func left(_ file: String, _ kind: FileSection.Kind) -> String? {
        let part = Part(file: file, kind: kind)
        return states[part] == .leftOut ? places[part] : nil
    }
}

extension ParameterType {
    /// The names of the custom types without a meaning that it has, directly or in the elements of an array.
    fileprivate var undefinedNames: [ExactString] {
        switch self {
        case .custom(let name, nil): [name]
        case .array(let element, _, _): element.undefinedNames
        default: []
        }
    }
}
