import API
import Foundation
import JSON
import Model
import TestSupport
import Testing

@testable import Queries

struct EventLinesTests {
    @Test(arguments: [true, false])
    func `gaps stand behind the events that came before them`(isAscending: Bool) throws {
        var lines = EventLines(bytes: 1 << 16, payloadBytes: 1000, in: LineMemory())
        for id in isAscending ? [2, 3, 5] : [5, 3, 2] { lines.take(event(id), isHighlighted: false) }
        #expect(lines.count == 3)
        let page = try lines.takePage(with: gaps(behind: [3, 0, 5, 2, 3]), isAscending: isAscending)
        let ascending = ["gap 0", "event 2", "gap 2", "event 3", "gap 3", "gap 3", "event 5", "gap 5"]
        #expect(try order(page) == (isAscending ? ascending : ascending.reversed()))
        #expect(page.gaps.count == 5)
    }

    @Test(arguments: [true, false])
    func `one large event has gaps before and behind it`(isAscending: Bool) throws {
        let event = event(7, payload: 100_000)
        var lines = EventLines(oneOf: event.payload.count)
        #expect(lines.hasRoom(forPayload: event.payload.count))
        lines.take(event, isHighlighted: false)
        #expect(!lines.hasRoom(forPayload: 1))
        let page = try lines.takePage(with: gaps(behind: [7, 6]), isAscending: isAscending)
        let ascending = ["gap 6", "event 7", "gap 7"]
        #expect(try order(page) == (isAscending ? ascending : ascending.reversed()))
        #expect(page.lines.contains { $0.text == nil })
    }

    @Test func `without events there are the gaps`() throws {
        var lines = EventLines(bytes: 1 << 16, payloadBytes: 1000, in: LineMemory())
        let page = try lines.takePage(with: gaps(behind: [4, 1]), isAscending: true)
        #expect(try order(page) == ["gap 1", "gap 4"])
    }

    @Test func `there is room for some bytes of lines, and for one event at least`() {
        var lines = EventLines(bytes: 4000, payloadBytes: 5000, in: LineMemory())
        #expect(lines.hasRoom(forPayload: 5000) && !lines.hasRoom(forPayload: 5001))
        lines.take(event(1), isHighlighted: false)
        #expect(lines.hasRoom(forPayload: 1000) && !lines.hasRoom(forPayload: 3000))
        for id in 2...5 { lines.take(event(id, payload: 500), isHighlighted: false) }
        #expect(!lines.hasRoom(forPayload: 0))
    }

    @Test func `memory of many lines is used again, and that of few is not held`() {
        let memory = LineMemory()
        var many = [UInt8](repeating: 1, count: LineMemory.leastBytes)
        let place = many.withUnsafeBytes { $0.baseAddress }
        memory.give(&many)
        let again = memory.take()
        #expect(again.isEmpty && again.capacity >= LineMemory.leastBytes)
        #expect(again.withUnsafeBytes { $0.baseAddress } == place)
        #expect(memory.take().capacity == 0)
        many = [UInt8](repeating: 1, count: LineMemory.leastBytes)
        var few: [UInt8] = [1]
        memory.give(&many)
        memory.give(&few)
        #expect(memory.take().capacity == 0)
    }

    @Test func `a page that was written gives its memory back`() throws {
        let memory = LineMemory()
        var lines = EventLines(bytes: 1 << 20, payloadBytes: 1 << 20, in: memory)
        lines.take(event(1, payload: LineMemory.leastBytes), isHighlighted: false)
        var page = try lines.takePage(with: [], isAscending: true)
        let place = page.lines[0].text?.withUnsafeBytes { $0.baseAddress }
        page.release()
        #expect(page.lines.isEmpty)
        let again = memory.take()
        #expect(again.capacity >= LineMemory.leastBytes && again.withUnsafeBytes { $0.baseAddress } == place)
    }

    private func event(_ id: Int, payload bytes: Int = 2) -> Event {
        Event(
            id: Int64(id),
            origin: Origin(
                [.subsystem: "s", .category: "c", .host: "h"], bootID: ID128(high: 1, low: 2),
                seqnumID: ID128(high: 3, low: 4), source: ""),
            level: .notice, pid: nil, seqnum: 1, monotonicMicroseconds: 1, realtimeMicroseconds: 1, entryHash: 1,
            resolution: .unkeyed, kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil), findings: nil,
            payload: Array("{\(String(repeating: " ", count: bytes - 2))}".utf8))
    }

    private func gaps(behind ids: [Int]) -> [GapRecord] {
        ids.enumerated().map { number, id in
            GapRecord(
                id: Int64(number), afterEventID: Int64(id),
                gap: Gap(cause: .dropped, realtimeMicroseconds: 1, count: 1, message: ""))
        }
    }

    /// What stands in a page, line by line.
    private func order(_ page: ReplyPage) throws -> [String] {
        let bytes = page.lines.flatMap { $0.flatMap(\.self) }
        return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
            let object = try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let type = try #require(object["type"] as? String)
            return "\(type) \(try #require(object[type == "gap" ? "after" : "id"] as? Int))"
        }
    }
}
