/// Runs several pieces of work side by side, and cancels the others when the first one ends.
package func runUntilFirstEnds(_ works: [@Sendable () async -> Void]) async {
    await withTaskGroup(of: Void.self) { group in
        for work in works { group.addTask(operation: work) }
        await group.next()
        group.cancelAll()
    }
}
