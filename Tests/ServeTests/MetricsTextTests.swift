import Model
import Testing

@testable import Serve

struct MetricsTextTests {
    private func text(
        kind: Metric.Kind = .gauge, labels: [String] = [], help: String = "Help", _ samples: [Metric.Sample]
    ) -> String {
        var text = MetricsText()
        text.append(Metric(kind, "gloss_x", labels: labels, help) { _ in [] }, samples)
        return text.text
    }

    @Test func `a metric without labels`() {
        #expect(text(kind: .counter, [.init(3)]) == "# HELP gloss_x Help\n# TYPE gloss_x counter\ngloss_x 3\n")
    }

    @Test func `a metric that nothing is known of is left out`() {
        #expect(text([]) == "")
    }

    @Test func `label values and help are escaped`() {
        let text = text(labels: ["a", "b"], help: "A \"b\"\nc\\d", [.init(1, ["\"x\"\\\n", "名\r\t\u{0}"])])
        #expect(
            text == "# HELP gloss_x A \"b\"\\nc\\\\d\n# TYPE gloss_x gauge\n"
                + "gloss_x{a=\"\\\"x\\\"\\\\\\n\",b=\"名\r\t\u{0}\"} 1\n")
    }

    @Test(arguments: [
        (0, "0"), (-0.0, "0"), (3, "3"), (-7, "-7"), (0.25, "0.25"), (1_795_222_800.5, "1795222800.5"),
        (9_007_199_254_740_992, "9007199254740992"), (1e300, "1e+300"), (0.00001, "1e-05"), (.infinity, "+Inf"),
        (-.infinity, "-Inf"), (.nan, "NaN"), (18_446_744_073_709_551_616, "1.8446744073709552e+19"),
    ])
    func `numbers are written as Go reads them`(value: Double, expected: String) {
        #expect(MetricsText.number(value) == expected)
    }

    @Test func `samples are in the order of their labels, by bytes`() {
        let samples = [["b", "a"], ["a", "b"], ["é", ""], ["a", "a"], ["e\u{301}", ""], ["B", ""]]
        let lines = text(labels: ["x", "y"], samples.map { .init(1, $0) }).split(separator: "\n").dropFirst(2)
        let expected = [["B", ""], ["a", "a"], ["a", "b"], ["b", "a"], ["e\u{301}", ""], ["é", ""]]
        #expect(lines.map { Array($0.utf8) } == expected.map { Array("gloss_x{x=\"\($0[0])\",y=\"\($0[1])\"} 1".utf8) })
    }

    @Test func `the buckets of a histogram contain those before them`() throws {
        let histogram = Histogram()
        histogram.record([0.0001, 0.0005, 0.0006, 1, 100])
        let lines = text(kind: .histogram, labels: ["sink"], [.init(histogram.counts, ["up"])]).split(separator: "\n")
        #expect(lines[1] == "# TYPE gloss_x histogram")
        #expect(
            lines[2...4].joined(separator: " ") == """
                gloss_x_bucket{sink="up",le="0.0005"} 2 gloss_x_bucket{sink="up",le="0.001"} 3 \
                gloss_x_bucket{sink="up",le="0.0025"} 3
                """)
        #expect(lines.contains("gloss_x_bucket{sink=\"up\",le=\"1\"} 4"))
        #expect(
            lines.suffix(3) == [
                "gloss_x_bucket{sink=\"up\",le=\"+Inf\"} 5", "gloss_x_sum{sink=\"up\"} 101.0012",
                "gloss_x_count{sink=\"up\"} 5",
            ])
        #expect(lines.count == 2 + Histogram.bounds.count + 3)
    }

    @Test func `an empty histogram has all its buckets`() {
        let lines = text(kind: .histogram, [.init(Histogram.Counts())]).split(separator: "\n")
        #expect(lines.dropFirst(2).allSatisfy { $0.hasSuffix(" 0") } && lines.count == 2 + Histogram.bounds.count + 3)
    }
}
