import Foundation

extension Process {
    /// Runs the program, and waits for its end without a thread.
    /// - Returns: its status.
    func runToEnd() async throws -> Int32 {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            terminationHandler = { _ in ended.resume() }
            do {
                try run()
            } catch {
                terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        return terminationStatus
    }
}
