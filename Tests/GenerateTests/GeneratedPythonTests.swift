import Foundation
import Generate
import Model
import Resolve
import TestSupport
import Testing

@Suite(.enabled(if: Program.python.reasonToSkip == nil, "python3 is missing: apt-get install python3"))
struct GeneratedPythonTests {
    private func withProgram(_ dictionary: EventDictionary, _ body: (URL) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Generator.files(.python, for: dictionary).write(to: folder.appending(path: "events"))
            try Generator.driver("python", for: dictionary).write(to: folder)
            try FileManager.default.copyItem(
                at: Folders.fixtures.appending(path: "drivers/sample.py"), to: folder.appending(path: "sample.py"))
            try body(folder)
        }
    }

    @Test(arguments: SampleDictionary.allCases)
    func `generated Python compiles without a warning, and everything that it encodes is resolved`(
        sample: SampleDictionary
    ) async throws {
        let dictionary = try sample.load()
        try await withProgram(dictionary) { folder in
            let compiled = try Program.run(
                "sh", "-c", "exec \(Program.python.path) -W error -m py_compile events/*.py", in: folder)
            #expect(compiled.status == 0, "\(compiled.errors)")
            let run = try Program.run(Program.python.path, "-W", "error", "driver.py", in: folder)
            try #require(run.status == 0, "\(run.errors)")
            expectResolved(run.lines, of: dictionary)
        }
    }

    @Test(
        .enabled(if: Program.mypy.reasonToSkip == nil, "mypy is missing: apt-get install mypy"),
        arguments: SampleDictionary.allCases)
    func `type checkers know every type of generated Python`(sample: SampleDictionary) async throws {
        try await withProgram(try sample.load()) { folder in
            let checked = try Program.run(Program.mypy.path, "--strict", "-p", "events", in: folder)
            #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
        }
    }

    @Test(arguments: SampleDictionary.allCases)
    func `every value that breaks a definition is an error that names it`(sample: SampleDictionary) async throws {
        try await withProgram(try sample.load()) { folder in
            let run = try Program.run(Program.python.path, "-W", "error", "driver.py", "break", in: folder)
            try #require(run.status == 0, "\(run.errors)")
            #expect(run.lines.count == 1 && run.lines[0].hasSuffix(" keys"), "\(run.output)")
        }
    }
}
