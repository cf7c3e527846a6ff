import Synchronization
import Testing

@testable import Queries

@Suite(.timeLimit(.minutes(1))) struct BudgetTests {
    /// Takes a share once the one before it waits, and records when it has it.
    private func taking(_ bytes: Int, of memory: Budget, _ got: Order, _ name: String) async -> Task<Void, Never> {
        let task = Task {
            guard let share = try? await memory.take(bytes) else { return got.add("no \(name)") }
            got.add(name)
            withExtendedLifetime(share) {}
        }
        // Long enough to stand in line; when it is not, the order below is another, and the test says so.
        try? await Task.sleep(for: .milliseconds(50))
        return task
    }

    private final class Order: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock(\.self) }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test func `shares are given in the order in which they were asked for`() async throws {
        let memory = Budget(100)
        let got = Order()
        var first: Budget.Share? = try await memory.take(60)
        let large = await taking(90, of: memory, got, "large")
        // There would be room for it, and there is none beside the large one.
        let small = await taking(20, of: memory, got, "small")
        #expect(got.all.isEmpty)
        withExtendedLifetime(first) {}
        first = nil
        await large.value
        await small.value
        #expect(got.all == ["large", "small"])
    }

    @Test func `one that is given up lets the next go on`() async throws {
        let memory = Budget(100)
        let got = Order()
        let first = try await memory.take(60)
        let large = await taking(90, of: memory, got, "large")
        let small = await taking(10, of: memory, got, "small")
        large.cancel()
        await large.value
        await small.value
        #expect(Set(got.all) == ["no large", "small"])
        withExtendedLifetime(first) {}
    }

    @Test func `each change is reported with how much is taken`() async throws {
        let counts = Mutex<[Int]>([])
        let places = Budget(2) { taken in counts.withLock { $0.append(taken) } }
        var (first, second) = (places.takeAtOnce(1), places.takeAtOnce(1))
        #expect(first != nil && second != nil && places.takeAtOnce(1) == nil)
        first = nil
        second = nil
        #expect(counts.withLock(\.self) == [1, 2, 1, 0])
    }

    @Test func `what is larger than all of it gets all of it`() async throws {
        let memory = Budget(100)
        for _ in 0..<3 {
            let got = Order()
            var all: Budget.Share? = try await memory.take(1000)
            let next = await taking(1, of: memory, got, "next")
            #expect(got.all.isEmpty, "nothing is left")
            withExtendedLifetime(all) {}
            all = nil
            await next.value
            #expect(got.all == ["next"])
        }
    }

    @Test func `half is left for others, whoever takes what is spare at the same time`() async {
        let most = Mutex(0)
        let memory = Budget(100) { taken in most.withLock { $0 = max($0, taken) } }
        await withDiscardingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<20_000 { _ = memory.takeSpare(30) }
                }
            }
        }
        #expect(most.withLock(\.self) == 30)
        let (half, more) = (memory.takeSpare(50), memory.takeSpare(1))
        #expect(half != nil && more == nil && memory.takeSpare(51) == nil)
    }
}
