import Foundation
import Testing

/// Holds `text` against the file `Snapshots/NAME.txt`. With `GLOSS_RECORD_SNAPSHOTS=1` in the environment the file is
/// written anew instead: look at what git says has changed.
func expectSnapshot(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = Fixture.folder.appending(path: "Snapshots/\(name).txt")
    if ProcessInfo.processInfo.environment["GLOSS_RECORD_SNAPSHOTS"] == "1" {
        try Data(text.utf8).write(to: file)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(text == expected, "differs from \(file.lastPathComponent)", sourceLocation: sourceLocation)
}
