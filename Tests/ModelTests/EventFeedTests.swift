import Model
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventFeedTests {
    @Test func `a wait for what is there already returns at once`() async {
        let feed = EventFeed()
        feed.publish(5)
        await feed.wait(after: 4)
        #expect(feed.latest == 5)
    }

    @Test func `publishing wakes every waiter`() async {
        let feed = EventFeed()
        await withTaskGroup(of: Int64.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    await feed.wait(after: 0)
                    return feed.latest
                }
            }
            group.addTask {
                feed.publish(1)
                return 1
            }
            for await latest in group { #expect(latest == 1) }
        }
    }

    @Test func `what was published before a wait counts, also if it is no event`() async {
        let feed = EventFeed()
        feed.publish(5)
        let seen = feed.publications
        feed.publish(5)
        await feed.wait(since: seen)
        #expect(feed.publications == seen + 1 && feed.latest == 5)
    }

    @Test func `a cancelled wait returns`() async {
        let feed = EventFeed()
        let waiting = Task { await feed.wait(after: 0) }
        waiting.cancel()
        await waiting.value
        #expect(feed.latest == 0)
    }

    @Test func `the latest id never goes back`() {
        let feed = EventFeed()
        feed.publish(9)
        feed.publish(3)
        #expect(feed.latest == 9)
    }
}
