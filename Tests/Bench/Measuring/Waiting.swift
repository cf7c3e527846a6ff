/// Looks again and again until it is so.
/// - Throws: `BenchError` with what was waited for, when that takes longer than `limit`.
func wait(
    for what: String, atMost limit: Duration = .seconds(60), every pause: Duration = .milliseconds(20),
    until isSo: () throws -> Bool
) async throws {
    let start = ContinuousClock.now
    while try !isSo() {
        guard ContinuousClock.now - start < limit else {
            throw BenchError("waited \(limit.components.seconds) s for \(what)")
        }
        try await Task.sleep(for: pause)
    }
}
