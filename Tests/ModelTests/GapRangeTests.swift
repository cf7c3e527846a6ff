import Model
import Testing

/// Whether a range of time, or a boot, may lack the entries of a gap.
struct GapRangeTests {
    private static let boots = (first: ID128(high: 3, low: 1), other: ID128(high: 3, low: 2))

    private static func gap(_ cause: Gap.Cause, from: UInt64? = nil, to: UInt64? = nil) -> Gap {
        func cursor(_ time: UInt64) -> JournalCursor {
            JournalCursor(
                seqnumID: ID128(high: 1, low: 1), seqnum: time, bootID: boots.first, monotonicMicroseconds: time,
                realtimeMicroseconds: time)
        }
        return Gap(
            cause: cause, realtimeMicroseconds: 1000, from: from.map(cursor), to: to.map(cursor), message: "gone")
    }

    @Test(
        arguments: [
            (gap(.missing, from: 300, to: 400), 300...400),
            // The gap was found later than what it hides was sent.
            (gap(.missing, to: 400), 0...400), (gap(.dropped, to: 400), 0...400), (gap(.dropped), 0...1000),
            (gap(.deleted, from: 300), 300...1000), (gap(.rateLimited, to: 1000), 1000...1000),
            (gap(.rateLimited), 1000...1000),
        ] as [(Gap, ClosedRange<UInt64>)])
    func `a gap is of the time between its ends, and before it if its beginning is unknown`(
        gap: Gap, times: ClosedRange<UInt64>
    ) {
        #expect(Predicate.sent(from: 0, through: times.lowerBound).concerns(gap))
        #expect(Predicate.sent(from: times.upperBound).concerns(gap))
        #expect(!Predicate.sent(from: times.upperBound + 1).concerns(gap))
        if times.lowerBound > 0 { #expect(!Predicate.sent(through: times.lowerBound - 1).concerns(gap)) }
    }

    @Test func `a gap is of the boots at its ends, and of any if one is unknown`() {
        func concerns(_ boot: ID128, _ gap: Gap) -> Bool {
            Predicate.text(.boot, .among([ExactString(boot.description)])).concerns(gap)
        }
        for gap in [Self.gap(.missing, from: 300, to: 400), Self.gap(.rateLimited, to: 1000)] {
            #expect(concerns(Self.boots.first, gap) && !concerns(Self.boots.other, gap))
        }
        for gap in [Self.gap(.missing, to: 400), Self.gap(.deleted, from: 300), Self.gap(.dropped)] {
            #expect(concerns(Self.boots.first, gap) && concerns(Self.boots.other, gap))
        }
    }
}
