import Model
import Testing

struct HistogramTests {
    private func places(_ counts: Histogram.Counts) -> [Int] {
        counts.buckets.indices.filter { counts.buckets[$0] > 0 }
    }

    @Test func `a duration is in the first bucket whose bound it does not exceed`() {
        for (place, bound) in Histogram.bounds.enumerated() {
            let histogram = Histogram()
            histogram.record([bound, bound.nextUp])
            #expect(places(histogram.counts) == [place, place + 1])
        }
        #expect(Histogram.bounds == Histogram.bounds.sorted())
    }

    @Test func `the sum is in seconds, and a negative duration is none`() {
        let histogram = Histogram()
        histogram.record(.milliseconds(250))
        histogram.record(.seconds(120))
        histogram.record(.seconds(-5))
        #expect(histogram.counts.sum == 120.25)
        #expect(histogram.counts.total == 3)
        #expect(places(histogram.counts) == [0, 8, Histogram.bounds.count])
    }

    @Test func `what is no number is not counted`() {
        let histogram = Histogram()
        histogram.record([.nan, .infinity, 1])
        #expect(histogram.counts.total == 1 && histogram.counts.sum == 1)
    }

    @Test func `tasks record beside each other`() async {
        let histograms = Histograms(["a", "b"])
        await withTaskGroup(of: Void.self) { group in
            for key in ["a", "b", "c"] {
                for _ in 0..<4 { group.addTask { for _ in 0..<1000 { histograms[key]?.record(.seconds(1)) } } }
            }
        }
        #expect(histograms.counts.mapValues(\.sum) == ["a": 4000, "b": 4000])
    }
}
