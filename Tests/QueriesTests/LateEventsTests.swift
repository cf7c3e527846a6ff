import Model
import Testing

@testable import Queries

struct LateEventsTests {
    private static let second: UInt64 = 1_000_000

    @Test(arguments: [
        (100, 90, 85), (90, 100, 85), (100, 3, 0), (3, 100, 0), (100, nil, 0),
    ])
    func `late is what is older than the tail and than what is stored, and was not on its way`(
        now: UInt64, newest: UInt64?, horizon: UInt64
    ) {
        let late = LateEvents(beginning: now * Self.second, newest: newest.map { $0 * Self.second })
        #expect(late.horizon == horizon * Self.second)
    }

    @Test func `a clock that was set back makes nothing late`() {
        var late = LateEvents(beginning: 1000 * Self.second, newest: 1000 * Self.second)
        late.move(to: 2000 * Self.second)
        #expect(late.horizon == 995 * Self.second)
        late.move(to: 400 * Self.second)
        late.move(to: 2000 * Self.second)
        #expect(late.horizon == 395 * Self.second)
    }

    @Test func `each event of a filter is either late or in time`() {
        let late = LateEvents(beginning: 100 * Self.second, newest: 100 * Self.second)
        #expect(late.late(.everything)?.bounds?.times == 0...late.horizon - 1)
        #expect(late.inTime(.everything).bounds?.times == late.horizon ... .max)
        let since = Predicate.sent(from: late.horizon)
        #expect(late.late(since) == nil)
        #expect(late.inTime(since).bounds == since.bounds)
        #expect(LateEvents().late(.everything) == nil)
        #expect(LateEvents().inTime(.everything) == .everything)
    }

    @Test func `what was left out is reported once, when it is time, or at the end`() {
        var late = LateEvents()
        late.leaveOut(0, for: .zero)
        #expect(late.due == nil && late.take() == nil)
        late.leaveOut(3, for: .seconds(3600))
        late.leaveOut(4, for: .zero)
        #expect(late.due != nil && late.takeDue() == nil)
        #expect(late.take() == 7)
        late.leaveOut(5, for: .zero)
        #expect(late.takeDue() == 5)
        #expect(late.takeDue() == nil && late.take() == nil && late.due == nil)
    }
}
