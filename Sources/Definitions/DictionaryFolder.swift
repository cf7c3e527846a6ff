import Glibc
package import Model

/// Reads a dictionary's folder: one flat folder of Markdown files. Hidden files and everything that does not end in `.md`
/// are passed over; symbolic links are followed.
package enum DictionaryFolder {
    /// A larger file is not read; the parser refuses it anyway.
    private static let maximumFileBytes = SourceText.maximumBytes
    /// Of all files together.
    private static let maximumBytes = 256 << 20
    private static let maximumFiles = 20_000

    /// Reads and parses the folder of `options`.
    /// - Throws: when anything is an error; all problems are in it.
    package static func load(
        _ options: DictionaryOptions
    ) throws(DictionaryError) -> (dictionary: EventDictionary, warnings: [DefinitionProblem]) {
        try DictionaryParser.parse(try files(in: options.path), options: options)
    }

    /// The folder's definition files, sorted by name.
    package static func files(in path: String) throws(DictionaryError) -> [DefinitionFile] {
        let names = try self.names(in: path)
        guard !names.isEmpty else {
            throw fault(path, "there are no .md files in this folder: write one for each event category")
        }
        guard names.count <= maximumFiles else {
            throw fault(path, "there are \(names.count) .md files in this folder, more than \(maximumFiles)")
        }
        var files: [DefinitionFile] = []
        var problems: [DefinitionProblem] = []
        var bytes = 0
        for name in names {
            do {
                let file = DefinitionFile(name: name, bytes: try read("\(path)/\(name)"))
                bytes += file.bytes.count
                guard bytes <= maximumBytes else {
                    throw fault(path, "the .md files in this folder have more than \(maximumBytes >> 20) MiB")
                }
                files.append(file)
            } catch let fault as FileFault {
                problems.append(DefinitionProblem(.error, file: name, line: 0, message: fault.message))
            } catch let error as DictionaryError {
                throw error
            } catch {
                problems.append(DefinitionProblem(.error, file: name, line: 0, message: "cannot be read: \(error)"))
            }
        }
        guard problems.isEmpty else { throw DictionaryError(problems: problems) }
        return files
    }

    private static func names(in path: String) throws(DictionaryError) -> [String] {
        guard let folder = opendir(path) else { throw fault(path, "the folder cannot be read: \(errorText(errno))") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".md"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private struct FileFault: Error {
        var message: String
    }

    private static func read(_ path: String) throws(FileFault) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe would wait for its other end.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileFault(message: "cannot be read: \(errorText(errno))") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw FileFault(message: "cannot be read: \(errorText(errno))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFault(message: "is not a regular file") }
        var bytes: [UInt8] = []
        while bytes.count <= maximumFileBytes {
            let start = bytes.count
            let room = max(Int(status.st_size) - start, 0) + 1
            bytes.append(contentsOf: repeatElement(0, count: min(room, maximumFileBytes + 1 - start)))
            let got = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + start, $0.count - start) }
            let failure = errno
            bytes.removeLast(bytes.count - start - max(got, 0))
            if got == 0 { return bytes }
            guard got > 0 || failure == EINTR else {
                throw FileFault(message: "cannot be read: \(errorText(failure))")
            }
        }
        throw FileFault(message: "is larger than \(maximumFileBytes >> 20) MiB: split the category")
    }

    private static func fault(_ path: String, _ message: String) -> DictionaryError {
        DictionaryError(problems: [DefinitionProblem(.error, file: path, line: 0, message: message)])
    }

    private static func errorText(_ number: CInt) -> String { String(cString: strerror(number)) }
}
