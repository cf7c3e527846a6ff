package import Foundation

/// Journal files with known content, made from text by systemd-journal-remote.
///
/// The text is systemd's journal export format: `NAME=value` lines, an empty line behind each entry. As that has no
/// readable form for bytes, a line `NAME:=value` stands for such a field here, with the escapes `\n`, `\\` and `\xHH`.
/// - Source: https://systemd.io/JOURNAL_EXPORT_FORMATS
package enum JournalFixture {
    /// Why a test that needs one cannot run.
    package static var reasonToSkip: String? { Tool.journalRemote.reasonToSkip }

    /// Calls `body` with a folder that holds one journal file for each text, `1.journal` and so on.
    package static func withJournal<Result>(
        of texts: [String], isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            for (index, text) in texts.enumerated() {
                try write(text, to: folder.appending(path: "\(index + 1).journal"))
            }
            return try await body(folder)
        }
    }

    /// Adds the entries to a journal file, which is made if it is not there. Each new file has a numbering of its own.
    package static func write(_ text: String, to file: URL) throws {
        let export = file.deletingPathExtension().appendingPathExtension("export-\(UUID().uuidString)")
        try exportFormat(text).write(to: export)
        defer { try? FileManager.default.removeItem(at: export) }
        try Tool.journalRemote.run(["--output=\(file.path(percentEncoded: false))", export.path(percentEncoded: false)])
    }

    private static func exportFormat(_ text: String) -> Data {
        var data = Data()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let marker = line.firstRange(of: ":="), !line[..<marker.lowerBound].contains("=") {
                let value = unescape(line[marker.upperBound...])
                data.append(contentsOf: "\(line[..<marker.lowerBound])\n".utf8)
                withUnsafeBytes(of: UInt64(value.count).littleEndian) { data.append(contentsOf: $0) }
                data.append(contentsOf: value)
                data.append(UInt8(ascii: "\n"))
            } else if !line.hasPrefix("#") {
                data.append(contentsOf: "\(line)\n".utf8)
            }
        }
        data.append(UInt8(ascii: "\n"))
        return data
    }

    private static func unescape(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch kind {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "x"):
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? UInt8(ascii: "?"))
                rest = rest.dropFirst(2)
            default: bytes.append(kind)
            }
        }
        return bytes
    }
}
