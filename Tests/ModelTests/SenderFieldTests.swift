import Foundation
import Model
import Testing

struct SenderFieldTests {
    private static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files below `Sources` in which any of these texts is, from the repository.
    private func sources(with texts: [String]) throws -> [String] {
        let root = Self.repository.appending(path: "Sources").path
        let files = try #require(FileManager.default.enumerator(atPath: root))
        return try files.compactMap { $0 as? String }.filter { path in
            guard path.hasSuffix(".swift") else { return false }
            let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
            return texts.contains { text.contains($0) }
        }.sorted()
    }

    @Test func `each is at its place in the table`() {
        for (place, field) in SenderField.allCases.enumerated() { #expect(field.place == place, "\(field.name)") }
        #expect(Set(SenderField.allCases.map(\.name)).count == SenderField.allCases.count)
        #expect(Set(SenderField.allCases.map(\.journalName)).count == SenderField.allCases.count)
    }

    /// A field that nothing else depends on is in two places: the table, and the description of the store's format.
    @Test func `a field that only says who sent an event is in one file of the sources, and in docs store-md`() throws {
        for (field, code) in [(SenderField.processUID, ".processUID")] {
            let texts = ["\"\(field.name)\"", "\"\(field.journalName)\"", field.journalName + "=", code]
            #expect(try sources(with: texts) == ["Model/SenderField.swift"])
        }
    }

    @Test func `the store's description has them in the order of the table`() throws {
        let text = try String(contentsOf: Self.repository.appending(path: "docs/store.md"), encoding: .utf8)
        let names = SenderField.allCases.map(\.name).joined(separator: ", ")
        #expect(text.contains("| 9 sender table | boot_id, seqnum_id, source, key_fields, \(names) | 1 |"))
    }

    @Test func `a value that is no number is none, and one that must be there is empty`() {
        let values = SenderValues { [.processUID: "x12", .unit: "a.service"][$0] }
        #expect(values[.processUID] == nil && values[.unit] == "a.service" && values[.identifier] == nil)
        #expect(values[.subsystem] == "" && values[.host] == "")
        #expect(SenderValues { [.processUID: "007"][$0] }[.processUID] == "7")
        #expect(values != SenderValues { _ in nil })
        #expect(values == SenderValues { [.unit: "a.service"][$0] })
    }
}
