import TestSupport
import Testing

struct RandomRunTests {
    @Test(.namesSeed)
    func `saving, replacing, retention and restarts in any order agree with checking every event`() async throws {
        for seed in FuzzBudget.seeds(3) {
            try await withStoreFolder { folder in
                var run = try await RandomRun(seed: seed, folder)
                for _ in 0..<20 { try await run.step() }
                await run.end()
            }
        }
    }
}
