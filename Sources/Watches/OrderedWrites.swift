internal import Store

/// Writes to the store in the order of the calls, so that nothing is written over by what was there before. It belongs to
/// one actor.
final class OrderedWrites {
    private var last: Task<Void, Never>?

    /// Returns when it is written.
    @discardableResult
    func write<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable () async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let before = last
        let write = Task { () -> Swift.Result<Result, StoreError> in
            await before?.value
            do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
        }
        last = Task { _ = await write.value }
        return try await write.value.get()
    }
}
