import Model

/// A metric: what it is called, what it means, and how it is read. The text of `/metrics` and the table of docs/metrics.md are
/// made from `Metric.all`.
/// - Source: https://prometheus.io/docs/practices/naming/
struct Metric: Sendable {
    enum Kind: String, Sendable {
        /// A number that never decreases while the daemon runs.
        case counter
        case gauge, histogram
    }

    enum Unit: String, Sendable {
        case seconds, bytes
        /// Something that is counted, or 0 for no and 1 for yes.
        case none = ""
    }

    var name: String
    var kind: Kind
    var unit: Unit
    /// The names of its labels, in the order of their values in samples.
    var labels: [String]
    /// One sentence, without the full stop.
    var help: String
    /// Returns the samples; none if nothing is known.
    var read: @Sendable (Measurements) -> [Sample]

    /// - Parameter labels: the names of the labels.
    init(
        _ kind: Kind, _ name: String, unit: Unit = .none, labels: [String], _ help: String,
        _ read: @escaping @Sendable (Measurements) -> [Sample]
    ) {
        self.kind = kind
        self.name = name
        self.unit = unit
        self.labels = labels
        self.help = help
        self.read = read
    }

    /// A metric without labels.
    /// - Parameter value: returns `nil` if it is not known.
    init(
        _ kind: Kind, _ name: String, unit: Unit = .none, _ help: String,
        _ value: @escaping @Sendable (Measurements) -> Double?
    ) {
        self.init(kind, name, unit: unit, labels: [], help) { value($0).map { [Sample($0)] } ?? [] }
    }

    /// A gauge with a label `state`: 1 for the current state of something, 0 for the others.
    /// - Parameter labels: the names of the labels before `state`.
    static func states<State: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, labels: [String] = [], _ help: String,
        _ current: @escaping @Sendable (Measurements) -> [(labels: [String], state: State)]
    ) -> Metric {
        Metric(.gauge, name, labels: labels + ["state"], help) { measured in
            current(measured).flatMap { item in
                State.allCases.map { state in
                    Sample(state.rawValue == item.state.rawValue ? 1 : 0, item.labels + [state.rawValue])
                }
            }
        }
    }

    /// One value of a metric.
    struct Sample: Sendable {
        enum Value: Sendable {
            case number(Double)
            case histogram(Histogram.Counts)
        }

        var value: Value
        /// The values of the labels.
        var labels: [String]

        init(_ number: Double, _ labels: [String] = []) {
            value = .number(number)
            self.labels = labels
        }

        init(_ times: Histogram.Counts, _ labels: [String] = []) {
            value = .histogram(times)
            self.labels = labels
        }
    }
}
