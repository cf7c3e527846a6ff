internal import Model

extension AlertNotice {
    /// - Parameter time: when it is sent, in microseconds since 1970.
    init(_ change: AlertProgress.Change, of rule: AlertRule, at time: UInt64) {
        let cause = zip(rule.by, change.cause).map { Part(key: $0.text, value: $1?.text) }
        self.init(
            alert: rule.name, state: change.state, cause: cause, text: "", time: time,
            since: UInt64(max(0, change.since)), event: change.event)
        let what = state == .resolved ? "over: " : state == .repeated ? "still: " : ""
        let condition = rule.condition.text(count: change.count, isOver: state == .resolved)
        text = "\(rule.name): \(what)\(condition)\(ending)"
    }

    /// The notice that tries the notifiers.
    static func test(of rule: AlertRule, at time: UInt64) -> AlertNotice {
        var notice = AlertNotice(
            alert: rule.name, state: .test, cause: rule.by.map { Part(key: $0.text, value: "example") }, text: "",
            time: time, since: time, event: nil)
        notice.text = "\(rule.name): a test, nothing has happened\(notice.ending)"
        return rule.show.isEmpty ? notice : notice.showing(rule.show.map { Part(key: $0.text, value: "example") })
    }
}

extension AlertRule {
    /// When it fires, in words: `3 events in 10 min by user`
    var words: String {
        by.isEmpty ? condition.words : "\(condition.words) by \(by.map(\.text).joined(separator: ", "))"
    }
}

extension AlertRule.Condition {
    /// The condition in words.
    fileprivate var words: String {
        switch self {
        case .count(let least, let within): "\(least.counted("event")) in \(within.spoken)"
        case .growth(let factor, let least, let within):
            "\(factor.spoken) times as many events in \(within.spoken) as before, and at least \(least)"
        case .distinct(let key, let least, let within):
            "\(least.counted("different value")) of \(key.text) in \(within.spoken)"
        case .absent(let time): "no event for \(time.spoken)"
        case .first: "the first event of its kind"
        }
    }

    /// `12 events in 5 min`
    fileprivate func text(count: Int, isOver: Bool) -> String {
        switch self {
        case .count(let least, let within):
            "\(isOver ? "fewer than \(least.counted("event"))" : count.counted("event")) in \(within.spoken)"
        case .growth(let factor, _, let within):
            isOver
                ? "no longer \(factor.spoken) times as many events as in the \(within.spoken) before"
                : "\(count.counted("event")) in \(within.spoken), at least \(factor.spoken) times as many as before"
        case .distinct(let key, let least, let within):
            isOver
                ? "fewer than \(least.counted("different value")) of \(key.text) in \(within.spoken)"
                : "at least \(count.counted("different value")) of \(key.text) in \(within.spoken)"
        case .absent(let time): isOver ? "events come again" : "no event for \(time.spoken)"
        case .first: "the first event of its kind"
        }
    }
}

extension Duration {
    /// `1500 ms`, `90 s`, `5 min`, `2 h`, `7 d`
    fileprivate var spoken: String {
        let seconds = components.seconds
        guard self == .seconds(seconds) else { return "\(wholeMicroseconds / 1000) ms" }
        for (unit, length) in [("d", Int64(86_400)), ("h", 3600), ("min", 60)]
        where seconds >= length && seconds % length == 0 {
            return "\(seconds / length) \(unit)"
        }
        return "\(seconds) s"
    }
}

extension Double {
    fileprivate var spoken: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
