import Foundation
@testable import Generate
import Model
import TestSupport
import Testing

struct OutputFolderTests {
    private func templates(_ name: String = "mine") throws -> TemplateSet {
        try TemplateSet(name: name, templates: ["t": "{{! output: {category}/{event}.txt }}\n{{header}}\n"])
    }

    private func files() throws -> [GeneratedFile] {
        try Generator(templates()).files(for: SampleDictionary.sample.load())
    }

    private func text(_ folder: URL, _ path: String) -> String? {
        try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    @Test func `files are written, then only those that differ, and those that are left over are removed`() async throws
    {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "new/out")
            let output = OutputFolder(url.path, of: try templates(), from: "sample")
            var files = try files()
            #expect(try output.differences(from: files) == files.map { .missing(path: $0.path) })
            #expect(try output.write(files).count == 5)
            #expect(try output.differences(from: files) == [])
            let attributes = try FileManager.default.attributesOfItem(atPath: url.appending(path: files[0].path).path)
            let modified = attributes[.modificationDate] as? Date
            #expect(((attributes[.posixPermissions] as? Int) ?? 0) & 0o044 == 0o044)

            let gone = files.removeLast()
            let alone = files.remove(at: 1)
            files[1].text += "more\n"
            let expected: [OutputFolder.Difference] = [
                .leftOver(path: alone.path), .changed(path: files[1].path), .leftOver(path: gone.path),
            ]
            #expect(try output.differences(from: files) == expected)
            #expect(try output.write(files) == expected)
            #expect(text(url, files[1].path)?.hasSuffix("more\n") == true)
            #expect(text(url, gone.path) == nil)
            let after = try FileManager.default.attributesOfItem(atPath: url.appending(path: files[0].path).path)
            #expect(after[.modificationDate] as? Date == modified)
            #expect(try output.write(Array(files.prefix(1))).count == 2)
            #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["recipe_detail"])
        }
    }

    @Test func `files that it has not written stay as they are`() async throws {
        try await withTemporaryFolder { folder in
            let others = try Generator(
                TemplateSet(
                    name: "other", templates: ["t": "{{! output: {category}/other-{event}.txt }}\n{{header}}\n"]
                )
            ).files(for: SampleDictionary.sample.load())
            try others.write(to: folder)
            try [GeneratedFile(path: "recipe_detail/notes.txt", text: "by hand")].write(to: folder)
            let output = OutputFolder(folder.path, of: try templates(), from: "sample")
            #expect(try output.write(files()).count == 5)
            #expect(try output.write([]).count == 5)
            #expect(text(folder, "recipe_detail/notes.txt") == "by hand")
            #expect(others.allSatisfy { text(folder, $0.path) == $0.text })

            let file = try #require(try files().first)
            try [GeneratedFile(path: file.path, text: "by hand")].write(to: folder)
            let error = #expect(throws: GenerateError.self) { try output.write(files()) }
            #expect(
                error?.description.hasSuffix(
                    "show.txt is not a generated file: move it, or choose another folder for --output") == true)
            #expect(text(folder, file.path) == "by hand")
            #expect(text(folder, try files()[1].path) == nil)
            // Without writing, the same is said.
            #expect(throws: GenerateError.self) { try output.differences(from: files()) }
        }
    }

    @Test func `another dictionary's files are neither removed nor written over`() async throws {
        try await withTemporaryFolder { folder in
            func dictionary(_ name: String) throws -> EventDictionary {
                var dictionary = try SampleDictionary.sample.load()
                dictionary.options.name = name
                return dictionary
            }
            let output = OutputFolder(folder.path, of: try templates(), from: "sample")
            // "sample" is how this one's name begins.
            let other = try Generator(templates()).files(for: dictionary("sample-2"))
            let elsewhere = other.map { file in
                GeneratedFile(path: "other/\(file.path.split(separator: "/")[1])", text: file.text)
            }
            try elsewhere.write(to: folder)
            #expect(try output.write(files()).count == 5)
            #expect(try output.write([]).count == 5)
            #expect(elsewhere.allSatisfy { text(folder, $0.path) == $0.text })

            try other.write(to: folder)
            let error = #expect(throws: GenerateError.self) { try output.write(files()) }
            #expect(error?.description.contains("show.txt was generated from another dictionary, or for") == true)
            #expect(other.allSatisfy { text(folder, $0.path) == $0.text })
        }
    }

    @Test func `a file that mentions the mark further down is not taken for a generated one`() async throws {
        try await withTemporaryFolder { folder in
            let notes = try files().map { GeneratedFile(path: $0.path, text: "How to know them:\r\n\($0.text)") }
            try notes.write(to: folder)
            let output = OutputFolder(folder.path, of: try templates(), from: "sample")
            #expect(try output.write([]) == [])
            #expect(throws: GenerateError.self) { try output.write(files()) }
            #expect(notes.allSatisfy { text(folder, $0.path) == $0.text })
        }
    }

    @Test func `what is linked is not followed`() async throws {
        try await withTemporaryFolder { folder in
            let outside = folder.appending(path: "outside")
            try files().write(to: outside)
            let inside = folder.appending(path: "inside")
            try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: inside.appending(path: "link"), withDestinationURL: outside.appending(path: "recipe_detail"))
            #expect(try OutputFolder(inside.path, of: templates(), from: "sample").write([]) == [])
            #expect(text(outside, try files()[0].path) != nil)
        }
    }

    /// To what is there, and to nothing.
    @Test(arguments: ["recipe_detail", "recipe_detail/show.txt"], ["outside", "nowhere"])
    func `nothing is written through a link, except through that of the folder itself`(
        place: String, target: String
    ) async throws {
        try await withTemporaryFolder { folder in
            let outside = folder.appending(path: place.hasSuffix(".txt") ? "outside.txt" : "outside")
            try [GeneratedFile(path: "outside/notes.txt", text: "by hand")].write(to: folder)
            // It could be overwritten: it has the mark.
            let old = try files()[0].text + "more\n"
            try [GeneratedFile(path: "outside/show.txt", text: old), GeneratedFile(path: "outside.txt", text: old)]
                .write(to: folder)
            let inside = folder.appending(path: "inside")
            let link = inside.appending(path: place)
            try FileManager.default.createDirectory(
                at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: link.path, withDestinationPath: target == "nowhere" ? target : outside.path)
            let output = OutputFolder(inside.path, of: try templates(), from: "sample")
            let error = #expect(throws: GenerateError.self) { try output.write(files()) }
            #expect(error?.description.contains("inside/\(place) is a link, which is not followed: ") == true)
            #expect(throws: GenerateError.self) { try output.differences(from: files()) }
            #expect(text(folder, "outside/show.txt") == old && text(folder, "outside.txt") == old)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)

            try FileManager.default.removeItem(at: link)
            let entry = folder.appending(path: "entry")
            try FileManager.default.createSymbolicLink(at: entry, withDestinationURL: inside)
            #expect(try OutputFolder(entry.path, of: templates(), from: "sample").write(files()).count == 5)
            #expect(text(inside, try files()[0].path) != nil)
        }
    }

    @Test func `a folder that cannot be made is an error with its place`() throws {
        let output = OutputFolder("/proc/gloss/out", of: try templates(), from: "sample")
        let error = #expect(throws: GenerateError.self) { try output.write(files()) }
        #expect(error?.description.hasPrefix("/proc/gloss/out/recipe_detail/show.txt cannot be written: ") == true)
    }
}
