import API
import HTTPTypes
import Hummingbird
import JSON
import Model
import NIOCore
import TestSupport
import Testing

@testable import Queries
@testable import Serve

struct LineStreamTests {
    @Test func `what is in flight to a client that does not read stays small`() async throws {
        let accepted = try await withIdleClient { writer, channel in
            var stream = LineStream(writer, channel: channel, chunkBytes: 1)
            var accepted = 0
            while accepted < 1000 {
                try stream.lines.append(Problem(status: 500, title: String(repeating: "x", count: 64 << 10)))
                do { try await stream.write() } catch { break }
                accepted += 1
            }
            return accepted
        }
        // The kernel takes about 200 KiB and the channel 64 KiB. Without waiting for the event loop, hundreds get in.
        #expect(accepted < 16)
    }

    private struct Discarding: ResponseBodyWriter {
        func write(_ buffer: ByteBuffer) async throws {}
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test func `the memory of a page that was written is used for the next one`() async throws {
        let memory = LineMemory()
        var stream = LineStream(Discarding(), channel: nil, chunkBytes: 1000)
        let event = Event(
            id: 1, origin: Origin([:], bootID: ID128(high: 1, low: 2), seqnumID: ID128(high: 3, low: 4), source: ""),
            level: .notice, pid: nil, seqnum: 1, monotonicMicroseconds: 1, realtimeMicroseconds: 1, entryHash: 1,
            resolution: .plain, kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil), findings: nil,
            payload: [UInt8](repeating: UInt8(ascii: "x"), count: LineMemory.leastBytes))
        var places: Set<UnsafeRawPointer?> = []
        for _ in 0..<5 {
            var lines = EventLines(bytes: 1 << 20, payloadBytes: 1 << 20, in: memory)
            lines.take(event, isHighlighted: false)
            var page = try lines.takePage(with: [], isAscending: true)
            places.insert(page.lines[0].text?.withUnsafeBytes { $0.baseAddress })
            try await stream.write(&page)
        }
        #expect(places.count == 1)
    }
}
