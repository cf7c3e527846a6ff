import API

extension SinkActivity {
    /// Upstreams restart, and networks fail for a while; what takes longer than this does not pass by itself.
    static let retryingLimit = Duration.seconds(300)

    /// What a person should look at.
    var statusProblem: StatusProblem? {
        switch state {
        case .held:
            return .init(
                what: "Sink \(name) is held: \(lastError ?? "the upstream refuses")",
                hint: "Its events are kept. Correct the settings or the upstream, then run: glossctl reload")
        case .retrying:
            guard let time = longTime else { return nil }
            return .init(
                what: "Sink \(name) has been retrying for \(time): "
                    + (lastError ?? "no answer"),
                hint: "Its events are kept, and it goes on by itself. Look at the upstream, and at the way there.")
        case .paused:
            guard let time = longTime else { return nil }
            return .init(
                what: "Sink \(name) has been waiting for the store for \(time)",
                hint: "Its events are kept, and it goes on by itself. The log says why.")
        case .ok, .disabled:
            return nil
        }
    }

    /// How long nothing has been delivered, where that does not pass by itself.
    private var longTime: String? {
        guard let retryingFor, retryingFor >= Self.retryingLimit else { return nil }
        let minutes = Int(retryingFor / .seconds(60))
        return minutes < 120 ? "\(minutes) minutes" : "\(minutes / 60) hours"
    }
}
