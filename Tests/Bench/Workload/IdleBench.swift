/// What a daemon takes that has nothing to do.
struct IdleBench {
    let daemon: BenchDaemon
    let goal: String

    private static let rest = Duration.seconds(10)
    private static let time = Duration.seconds(20)

    func run() async throws -> [BenchResult] {
        daemon.client.close()
        try await Task.sleep(for: Self.rest)
        let percent = try await ProcessorShare.percent(of: daemon.usage) { try await Task.sleep(for: Self.time) }
        return [BenchResult("an idle daemon, % of one core", rounded(percent), goal: goal)]
    }
}
