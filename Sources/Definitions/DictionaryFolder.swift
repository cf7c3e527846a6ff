import Glibc
package import Model

/// Reads a dictionary's folder: the Markdown files in it and in its subfolder `types`. Hidden files, files without the
/// extension `.md`, and files that the settings ignore are passed over; symbolic links are followed.
package enum DictionaryFolder {
    package struct Contents: Sendable {
        /// The definition files that can be read, sorted by name.
        package var files: [DefinitionFile] = []
        /// The problems of the others.
        package var problems: [DefinitionProblem] = []
        /// The names of the files that the settings ignore, sorted.
        package var ignored: [String] = []
    }

    /// The size above which a file is not read. The parser refuses much smaller files, but they are still searched for
    /// private names.
    private static let maximumFileBytes = 64 << 20
    /// The limit for all files together.
    private static let maximumBytes = 256 << 20
    private static let maximumFiles = 20_000
    /// The subfolder with custom types.
    package static let types = TypeParser.folder

    /// Reads and parses the folder of `options`.
    /// - Throws: `DictionaryError` with all problems when any of them is an error.
    package static func load(
        _ options: DictionaryOptions
    ) throws(DictionaryError) -> (dictionary: EventDictionary, warnings: [DefinitionProblem]) {
        let read = contents(of: options.path, ignore: options.ignore)
        let (dictionary, problems) =
            read.problems.hasErrors ? (nil, []) : DictionaryParser.read(read.files, options: options)
        let all = (read.problems + problems).inOrder
        guard let dictionary, !all.hasErrors else { throw DictionaryError(problems: all) }
        return (dictionary, all)
    }

    /// Whether the settings ignore a file: by its name, or by its path in the folder, such as `types/README.md`.
    package static func isIgnored(_ path: String, by ignore: [Glob]) -> Bool {
        let name = path.rest(after: "\(types)/").map { String($0) } ?? path
        return ignore.contains { $0.matches(path) || $0.matches(name) }
    }

    /// Returns the folder's definition files, sorted by name.
    /// - Throws: `DictionaryError` when any of them cannot be read.
    package static func files(
        in path: String, ignore: [Glob] = DictionaryOptions.usualIgnore
    ) throws(DictionaryError) -> [DefinitionFile] {
        let contents = contents(of: path, ignore: ignore)
        guard !contents.problems.hasErrors else { throw DictionaryError(problems: contents.problems) }
        return contents.files
    }

    /// - Parameter ignore: the files that are passed over.
    package static func contents(of path: String, ignore: [Glob] = DictionaryOptions.usualIgnore) -> Contents {
        var contents = Contents()
        let names: [String]
        do {
            names = try self.names(in: path, ignore, &contents)
        } catch {
            contents.problems += error.problems
            return contents
        }
        var bytes = 0
        for name in names {
            do throws(FileFault) {
                guard let read = try read("\(path)/\(name)") else { continue }
                let file = DefinitionFile(name: name, bytes: read)
                bytes += file.bytes.count
                guard bytes <= maximumBytes else {
                    let message = "the .md files in this folder have more than \(maximumBytes >> 20) MiB"
                    return Contents(problems: fault(.tooLarge, path, message).problems, ignored: contents.ignored)
                }
                contents.files.append(file)
            } catch {
                contents.problems.append(DefinitionProblem(error.rule, file: name, message: error.message))
            }
        }
        return contents
    }

    /// Returns the paths of the definition files within the folder, sorted.
    private static func names(
        in path: String, _ ignore: [Glob], _ contents: inout Contents
    ) throws(DictionaryError) -> [String] {
        defer { contents.ignored.sort() }
        guard let own = list(path, prefix: "", ignore, &contents) else {
            throw fault(.unreadableFile, path, "the folder cannot be read: \(errnoText(errno))")
        }
        guard !own.isEmpty else {
            let except = contents.ignored.isEmpty ? "" : " but \(contents.ignored[0]), which is ignored"
            throw fault(
                .noDefinitions, path, "there are no .md files in this folder\(except): write one for each category")
        }
        let ofTypes = list("\(path)/\(types)", prefix: "\(types)/", ignore, &contents)
        if ofTypes == nil, errno != ENOENT, errno != ENOTDIR {
            contents.problems.append(
                DefinitionProblem(.unreadableFile, file: types, message: "cannot be read: \(errnoText(errno))"))
        }
        let names = own + (ofTypes ?? [])
        guard names.count <= maximumFiles else {
            throw fault(.tooLarge, path, "there are \(names.count) .md files in this folder, more than \(maximumFiles)")
        }
        return names.sorted()
    }

    /// - Parameter prefix: put before each name.
    /// - Returns: `nil` if the folder cannot be read; then `errno` says why.
    private static func list(
        _ path: String, prefix: String, _ ignore: [Glob], _ contents: inout Contents
    ) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer {
            let code = errno
            closedir(folder)
            errno = code
        }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let (name, isText) = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    (String(cString: $0), String(validatingCString: $0) != nil)
                }
            }
            guard !name.hasPrefix(".") else { continue }
            guard [".md", ".markdown"].contains(where: name.lowercased().hasSuffix) else { continue }
            if isIgnored(prefix + name, by: ignore) {
                contents.ignored.append(prefix + name)
            } else if name.hasSuffix(".md"), isText {
                names.append(prefix + name)
            } else if name.hasSuffix(".md") {
                let message = "its name is not UTF-8: rename it"
                contents.problems.append(DefinitionProblem(.unreadableFile, file: prefix + name, message: message))
            } else if contents.problems.count < 100 {
                contents.problems.append(
                    DefinitionProblem(.ignoredFile, file: prefix + name, message: "not read: name it `*.md`"))
            }
        }
        // Some names may be missing after an error.
        return errno == 0 ? names : nil
    }

    private struct FileFault: Error {
        var rule = LintRule.unreadableFile
        var message: String
    }

    /// - Returns: `nil` when the file was removed since the folder was listed, as happens while an editor saves.
    private static func read(_ path: String) throws(FileFault) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe would wait for its other end.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            let failure = errno
            var status = stat()
            if failure == ENOENT, lstat(path, &status) != 0 { return nil }
            throw FileFault(message: "cannot be read: \(errnoText(failure))")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw FileFault(message: "cannot be read: \(errnoText(errno))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFault(message: "is not a regular file") }
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
        throw FileFault(rule: .tooLarge, message: "is larger than \(maximumFileBytes >> 20) MiB: split the category")
    }

    private static func fault(_ rule: LintRule, _ path: String, _ message: String) -> DictionaryError {
        DictionaryError(problems: [DefinitionProblem(rule, file: path, message: message)])
    }

}
