import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Control

@Suite(.timeLimit(.minutes(1))) struct ReadAheadTests {
    /// Fifty pieces of 1,000 bytes, and then an end.
    private final class Source: Sendable {
        private let pieces = Mutex(0)
        private let end: Result<[UInt8], SocketConnection.SystemError>
        let queue = DispatchQueue(label: "test")

        init(end: Result<[UInt8], SocketConnection.SystemError> = .success([])) { self.end = end }

        var asked: Int { pieces.withLock { $0 } }

        func next() -> Result<[UInt8], SocketConnection.SystemError> {
            let number = pieces.withLock { pieces in
                pieces += 1
                return pieces
            }
            return number <= 50 ? .success(Array(repeating: UInt8(number), count: 1000)) : end
        }

        static let all = (1...50).flatMap { Array(repeating: UInt8($0), count: 1000) }
    }

    private func asked(_ source: Source, _ count: Int) async throws {
        while source.asked < count { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test func `all comes in order, and no more is read than may wait`() async throws {
        let source = Source()
        let ahead = ReadAhead(on: source.queue, keeping: 3_000, atMost: 10_000, after: .milliseconds(50)) { _ in
            source.next()
        }
        try await asked(source, 11)
        try await Task.sleep(for: .milliseconds(100))
        #expect(source.asked == 11)
        var bytes: [UInt8] = []
        while case let piece = try ahead.next(atMost: 2500).get(), !piece.isEmpty {
            #expect(piece.count <= 2500)
            bytes += piece
        }
        #expect(bytes == Source.all)
        #expect(try ahead.next(atMost: 1).get().isEmpty)
        source.queue.sync {}
    }

    @Test func `more is read as soon as there is room again for what usually waits`() async throws {
        let source = Source()
        // Longer than this waits below: also if the last piece is kept only after some were taken, no more are read then.
        let ahead = ReadAhead(on: source.queue, keeping: 3_000, atMost: 10_000, after: .seconds(2)) { _ in
            source.next()
        }
        try await asked(source, 11)
        _ = ahead.next(atMost: 3000)
        try await Task.sleep(for: .milliseconds(50))
        #expect(source.asked == 11)
        _ = ahead.next(atMost: 1000)
        try await asked(source, 12)
        ahead.stop()
        while case let piece = try ahead.next(atMost: .max).get(), !piece.isEmpty {}
        source.queue.sync {}
    }

    @Test func `while bytes are asked for, few are kept`() async throws {
        let source = Source()
        let ahead = ReadAhead(on: source.queue, keeping: 3_000, atMost: 50_000, after: .seconds(60)) { _ in
            source.next()
        }
        try await asked(source, 4)
        try await Task.sleep(for: .milliseconds(50))
        #expect(source.asked == 4)
        _ = ahead.next(atMost: 3000)
        try await asked(source, 7)
        try await Task.sleep(for: .milliseconds(50))
        #expect(source.asked == 7)
        ahead.stop()
        while case let piece = try ahead.next(atMost: .max).get(), !piece.isEmpty {}
        source.queue.sync {}
    }

    @Test func `an error comes behind what was read before it`() throws {
        let source = Source(end: .failure(.init(code: ECONNRESET)))
        let ahead = ReadAhead(on: source.queue) { _ in source.next() }
        source.queue.sync {}
        #expect(try ahead.next(atMost: .max).get() == Source.all)
        #expect(throws: SocketConnection.SystemError.self) { try ahead.next(atMost: .max).get() }
    }

    @Test func `reading ends when it is stopped, though nothing was taken`() async throws {
        let source = Source()
        let ahead = ReadAhead(on: source.queue, keeping: 10_000, after: .seconds(60)) { _ in
            source.asked < 12 ? source.next() : .success([])
        }
        try await asked(source, 11)
        ahead.stop()
        // The thread ends.
        source.queue.sync {}
    }
}
