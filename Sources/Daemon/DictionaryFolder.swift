import Foundation
import Model
import Resolve
import Serve

/// Reads a dictionary's folder: one flat folder of Markdown files.
struct DictionaryFolder {
    /// A file beyond this is no definition that a person wrote; it is an error, and is not read.
    private static let maximumFileBytes = 64 << 20

    let options: DictionaryOptions

    /// What the folder gave. An error never leaves the daemon without an answer: it is told in `problem`, and the
    /// dictionary is empty then, so that its events are `undefined`.
    struct Loaded: Sendable {
        var dictionary: LoadedDictionary
        /// What the definitions' authors should mend, `path:line: warning: …` each.
        var warnings: [String] = []
    }

    func load(nowMicroseconds: UInt64) -> Loaded {
        do {
            let (dictionary, warnings) = try DictionaryParser.parse(try files(), options: options)
            return Loaded(
                dictionary: LoadedDictionary(dictionary: dictionary, loadedAtMicroseconds: nowMicroseconds),
                warnings: warnings.map { "\(options.path)/\($0)" })
        } catch let error as DictionaryError {
            return broken(error.problems.map { "\(options.path)/\($0)" }.joined(separator: "\n"), nowMicroseconds)
        } catch {
            return broken("\(error)", nowMicroseconds)
        }
    }

    private func broken(_ problem: String, _ nowMicroseconds: UInt64) -> Loaded {
        let empty = EventDictionary(options: options, version: "", common: [], categories: [])
        return Loaded(
            dictionary: LoadedDictionary(dictionary: empty, loadedAtMicroseconds: nowMicroseconds, problem: problem))
    }

    private func files() throws(FolderError) -> [DefinitionFile] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: options.path)
        } catch {
            throw FolderError(description: "\(options.path): the folder cannot be read: \(reason(error))")
        }
        let definitions = names.filter { $0.hasSuffix(".md") && !$0.hasPrefix(".") }.sorted()
        guard !definitions.isEmpty else {
            throw FolderError(description: "\(options.path): there are no .md files in this folder")
        }
        var files: [DefinitionFile] = []
        for name in definitions { files.append(try file(name)) }
        return files
    }

    private func file(_ name: String) throws(FolderError) -> DefinitionFile {
        let path = "\(options.path)/\(name)"
        do {
            // The attributes of what a link leads to.
            let values = try URL(filePath: path).resolvingSymlinksInPath()
                .resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
            guard values.isRegularFile == true else { throw FolderError(description: "\(path): not a regular file") }
            guard (values.fileSize ?? 0) <= Self.maximumFileBytes else {
                throw FolderError(description: "\(path): larger than \(Self.maximumFileBytes >> 20) MiB")
            }
            return DefinitionFile(name: name, bytes: Array(try Data(contentsOf: URL(filePath: path))))
        } catch let error as FolderError {
            throw error
        } catch {
            throw FolderError(description: "\(path): cannot be read: \(reason(error))")
        }
    }

    private func reason(_ error: any Error) -> String {
        (error as? CocoaError)?.underlying.map { "\($0.localizedDescription)" } ?? error.localizedDescription
    }
}

private struct FolderError: Error, CustomStringConvertible {
    var description: String
}
