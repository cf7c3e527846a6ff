import Model

/// Metrics in Prometheus' text form, version 0.0.4.
/// - Source: https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricsText {
    static let mediaType = "text/plain"
    static let contentType = "\(mediaType); version=0.0.4; charset=utf-8"
    static let example = """
        # HELP gloss_journal_files The number of journal files that are read
        # TYPE gloss_journal_files gauge
        gloss_journal_files 12

        """

    private(set) var text = ""

    /// Appends a metric with its samples in the order of their labels. One without samples is left out.
    mutating func append(_ metric: Metric, _ samples: [Metric.Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(metric.name) \(Self.escaped(metric.help, quotes: false))\n"
        text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
        for sample in samples.sorted(by: { Self.precedes($0.labels, $1.labels) }) {
            let labels = zip(metric.labels, sample.labels).map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
            switch sample.value {
            case .number(let value): append(metric.name, labels, Self.number(value))
            case .histogram(let times): append(metric.name, labels, times)
            }
        }
    }

    private mutating func append(_ name: String, _ labels: [String], _ value: String) {
        let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        text += "\(name)\(list) \(value)\n"
    }

    /// Each bucket of the text contains the buckets before it.
    private mutating func append(_ name: String, _ labels: [String], _ times: Histogram.Counts) {
        var total: UInt64 = 0
        for (bound, count) in zip(Histogram.bounds + [.infinity], times.buckets) {
            total += count
            append("\(name)_bucket", labels + ["le=\"\(Self.number(bound))\""], "\(total)")
        }
        append("\(name)_sum", labels, Self.number(times.sum))
        append("\(name)_count", labels, "\(total)")
    }

    private static func precedes(_ one: [String], _ other: [String]) -> Bool {
        for (left, right) in zip(one, other) where left != right { return left < right }
        return one.count < other.count
    }

    /// Returns a number as Go writes and reads it. Whole numbers have no decimals.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    /// - Parameter quotes: whether it will be between quotes.
    static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += #"\\"#
            case "\n": escaped += #"\n"#
            case "\"" where quotes: escaped += #"\""#
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
