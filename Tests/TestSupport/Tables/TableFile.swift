import Foundation

/// A table test as a text file: parts that begin with `== name`, and after each line of dashes what is expected of what
/// came before. Lines before the first part say what the file is about.
package struct TableFile: CustomStringConvertible, Sendable {
    package struct Part: Sendable {
        package var name: String
        package var text: String
        /// What the dashes under it were followed by; `nil` when it has none.
        package var expected: String?
    }

    package let name: String
    package let parts: [Part]

    package var description: String { name }

    /// All files `*.txt` of the folder `Fixtures/FOLDER` beside the test's source file.
    /// - Throws: also when there is none: a test that runs for each of them would pass without having run.
    package static func all(in folder: String, source: String = #filePath) throws -> [TableFile] {
        let folder = URL(filePath: source).deletingLastPathComponent().appending(path: "Fixtures/\(folder)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }
        guard !names.isEmpty else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: folder.path]) }
        return try names.sorted().map { name in
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return TableFile(name: name, text: text)
        }
    }

    package init(name: String, text: String) {
        self.name = name
        var parts: [Part] = []
        var isExpectation = false
        let text = text.hasSuffix("\n") ? text.dropLast() : text[...]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("== ") {
                parts.append(Part(name: String(line.dropFirst(3)), text: ""))
                isExpectation = false
            } else if parts.isEmpty {
                continue
            } else if line == "----" {
                parts[parts.count - 1].expected = ""
                isExpectation = true
            } else if isExpectation {
                parts[parts.count - 1].expected?.append("\(line)\n")
            } else {
                parts[parts.count - 1].text.append("\(line)\n")
            }
        }
        self.parts = parts
    }
}
