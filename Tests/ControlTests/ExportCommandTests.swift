import API
import Foundation
import Model
import Predicates
import Synchronization
import TestSupport
import Testing

@testable import Control

struct ExportCommandTests {
    @Test(arguments: ["-journal", "-wal"], [true, false])
    func `what is left of an older file is not applied to a new one`(suffix: String, isThere: Bool) async throws {
        let daemon = try FakeDaemon { _ in .problem(500, "not to be asked") }
        defer { daemon.stop() }
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "x.sqlite").path
            if isThere { try Data("old".utf8).write(to: URL(filePath: file)) }
            try Data("journal".utf8).write(to: URL(filePath: file + suffix))
            let run = await Run.glossctl("--socket", daemon.socket, "export", "--sqlite", file, "--force")
            #expect(run.status == .no && run.errors.contains("\(file)\(suffix) is there"), "\(run.errors)")
            #expect(daemon.requests.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: file) || isThere)
        }
    }

    @Test(arguments: ["--sqlite", "--csv"], ["", "-"])
    func `what is no name of a file or a folder is refused`(option: String, path: String) async throws {
        let run = await Run.glossctl("--socket", "/nowhere", "export", option, path)
        #expect(run.status == .wrongUsage)
        let reason = path.isEmpty ? "Say what to write" : "not written to standard output"
        #expect(run.errors.contains(reason), "\(run.errors)")
    }

    /// Exports a table with one row, from a daemon that answers some of the requests for rows.
    private func export(
        to folder: URL, answers: @escaping @Sendable (_ request: Int) -> Bool
    ) async throws -> (events: Int64?, requests: Int, progress: String) {
        let status = try Fixture.bytes("status-running.json")
        let column = ColumnOfTable(name: "id", type: "INTEGER", description: "")
        let list = Array(
            try APICoding.encode(
                TableList(tables: [TableReply(name: "events", description: "", columns: [column])])))
        let lines = [
            #"{"type":"columns","columns":["id"]}"#, #"{"type":"row","values":[7]}"#,
            #"{"type":"end","rows":1,"cut":false}"#,
        ].map { Array($0.utf8) }
        let asked = Mutex(0)
        let daemon = try FakeDaemon { request in
            if request.target.hasPrefix(APIPath.status) { return .document(status) }
            if request.target.hasPrefix(APIPath.tables) { return .document(list) }
            guard request.target.contains("exact=true") else { return .problem(400, "digits are lost") }
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            guard answers(number) else { return .problem(503, "4 statements are running.") }
            return .lines(
                request.target.contains("DISTINCT") || request.target.contains("GROUP") ? [lines[0], lines[2]] : lines)
        }
        defer { daemon.stop() }
        let errors = Mutex("")
        let console = Console(
            environment: [:], output: ByteSink { _ in },
            errors: ByteSink { bytes in errors.withLock { $0 += String(decoding: bytes, as: UTF8.self) } },
            errorWidth: { 80 }, now: { Run.now })
        let export = Export(
            client: ControlClient(socket: daemon.socket), filter: EventFilter(), zone: .utc,
            target: try CSVTarget(folder.path, replaces: false), progress: ProgressLine(console),
            pause: .milliseconds(1))
        let events = try? await export.run()
        return (events, asked.withLock { $0 }, errors.withLock { $0 })
    }

    @Test func `an export waits for a daemon that is busy, and not for ever`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "events.csv")
            let often = try await export(to: folder) { $0 % 3 == 0 }
            #expect(often.events == 1 && often.requests == 9)
            #expect(often.progress.contains("waiting: 4 statements are running."), "\(often.progress)")
            #expect(try String(contentsOf: file, encoding: .utf8) == "id\n7\n")
            try FileManager.default.removeItem(at: file)
            try FileManager.default.removeItem(at: folder.appending(path: "columns.csv"))
            let never = try await export(to: folder) { _ in false }
            #expect(never.events == nil && never.requests == 61)
        }
    }

    @Test func `requests for many tables are no longer than a request may be`() async throws {
        let tables = (100..<250).map { number in
            TableReply(
                name: String(repeating: "夕", count: 20) + "\(number)", description: "", columns: [], dictionary: "shop",
                event: "a/\(number)")
        }
        let list = Array(try APICoding.encode(TableList(tables: tables)))
        let status = try Fixture.bytes("status-running.json")
        let end = #"{"type":"end","rows":0,"cut":false}"#
        let keys = tables.map { #"{"type":"row","values":["shop","\#($0.event ?? "")"]}"# }
        let daemon = try FakeDaemon { request in
            if request.target.hasPrefix(APIPath.status) { return .document(status) }
            if request.target.hasPrefix(APIPath.tables) { return .document(list) }
            let rows = request.target.contains("DISTINCT") ? keys : []
            return .lines(([#"{"type":"columns","columns":[]}"#] + rows + [end]).map { Array($0.utf8) })
        }
        defer { daemon.stop() }
        try await withTemporaryFolder { folder in
            var filter = EventFilter()
            filter[.user] = [String(repeating: "夕", count: 5000)]
            let console = Console(
                environment: [:], output: ByteSink { _ in }, errors: ByteSink { _ in }, now: { Run.now })
            let export = Export(
                client: ControlClient(socket: daemon.socket), filter: filter, zone: .utc,
                target: try CSVTarget(folder.path, replaces: false), progress: ProgressLine(console))
            #expect(try await export.run() == 0)
        }
        let paths = daemon.requests.map(\.target)
        #expect(paths.allSatisfy { $0.utf8.count <= 64 << 10 })
        let asked = paths.filter { $0.contains("gloss_rows") }
        #expect(asked.count == 2)
        #expect(tables.allSatisfy { table in asked.count { $0.contains("\(table.name.suffix(3))%27") } == 1 })
    }

    @Test(arguments: [true, false])
    func `what cannot be replaced at the end leaves an earlier export as it was`(replaces: Bool) async throws {
        try await withTemporaryFolder { folder in
            func table(_ name: String) -> TableReply { TableReply(name: name, description: "", columns: []) }
            let (first, last) = (folder.appending(path: "events.csv"), folder.appending(path: "columns.csv"))
            if replaces { try Data("earlier".utf8).write(to: first) }
            let target = try CSVTarget(folder.path, replaces: replaces)
            try target.begin(table("events"))
            try FileManager.default.createDirectory(at: last, withIntermediateDirectories: false)
            #expect(throws: ControlError.self) { try target.end() }
            target.abandon()
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(left == (replaces ? ["columns.csv", "events.csv"] : ["columns.csv"]))
            if replaces { #expect(try String(contentsOf: first, encoding: .utf8) == "earlier") }
        }
    }

    @Test(arguments: [true, false])
    func `an export of no events says so and leaves nothing`(isThere: Bool) async throws {
        let column = ColumnOfTable(name: "id", type: "INTEGER", description: "")
        let list = Array(
            try APICoding.encode(
                TableList(tables: [TableReply(name: "events", description: "", columns: [column])])))
        let daemon = try FakeDaemon { request in
            if request.target.hasPrefix(APIPath.tables) { return .document(list) }
            guard request.target.hasPrefix("/v1/sql") else {
                return (try? Fixture.answer(request, [])) ?? .problem(500, "")
            }
            return .lines(
                [#"{"type":"columns","columns":["id"]}"#, #"{"type":"end","rows":0,"cut":false}"#].map {
                    Array($0.utf8)
                })
        }
        defer { daemon.stop() }
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "csv").path
            if isThere { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
            let run = await Run.glossctl("--socket", daemon.socket, "export", "--csv", path, "--event", "shop/nope")
            #expect(run.status == .no)
            #expect(run.errors == "No events match; 512,000 are stored, none with event shop/nope.\n")
            #expect(FileManager.default.fileExists(atPath: path) == isThere)
            #expect(try !isThere || FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        }
    }
}
