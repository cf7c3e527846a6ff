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

    /// The number of times that parts are replaced. What still has errors then is replaced or left out file by file.
    private static let roundsOfParts = 8

    /// - Parameters:
    ///   - files: the current files, as far as they can be read.
    ///   - unreadable: the names of those that cannot, or of the folder of types.
    ///   - lastGood: the files of the last dictionary without errors; empty if there is none.
    package init(
        _ files: [DefinitionFile], unreadable: [String] = [], lastGood: [DefinitionFile], options: DictionaryOptions
    ) {
        var repair = Repair(files, unreadable: unreadable, lastGood: lastGood, options: options)
        var candidate = repair.files.isChanged ? Self.parsed(repair.files.all, options) : repair.original
        var round = 0
        // It ends: each round replaces or leaves out something.
        while repair.replace(errorsOf: candidate, wholeFiles: round >= Self.roundsOfParts) {
            candidate = Self.parsed(repair.files.all, options)
            round += 1
        }
        self.files = candidate.files.map { DefinitionFile(name: $0.name, bytes: $0.bytes) }
        var dictionary = candidate.dictionary
        (dictionary.broken, dictionary.sentKeysOfBroken, dictionary.filesLeftOut) = repair.leftOut(of: dictionary)
        self.dictionary = dictionary
    }

    /// Parses files with more of their problems than people are shown: each is to be repaired, however many there are.
    fileprivate static func parsed(_ files: [DefinitionFile], _ options: DictionaryOptions) -> ParsedDictionary {
        DictionaryParser.parsed(files, options: options, mostProblems: 20_000)
    }
}

private struct Repair {
    /// The current files, with the last good ones in place of those that are no text.
    let original: ParsedDictionary
    private(set) var files: PatchedFiles
    private let last: ParsedDictionary
    /// The place of the error of a file of types that is no text: types that are defined nowhere may be in it.
    private var lostTypes: String?
    /// The types that were already undefined in the last dictionary.
    private let undefinedBefore: Set<ExactString>

    init(_ current: [DefinitionFile], unreadable: [String], lastGood: [DefinitionFile], options: DictionaryOptions) {
        last = DictionaryRepair.parsed(lastGood, options)
        var unusable = Dictionary(unreadable.map { (ExactString($0), "\($0):1") }) { first, _ in first }
        var files: [DefinitionFile] = []
        for file in current {
            var problems = ProblemList(file: file.name)
            if SourceText.check(file.bytes, &problems) {
                files.append(file)
            } else {
                unusable[file.name] = "\(file.name):\(problems.problems.first?.line ?? 1)"
            }
        }
        let isTypesFolder = unusable[TypeParser.folder] != nil
        let replaced = lastGood.filter { file in
            unusable[file.name] != nil
                || (isTypesFolder && TypeParser.isOfType(file.name) && !files.contains { $0.name == file.name })
        }
        for file in replaced where unusable[file.name] == nil { unusable[file.name] = unusable[TypeParser.folder] }
        original = DictionaryRepair.parsed(files + replaced, options)
        self.files = PatchedFiles(original, last: last, unusable: unusable)
        lostTypes =
            unusable.filter { $0.key.text == TypeParser.folder || TypeParser.isOfType($0.key.text) }.values.min()
        var undefinedBefore: Set<ExactString> = []
        last.forEachUndefinedType { _, name in undefinedBefore.insert(name) }
        self.undefinedBefore = undefinedBefore
        let common = DictionaryParser.commonFile
        if let place = unusable[common], lastGood.isEmpty {
            self.files.leaveOut(FilePart(common, .head), because: place)
        }
    }

    /// Replaces or leaves out the parts that have errors or depend on such parts.
    /// - Parameter wholeFiles: whether to do so with the files that they are in.
    /// - Returns: whether there were any.
    mutating func replace(errorsOf parsed: ParsedDictionary, wholeFiles: Bool) -> Bool {
        let parsedFiles = Dictionary(parsed.files.map { (ExactString($0.name), $0) }) { first, _ in first }
        files.beginRound()
        var recursive: Set<FilePart> = []
        var found = false
        for problem in parsed.problems where problem.severity == .error {
            // That there are no files concerns no part: nothing is defined then.
            guard let file = parsedFiles[problem.file] else { continue }
            found = true
            if wholeFiles {
                files.replaceFile(problem.file, because: "\(problem.file):\(problem.line)")
                continue
            }
            let part = FilePart(problem.file, file.section(of: problem.line))
            // The first problem of a type is related to all cycles that it is in.
            if problem.rule == .recursiveType, !recursive.insert(part).inserted { continue }
            let others = parts(relatedTo: problem, in: parsed, parsedFiles)
            let culprit = files.culprit(part, others.map(\.part))
            let line = others.first { $0.part == culprit }?.line ?? problem.line
            let place = parsedFiles[culprit.file].map { files.place(of: line, in: $0) }
            files.replace(culprit, because: place ?? "\(culprit.file):\(line)")
        }
        return replaceDependents(of: parsed) || found
    }

