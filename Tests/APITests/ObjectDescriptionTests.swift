import Foundation
import Model
import Testing

@testable import API

struct ObjectDescriptionTests {
    private typealias Described = DescribedObject & Codable

    private static var types: [any Described.Type] {
        [
            StatusReply.self, StatusReply.ReprocessingProgress.self, StatusProblem.self, JournalStatus.self,
            JournalStatus.CatchUp.self, JournalStatus.UnreadableFile.self, JournalStatus.Entries.self, EventCounts.self,
            GapCounts.self, StoreStatus.self, SourceStatus.self, SinkStatus.self, DictionaryStatus.self,
            DefinitionProblemReply.self, DictionaryList.self, ReloadReply.self, DictionaryVersionReply.self,
            DictionaryVersionList.self, DictionaryFiles.self, DictionaryFiles.File.self, DefinitionReply.self,
            ParameterReply.self, ColumnReply.self,
            DefinitionList.self, DefinitionList.Category.self, DefinitionList.Item.self,
            DefinitionList.Match.self, DefinitionUse.self, ViolationUse.self, LinkReply.self, GapList.self,
            GapLine.self,
            GapLine.FilePart.self, GapLine.Numbers.self, Problem.self, EventOrigin.self, ReportScope.self,
            ReportScope.Gaps.self, ReportScope.Unknown.self, UndefinedRow.self, UndefinedRow.Closest.self,
            UnseenRow.self, ViolationRow.self, ObsoleteRow.self, KeylessRow.self, Report<UndefinedRow>.self,
            Report<UnseenRow>.self, Report<ViolationRow>.self, Report<ObsoleteRow>.self, Report<KeylessRow>.self,
        ]
    }

    @Test func `every property of an object is described, in the order of the declaration, under its name in JSON`()
        throws
    {
        for type in Self.types { try expectDescription(of: type) }
    }

    private func expectDescription<Value: Described>(of type: Value.Type) throws {
        let value = try APICoding.decode(type, from: JSONEncoder().encode(Value.object.example))
        let names = Mirror(reflecting: value).children.map { Self.snakeCase($0.label ?? "") }
        #expect(Value.object.members.map(\.name) == names, "\(type)")
    }

    @Test func `an object lacks its optional members and no others`() throws {
        for type in Self.types { try expectOptional(of: type) }
    }

    private func expectOptional<Value: Described>(of type: Value.Type) throws {
        guard case .object(let members) = Value.object.example else { return }
        for member in Value.object.members {
            var fewer = members
            fewer[member.name] = nil
            let isRead = (try? APICoding.decode(type, from: JSONEncoder().encode(fewer))) != nil
            #expect(isRead == member.type.isOptional, "\(type).\(member.name)")
        }
    }

    @Test func `each member is described in one file of the sources`() throws {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources").path
        let files = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        let sources = try files.filter { $0.hasSuffix(".swift") }
            .map { ($0, try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8)) }
        for (name, file) in [
            ("keep_seconds", "API/StoreStatus.swift"), ("lag_events", "API/SinkStatus.swift"),
            ("catch_up", "API/JournalStatus.swift"), ("still_seen", "API/Report.swift"),
        ] {
            #expect(sources.filter { $0.1.contains("\"\(name)\"") }.map(\.0) == [file])
        }
    }

    private static func snakeCase(_ name: String) -> String {
        name.replacing(/([a-z0-9])([A-Z]+)/) { "\($0.1)_\($0.2)" }.lowercased()
    }
}
