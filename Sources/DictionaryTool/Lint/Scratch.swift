import Foundation
import Model

/// What a process reads and complains into: files, since two pipes that are both full would wait for each other.
struct Scratch {
    private let folder: URL
    let input: FileHandle
    let errors: FileHandle

    init(input bytes: Data) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "gloss-lint-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let inputFile = folder.appending(path: "input")
        try bytes.write(to: inputFile)
        input = try FileHandle(forReadingFrom: inputFile)
        try Data().write(to: folder.appending(path: "errors"))
        errors = try FileHandle(forWritingTo: folder.appending(path: "errors"))
    }

    /// In one line.
    func complaint() -> String {
        let bytes = (try? Data(contentsOf: folder.appending(path: "errors"))) ?? Data()
        let lines = String(decoding: bytes.prefix(500), as: UTF8.self).split(separator: "\n")
        return lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