    /// Returns the parts that contradict the part with a problem.
    private func parts(
        relatedTo problem: DefinitionProblem, in parsed: ParsedDictionary, _ files: [ExactString: SectionedFile]
    ) -> [(part: FilePart, line: Int)] {
        if problem.rule == .recursiveType, case .named(let type)? = files[problem.file]?.section(of: problem.line) {
            return (parsed.cycles[type] ?? []).compactMap(parsed.place(ofType:))
        }
        guard let place = problem.related, let colon = place.lastIndex(of: ":"),
            let line = Int(place[place.index(after: colon)...]), let file = files[String(place[..<colon])]
        else { return [] }
        return [(FilePart(file.name, file.section(of: line)), line)]
    }

    private mutating func replaceDependents(of parsed: ParsedDictionary) -> Bool {
        let gone = original.declaredTypes.subtracting(parsed.declaredTypes)
        guard !gone.isEmpty || lostTypes != nil || files.hasLastGood else { return false }
        var parts: [(part: FilePart, type: ExactString)] = []
        parsed.forEachUndefinedType { parts.append(($0, $1)) }
        var found = false
        for (part, type) in parts where files.isInForce(part) {
            if files.isLastGood(part), !original.declaredTypes.contains(type), let place = last.place(ofType: type),
                files.restore(place.part)
            {
                // The type was removed, but the text that stays in force needs it.
                found = true
            } else if gone.contains(type) || (lostTypes != nil && !undefinedBefore.contains(type)) {
                found = true
                files.replace(part, because: files.place(ofType: type) ?? lostTypes ?? TypeParser.folder)
            }
        }
        return found
    }

    /// Returns the events that are not in force, by their names in payloads, with the places of the errors; these names by those in
    /// the files; and the other files of which something is not in force.
    func leftOut(
        of dictionary: EventDictionary
    ) -> (events: [EventKey: ExactString], sentKeys: [EventKey: EventKey], files: [ExactString]) {
        let inForce = dictionary.sentKeys
        var broken: [EventKey: ExactString] = [:]
        var sentKeys: [EventKey: EventKey] = [:]
        var others = files.leftOut
        let unnamed = files.unnamedLeftOut
        for category in original.dictionary.categories {
            for definition in category.definitions {
                let key = EventKey(category: category.sentAs, name: definition.sentAs)
                let part = FilePart(category.file, .named(ExactString(definition.key.name)))
                guard !inForce.contains(key), let place = files.placeOfError(concerning: part) else { continue }
                broken[key] = ExactString(place)
                sentKeys[definition.key] = key
                let ofError = place.lastIndex(of: ":").map { String(place[..<$0]) } ?? part.file
                for file in [part.file, ofError] where !unnamed.contains(ExactString(file)) {
                    others.remove(ExactString(file))
                }
            }
        }
        return (broken, sentKeys, others.sorted())
    }
}

extension ParsedDictionary {
    /// Calls `body` for each custom type that is defined nowhere, with each part that has it.
    fileprivate func forEachUndefinedType(_ body: (FilePart, ExactString) -> Void) {
        func look(_ types: some Sequence<ParameterType>, _ part: @autoclosure () -> FilePart) {
            for type in types {
                if let name = type.undefinedName { body(part(), name) }
            }
        }
        look(dictionary.common.lazy.map(\.type), FilePart(DictionaryParser.commonFile, .head))
        for category in dictionary.categories {
            let file = category.file
            look(category.parameters.lazy.map(\.type), FilePart(file, .head))
            for definition in category.definitions {
                let name = ExactString(definition.key.name)
                look(definition.parameters.lazy.map(\.type), FilePart(file, .named(name)))
            }
        }
        for type in dictionary.types {
            let part = FilePart(type.file, .named(ExactString(type.name)))
            if case .same(let other) = type.meaning { look([other], part) }
            look(type.members.lazy.map(\.type), part)
        }
    }

    /// Returns the part that names a type, and its line.
    fileprivate func place(ofType name: ExactString) -> (part: FilePart, line: Int)? {
        for file in files where TypeParser.isOfType(file.name) {
            guard let index = file.indices(of: .named(name)).first else { continue }
            return (FilePart(file.name, .named(name)), file.sections[index].line)
        }
        return nil
    }
}
