import Glibc
import Linux
package import Model

/// Reads a dictionary's folder: the Markdown files in it and in its subfolder `types`. Hidden files, files without the
/// extension `.md`, and files that the settings ignore are passed over; symbolic links are followed within the folder.
package enum DictionaryFolder {
    package struct Contents: Sendable {
        /// The definition files that can be read, sorted by name.
        package var files: [DefinitionFile] = []
        /// The problems of the others.
        package var problems: [DefinitionProblem] = []
        /// The names of the files that the settings ignore, sorted.
        package var ignored: [String] = []
    }

    /// The size above which a file is not read. The parser refuses half of it, but such a file is still searched for
    /// private names, of which one line may have millions.
    private static let maximumFileBytes = 8 << 20
    /// The limit for all files together.
    private static let maximumBytes = 256 << 20
    private static let maximumFiles = 20_000
    /// The subfolder with custom types.
    package static let types = TypeParser.folder

    /// Whether the settings ignore a file: by its name, or by its path in the folder, such as `types/README.md`.
    package static func isIgnored(_ path: String, by ignore: [Glob]) -> Bool {
        let name = path.rest(after: "\(types)/").map { String($0) } ?? path
        return ignore.contains { $0.matches(path) || $0.matches(name) }
    }

    /// Whether a file of this name is read, unless the settings ignore it.
    package static func isDefinition(_ name: String) -> Bool { name.hasSuffix(".md") && !name.hasPrefix(".") }

    /// Returns the folder's definition files, sorted by name.
    /// - Throws: `DictionaryError` when any of them cannot be read.
    package static func files(
        in path: String, ignore: [Glob]
    ) throws(DictionaryError) -> [DefinitionFile] {
        let contents = contents(of: path, ignore: ignore)
        guard !contents.problems.hasErrors else { throw DictionaryError(problems: contents.problems) }
        return contents.files
    }

    /// - Parameter ignore: the files that are passed over.
    package static func contents(of path: String, ignore: [Glob]) -> Contents {
        var contents = Contents()
        do {
            try read(path, ignore, into: &contents)
        } catch {
            contents.files = []
            contents.problems += error.problems
        }
        contents.ignored.sort()
        return contents
    }

    /// - Throws: `DictionaryError` with a problem of the whole folder.
    private static func read(
        _ path: String, _ ignore: [Glob], into contents: inout Contents
    ) throws(DictionaryError) {
        let (folder, own): (OpenFolder, [String])
        do {
            folder = try OpenFolder(path)
            own = try list(folder, prefix: "", ignore, &contents)
        } catch {
            throw fault(.unreadableFile, path, "the folder cannot be read: \(errnoText(error.code))")
        }
        guard !own.isEmpty else {
            let ignored = contents.ignored.min().map { " but \($0), which is ignored" } ?? ""
            throw fault(
                .noDefinitions, path, "there are no .md files in this folder\(ignored): write one for each category")
        }
        var (typeFolder, ofTypes) = (OpenFolder?.none, [String]())
        do {
            let found = try folder.folder(types)
            (typeFolder, ofTypes) = (found, try list(found, prefix: "\(types)/", ignore, &contents))
        } catch {
            if error.code != ENOENT, error.code != ENOTDIR { contents.note(FileFault(error), types) }
        }
        let names = own + ofTypes
        guard names.count <= maximumFiles else {
            throw fault(.tooLarge, path, "there are \(names.count) .md files in this folder, more than \(maximumFiles)")
        }
        var bytes = 0
        for name in names.sorted() {
            do throws(FileFault) {
                let read =
                    if let name = name.rest(after: "\(types)/"), let typeFolder {
                        try read(String(name), in: typeFolder)
                    } else {
                        try read(name, in: folder)
                    }
                guard let read else { continue }
                contents.files.append(DefinitionFile(name: name, bytes: read))
                bytes += read.count
            } catch {
                contents.note(error, name)
            }
            guard bytes <= maximumBytes else {
                throw fault(
                    .tooLarge, path, "the .md files in this folder have more than \(maximumBytes >> 20) MiB")
            }
        }
    }

    /// Returns the paths of the definition files in a folder within the dictionary's.
    /// - Parameter prefix: put before each name.
    private static func list(
        _ folder: OpenFolder, prefix: String, _ ignore: [Glob], _ contents: inout Contents
    ) throws(OpenFolder.Failure) -> [String] {
        var names: [String] = []
        try folder.forEachName { name, isText in
            guard !name.hasPrefix(".") else { return }
            guard [".md", ".markdown"].contains(where: name.lowercased().hasSuffix) else { return }
            if isIgnored(prefix + name, by: ignore) {
                contents.ignored.append(prefix + name)
            } else if isDefinition(name), isText {
                names.append(prefix + name)
            } else if isDefinition(name) {
                let message = "its name is not UTF-8: rename it"
                contents.problems.append(DefinitionProblem(.unreadableFile, file: prefix + name, message: message))
            } else if contents.problems.count < 100 {
                contents.problems.append(
                    DefinitionProblem(.ignoredFile, file: prefix + name, message: "not read: name it `*.md`"))
            }
        }
        return names
    }

    fileprivate struct FileFault: Error {
        var rule = LintRule.unreadableFile
        var message: String
    }

    /// - Returns: `nil` when the file was removed since the folder was listed, as happens while an editor saves.
    private static func read(_ name: String, in folder: OpenFolder) throws(FileFault) -> [UInt8]? {
        let file: Int32
        do {
            file = try folder.open(name)
        } catch {
            if error.code == ENOENT, !folder.has(name) { return nil }
            throw FileFault(error)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw FileFault(message: "cannot be read: \(errnoText(errno))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFault(message: "is not a regular file") }
        let tooLarge = FileFault(rule: .tooLarge, message: SourceText.tooLarge)
        guard status.st_size <= maximumFileBytes else { throw tooLarge }
        var bytes: [UInt8] = []
        while bytes.count <= maximumFileBytes {
            let start = bytes.count
            let room = max(Int(status.st_size) - start, 0) + 1
            bytes.append(contentsOf: repeatElement(0, count: min(room, maximumFileBytes + 1 - start)))
            // There is room for at least one byte, so there is an address.
            let got = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + start, $0.count - start) }
            let failure = errno
            bytes.removeLast(bytes.count - start - max(got, 0))
            if got == 0 { return bytes }
            guard got > 0 || failure == EINTR else {
                throw FileFault(message: "cannot be read: \(errnoText(failure))")
            }
        }
        // It grows while it is read.
        throw tooLarge
    }

    private static func fault(_ rule: LintRule, _ path: String, _ message: String) -> DictionaryError {
        DictionaryError(problems: [DefinitionProblem(rule, file: path, message: message)])
    }
}

extension DictionaryFolder.FileFault {
    fileprivate init(_ failure: OpenFolder.Failure) {
        if failure.isOutside {
            self.init(rule: .outsideLink, message: "is a link that leads out of the folder: put the file itself here")
        } else {
            self.init(message: "cannot be read: \(errnoText(failure.code))")
        }
    }
}

extension DictionaryFolder.Contents {
    fileprivate mutating func note(_ fault: DictionaryFolder.FileFault, _ file: String) {
        problems.append(DefinitionProblem(fault.rule, file: file, message: fault.message))
    }
}
