/// Runs one piece of work after the other, in the order of the calls. Each runs to its end, whoever waits for it. It belongs to one
/// actor.
package final class OrderedWork {
    private var last: Task<Void, Never>?

    package init() {}

    /// Returns when the work is done.
    @discardableResult
    package func run<Value: Sendable, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let before = last
        let work = Task { () -> Result<Value, Failure> in
            await before?.value
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        last = Task { _ = await work.value }
        return try await work.value.get()
    }
}
