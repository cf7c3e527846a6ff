import Model
import TestSupport

extension JournalFileBuilder {
    /// A file of entries as senders make them, and some that hardly anyone sends: bytes of all kinds, repeated fields,
    /// empty and long values, many fields, several boots.
    static func random(_ options: Options = Options(), seed: UInt64, entries: Int) -> JournalFileBuilder {
        var generator = SeededGenerator(seed: seed)
        var builder = JournalFileBuilder(options)
        var (seqnum, realtime, monotonic) = (UInt64(seed % 1000 + 1), UInt64(1_700_000_000_000_000), UInt64(1_000_000))
        var boot = ID128(high: generator.next(), low: generator.next())
        for index in 0..<entries {
            seqnum += UInt64.random(in: 1...3, using: &generator)
            realtime += UInt64.random(in: 0...2000, using: &generator)
            monotonic += UInt64.random(in: 0...2000, using: &generator)
            if Int.random(in: 0..<50, using: &generator) == 0 {
                boot = ID128(high: generator.next(), low: generator.next())
                monotonic = 0
            }
            builder.add(
                Entry(
                    seqnum: seqnum, realtimeMicroseconds: realtime, monotonicMicroseconds: monotonic, bootID: boot,
                    fields: fields(index, &generator)))
        }
        return builder
    }

    private static func fields(_ index: Int, _ generator: inout SeededGenerator) -> [[UInt8]] {
        var fields = [
            Array("SUBSYSTEM=com.example.\(index % 3)".utf8), Array("PRIORITY=\(index % 8)".utf8),
            Array("MESSAGE={\"event_name\":\"event\(index % 7)\",\"sequence\":\(index)}".utf8),
        ]
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: fields.append(Array("EMPTY=".utf8))
        case 1: fields += (0..<3).map { Array("REPEATED=\($0)".utf8) }
        case 2:
            fields.append(Array("BINARY=".utf8) + (0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) })
        // Random bytes do not become smaller, repeated ones do.
        case 3:
            fields.append(Array("LONG=".utf8) + (0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        case 4: fields.append(Array("LONG=".utf8) + (0..<70_000).map { UInt8(truncatingIfNeeded: $0 / 100 + index) })
        case 5: fields += (0..<Int.random(in: 1...40, using: &generator)).map { Array("F\($0)=\(index)".utf8) }
        default: break
        }
        return fields
    }
}
