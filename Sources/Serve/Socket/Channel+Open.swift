import NIOCore

extension Channel {
    /// Runs `body` and cancels it when the connection ends: what is done for a client ends with it, also when nothing is
    /// being written that would fail. A client that closed only its sending side is still there.
    func whileOpen(_ body: @escaping @Sendable () async -> Void) async {
        let (open, ended) = AsyncStream<Never>.makeStream()
        closeFuture.whenComplete { _ in ended.finish() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask { for await _ in open {} }
            await group.next()
            group.cancelAll()
        }
    }
}
