import Model
import Testing

@testable import Forward

@Suite struct BatchBuilderTests {
    private let lineBytes = Self.frozen([sampleEvent(1)], .sample()).body.count

    private static func frozen(_ events: [Event], _ options: SinkOptions) -> FrozenBatch {
        var builder = BatchBuilder(options)
        for event in events { _ = builder.add(event, at: .zero) }
        return builder.freeze(sink: "upstream", key: ID128(high: 0, low: 7))
    }

    @Test func `a batch is a line of NDJSON for each event, under its key`() {
        let batch = Self.frozen(sampleEvents(3...5), .sample())
        #expect(ids(in: batch.body) == [3, 4, 5])
        #expect(batch.body.last == UInt8(ascii: "\n"))
        #expect(batch.body.count { $0 == UInt8(ascii: "\n") } == 3)
        #expect(batch.key == "00000000000000000000000000000007")
        #expect((batch.firstEventID, batch.lastEventID, batch.eventCount) == (3, 5, 3))
    }

    @Test func `it closes when it has enough events`() {
        var builder = BatchBuilder(.sample { $0.maximumBatchEvents = 3 })
        for id in 1...3 as ClosedRange<Int64> {
            #expect(!builder.isClosed(at: .zero))
            let isIn = builder.add(sampleEvent(id), at: .zero)
            #expect(isIn)
        }
        #expect(builder.isClosed(at: .zero))
        let isIn = builder.add(sampleEvent(4), at: .zero)
        #expect(!isIn)
        #expect(builder.ids == [1, 2, 3])
    }

    @Test func `it closes when an event does not fit, which goes into the next one`() {
        var builder = BatchBuilder(.sample { $0.maximumBatchBytes = lineBytes * 3 + 10 })
        for event in sampleEvents(1...3) { _ = builder.add(event, at: .zero) }
        #expect(builder.ids == [1, 2, 3])
        #expect(!builder.isClosed(at: .zero))
        let isIn = builder.add(sampleEvent(4), at: .zero)
        #expect(!isIn)
        #expect(builder.isClosed(at: .zero))
        let batch = builder.freeze(sink: "upstream", key: ID128(high: 0, low: 1))
        #expect(ids(in: batch.body) == [1, 2, 3])
        #expect(batch.body.count <= lineBytes * 3 + 10)
    }

    @Test func `an event larger than a batch may be goes alone`() {
        var builder = BatchBuilder(.sample { $0.maximumBatchBytes = 1000 })
        let isIn = builder.add(sampleEvent(1, bytes: 5000), at: .zero)
        #expect(isIn)
        #expect(builder.isClosed(at: .zero))
        #expect(ids(in: builder.freeze(sink: "upstream", key: ID128(high: 0, low: 1)).body) == [1])

        var second = BatchBuilder(.sample { $0.maximumBatchBytes = 1000 })
        _ = second.add(sampleEvent(1), at: .zero)
        let isSecondIn = second.add(sampleEvent(2, bytes: 5000), at: .zero)
        #expect(!isSecondIn)
    }

    @Test func `it closes when its first event has waited long enough, and never while it is empty`() {
        var builder = BatchBuilder(.sample { $0.maximumBatchAge = .seconds(2) })
        #expect(!builder.isClosed(at: .seconds(1000)))
        _ = builder.add(sampleEvent(1), at: .seconds(10))
        _ = builder.add(sampleEvent(2), at: .seconds(11))
        #expect(!builder.isClosed(at: .milliseconds(11_999)))
        #expect(builder.isClosed(at: .seconds(12)))
        #expect(builder.due == .seconds(12))
    }

    @Test(arguments: SinkOptions.Compression.allCases)
    func `a body above 5120 bytes is compressed, one up to that is not`(compression: SinkOptions.Compression) throws {
        let options = SinkOptions.sample { $0.compression = compression }
        let exact = Self.frozen([sampleEvent(1, bytes: 5120 - lineBytes + 24)], options)
        #expect(exact.body.count == 5120)
        #expect(exact.contentEncoding == nil)

        let larger = Self.frozen([sampleEvent(1, bytes: 5121 - lineBytes + 24)], options)
        let plain = Self.frozen([sampleEvent(1, bytes: 5121 - lineBytes + 24)], .sample()).body
        switch compression {
        case .none:
            #expect(larger.contentEncoding == nil)
            #expect(larger.body == plain)
        case .gzip:
            #expect(larger.contentEncoding == "gzip")
            #expect(larger.body.prefix(2) == [0x1F, 0x8B])
        case .deflate:
            #expect(larger.contentEncoding == "deflate")
            // The zlib format: method 8, a window of 32 KiB, and a header that is a multiple of 31.
            #expect(larger.body.first == 0x78)
            #expect((Int(larger.body[0]) << 8 | Int(larger.body[1])) % 31 == 0)
        }
        #expect(compression == .none || larger.body.count < 1000)
        #expect(try inflated(larger) == plain)
    }

    @Test func `what is compressed comes out again, also when it is large and does not compress`() throws {
        var random: UInt64 = 1
        let noise = (0..<300_000).map { _ in
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: random >> 56)
        }
        let compressed = try #require(Compressor.compress(noise, .gzip))
        #expect(compressed.count >= 300_000)
        #expect(try inflate(compressed, windowBits: 31, room: 400_000) == noise)
    }

    private func inflated(_ batch: FrozenBatch) throws -> [UInt8] {
        switch batch.contentEncoding {
        case "gzip": try inflate(batch.body, windowBits: 31, room: 1 << 20)
        case "deflate": try inflate(batch.body, windowBits: 15, room: 1 << 20)
        default: batch.body
        }
    }
}
