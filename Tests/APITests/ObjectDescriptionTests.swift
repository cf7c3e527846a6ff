import Foundation
import Model
import Testing

@testable import API

struct ObjectDescriptionTests {
    private typealias Described = DescribedObject & Codable

    private static var types: [any Described.Type] {
        [
            AlertList.self, AlertReply.self, AlertReply.Cause.self, KeyValue.self, NoticeList.self,
            NoticeReply.self, NoticeReply.Delivery.self, ChecklistReply.self, ChecklistReply.Item.self,
            ChecklistReply.Sample.self, ChecklistReply.Order.self, ChecklistReply.Funnel.self,
            ChecklistReply.Step.self, ChecklistList.self, ChecklistList.Run.self, ChecklistScope.self,
            ChecklistScope.Program.self, ColumnReply.self, DefinitionList.self, DefinitionList.Category.self,
            DefinitionList.Item.self, DefinitionList.FoundType.self, DefinitionList.Match.self,
            DefinitionReply.self, DefinitionDetail.Facts.self, ParameterReply.self, DefinitionUse.self,
            ViolationUse.self, LinkReply.self,
            DiagnosticList.self, DiagnosticReply.self, DictionaryStatus.self, DictionaryList.self,
            DefinitionProblemReply.self, ReloadReply.self, DictionaryVersionReply.self,
            DictionaryVersionList.self, DictionaryFiles.self, DictionaryFiles.File.self, GapLine.self,
            GapLine.FilePart.self, GapLine.Numbers.self, GapList.self, JournalStatus.self,
            JournalStatus.CatchUp.self, JournalStatus.UnreadableFile.self, JournalStatus.Entries.self,
            KeyCatalog.self, KeyReply.self, PredicateReply.self, EventOrigin.self, KeylessRow.self,
            PayloadShape.self, Problem.self, UndefinedRow.self, UndefinedRow.Closest.self, UnseenRow.self,
            ViolationRow.self, ObsoleteRow.self, ReportScope.self, ReportScope.Gaps.self,
            ReportScope.Unknown.self, SinkStatus.self, StatsReply.self, StatsRow.self,
            StatsRow.Numbers.self, StatsRow.Numbers.Range.self, StatusReply.self,
            StatusReply.ReprocessingProgress.self, StatusProblem.self, StoreStatus.self, SourceStatus.self,
            EventCounts.self, GapCounts.self, TableList.self, TableReply.self, ColumnOfTable.self,
            TypeReply.self, Report<UndefinedRow>.self, Report<UnseenRow>.self, Report<ViolationRow>.self,
            Report<ObsoleteRow>.self, Report<KeylessRow>.self,
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
        guard case .object(let members) = Value.object.example else {
            Issue.record("\(type)")
            return
        }
        for member in Value.object.members {
            var fewer = members
            fewer[member.name] = nil
            let isRead = (try? APICoding.decode(type, from: JSONEncoder().encode(fewer))) != nil
            #expect(isRead == member.type.isOptional, "\(type).\(member.name)")
        }
    }

    @Test func `an example of a number has its decimals, and of a text its lines`() throws {
        let row = try APICoding.decode(StatsRow.self, from: JSONEncoder().encode(StatsRow.object.example))
        #expect(row.perSecond == 0.33)
        let file = DictionaryFiles.File.object.example
        #expect(try APICoding.decode(DictionaryFiles.File.self, from: JSONEncoder().encode(file)).text.last == "\n")
    }

    @Test func `all objects that are coded as they are declared are looked at`() throws {
        let declaration = /struct (\w+)[^{]*: ((?=[^{]*\bCodable\b)[^{]*\bDescribedObject\b|ReportRow)[^{]*\{/
        let declared = try sources().flatMap { $0.text.matches(of: declaration).map { String($0.1) } }
        // A report is one object with several kinds of rows.
        let listed = Self.types.map { "\($0)" }.filter { !$0.hasPrefix("Report<") } + ["Report"]
        #expect(declared.sorted() == listed.sorted())
    }

    private func sources() throws -> [(file: String, text: String)] {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources").path
        let files = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix(".swift") }
            .map { ($0, try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8)) }
    }

    @Test func `each member is described in one file of the sources`() throws {
        let sources = try sources()
        for (name, file) in [
            ("keep_seconds", "API/StoreStatus.swift"), ("lag_events", "API/SinkStatus.swift"),
            ("catch_up", "API/JournalStatus.swift"), ("still_seen", "API/Report.swift"),
        ] {
            #expect(sources.filter { $0.text.contains("\"\(name)\"") }.map(\.file) == [file])
        }
    }

    private static func snakeCase(_ name: String) -> String {
        name.replacing(/([a-z0-9])([A-Z]+)/) { "\($0.1)_\($0.2)" }.lowercased()
    }
}
