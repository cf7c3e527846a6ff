import API
import Testing

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
}
