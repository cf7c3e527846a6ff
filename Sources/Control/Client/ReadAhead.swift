import Dispatch
import Synchronization

/// Reads a connection on a thread of its own, before the bytes are asked for: while the reader of the output pauses, the daemon can
/// go on. Only then much is kept.
final class ReadAhead: Sendable {
    typealias Read = @Sendable (_ most: Int) -> Result<[UInt8], SocketConnection.SystemError>

    private struct State {
        var pieces: [[UInt8]] = []
        var bytes = 0
        /// Whether nobody has asked for bytes for long.
        var isPaused = false
        var waitsForRoom = false
        /// Whether there is no more room, however long the pause is.
        var isFull = false
        /// Why nothing more comes: there are no bytes, or it is an error.
        var end: Result<[UInt8], SocketConnection.SystemError>?
    }

    private static let pieceBytes = 64 << 10

    private let (usualBytes, mostBytes): (Int, Int)
    private let patience: DispatchTimeInterval
    private let state = Mutex(State())
    /// Signalled when there is something after there was nothing, and when there is room again.
    private let (arrived, room) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    /// - Parameters:
    ///   - usualBytes: about how many bytes wait.
    ///   - mostBytes: how many wait after a pause of `patience`.
    ///   - read: waits for bytes; there are none at the end.
    init(
        on queue: DispatchQueue, keeping usualBytes: Int = 1 << 20, atMost mostBytes: Int = 64 << 20,
        after patience: DispatchTimeInterval = .seconds(5), _ read: @escaping Read
    ) {
        (self.usualBytes, self.mostBytes, self.patience) = (usualBytes, mostBytes, patience)
        queue.async { [self] in
            while take(read(Self.pieceBytes)) {}
        }
    }

    /// - Returns: whether to go on.
    private func take(_ piece: Result<[UInt8], SocketConnection.SystemError>) -> Bool {
        let (goesOn, waits, isFull) = state.withLock { state in
            switch piece {
            case .success(let bytes) where !bytes.isEmpty:
                // Arrays keep the memory that was there for a whole piece.
                state.pieces.append(bytes.count < Self.pieceBytes / 2 ? Array(bytes[...]) : bytes)
                state.bytes += bytes.count
            case .success, .failure: state.end = piece
            }
            state.isFull = state.bytes > mostBytes
            state.waitsForRoom = state.isFull || state.bytes > usualBytes && !state.isPaused
            return (state.end == nil, state.waitsForRoom, state.isFull)
        }
        arrived.signal()
        if isFull {
            room.wait()
        } else if waits, room.wait(timeout: .now() + patience) == .timedOut {
            state.withLock { ($0.isPaused, $0.waitsForRoom) = (true, false) }
        }
        return goesOn
    }

    /// Waits for the next bytes. There are none at the end.
    func next(atMost most: Int) -> Result<[UInt8], SocketConnection.SystemError> {
        while true {
            if let piece = state.withLock({ next(of: &$0, atMost: most) }) { return piece }
            arrived.wait()
        }
    }

    /// - Returns: `nil` if there is nothing yet.
    private func next(of state: inout State, atMost most: Int) -> Result<[UInt8], SocketConnection.SystemError>? {
        state.isPaused = false
        guard var piece = state.pieces.first else { return state.end }
        var count = 1
        while count < state.pieces.count, piece.count + state.pieces[count].count <= most {
            piece += state.pieces[count]
            count += 1
        }
        state.pieces.removeFirst(count)
        state.bytes -= piece.count
        // To read all of what is full takes long, and the sender gives up if nothing is taken meanwhile.
        if state.bytes <= (state.isFull ? mostBytes - usualBytes : usualBytes / 2) { makeRoom(&state) }
        return .success(piece)
    }

    private func makeRoom(_ state: inout State) {
        guard state.waitsForRoom else { return }
        (state.waitsForRoom, state.isFull) = (false, false)
        room.signal()
    }

    /// Lets the thread end that waits for room. The connection must be shut down.
    func stop() {
        state.withLock { state in
            (state.pieces, state.bytes) = ([], 0)
            makeRoom(&state)
        }
    }
}
