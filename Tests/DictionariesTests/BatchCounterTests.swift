import Testing

@testable import Dictionaries

@Suite(.timeLimit(.minutes(1)))
struct BatchCounterTests {
    @Test func `nobody waits for what is not on its way`() async {
        let batches = BatchCounter()
        await batches.waitUntilResolved {}
        await batches.waitUntilSaved(batches.resolved)
        #expect(batches.hasSaved(0))
    }

    @Test func `a batch that is being read is waited for, not the next one`() async {
        let batches = BatchCounter()
        batches.willRead()
        await batches.waitUntilResolved {
            batches.didResolve()
            batches.willRead()
        }
        #expect(batches.resolved == 1)
        #expect(!batches.hasSaved(1), "resolved is not saved")
        async let isResolved: Void = batches.waitUntilResolved {}
        batches.didResolve()
        await isResolved
        #expect(batches.resolved == 2)
        batches.didSave()
        batches.willRead()
        #expect(batches.hasSaved(1))
        await batches.waitUntilSaved(1)
    }
}
