import Foundation
import Glibc
import Linux
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WriteAllTests {
    @Test func `a pipe that does not block gets everything`() async throws {
        let pipe = Pipe()
        let end = pipe.fileHandleForWriting
        try #require(fcntl(end.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        // Far more than a pipe has room for.
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let reading = Task.detached { try pipe.fileHandleForReading.readToEnd() }
        let (descriptor, queue) = (end.fileDescriptor, WorkQueue("gloss.test"))
        #expect(await queue.run { writeAll(bytes, to: descriptor) } == 0)
        try end.close()
        #expect(try await reading.value == Data(bytes))
    }

    @Test func `a pipe that nobody reads is waited for as long as is said`() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
        let start = ContinuousClock.now
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        #expect(writeAll(bytes, to: descriptor, patience: .milliseconds(200)) == EAGAIN)
        #expect(.now - start >= .milliseconds(150))
        withExtendedLifetime(pipe) {}
    }

    @Test func `what cannot be written has the system's number`() throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        #expect(writeAll([1], to: full.fileDescriptor) == ENOSPC)
        #expect(writeAll([], to: full.fileDescriptor) == 0)
    }

    @Test func `a pipe is widened, and never made smaller`() {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        func size() -> Int32 { fcntl(descriptor, 1032) }  // F_GETPIPE_SZ
        let usual = size()
        widenPipe(descriptor, toHold: usual * 2)
        #expect(usual > 0 && size() == usual * 2)
        widenPipe(descriptor, toHold: usual)
        #expect(size() == usual * 2)
        withExtendedLifetime(pipe) {}
    }
}
