import Model

/// Options whose value is a time.
enum TimeOption {
    /// - Parameter orLast: whether the command also has `--last`.
    static func time(
        _ option: String, _ text: String, _ times: TimeExpression, _ repetition: CivilTime.Repetition = .first,
        orLast: Bool = false
    ) throws(ControlError) -> UInt64 {
        if let time = times.microseconds(text, repetition) { return time }
        throw .wrongUsage("\(option) \(text): \(times.problem(with: text, spanOption: orLast ? "--last" : nil))")
    }

    /// Returns the last microsecond of a time that is written with less than microseconds, as output has it: `13:02:37.275`.
    static func end(
        _ option: String, _ text: String, _ times: TimeExpression
    ) throws(ControlError) -> UInt64 {
        let time = try time(option, text, times, .second)
        guard let point = text.lastIndex(of: "."), text[..<point].contains(":") else { return time }
        let digits = text[text.index(after: point)...].prefix { ("0"..."9").contains($0) }.count
        guard (1...5).contains(digits) else { return time }
        return time + (0..<6 - digits).reduce(1) { size, _ in size * 10 } - 1
    }

    /// A number alone would be seconds, as in settings; who writes one may mean anything.
    /// - Parameter alternative: what else a number may be meant as.
    static func span(_ option: String, _ text: String, or alternative: String = "") throws(ControlError) -> UInt64 {
        if let problem = TimeSpan.missingUnit(in: text) {
            let hint = Int(text) == nil || alternative.isEmpty ? "" : "; \(alternative)"
            throw .wrongUsage("\(option) \(text): \(problem)\(hint)")
        }
        if let span = TimeSpan.microseconds(text) { return span }
        throw .wrongUsage("\(option) \(text): not a length of time; write one such as \(TimeSpan.examples)")
    }

    /// - Returns: the length of time of `span`.
    static func duration(_ option: String, _ text: String) throws(ControlError) -> Duration {
        .microseconds(Int64(clamping: try span(option, text)))
    }

    /// - Returns: the time of `--since`, which is not in the future.
    static func beginning(_ text: String, _ times: TimeExpression) throws(ControlError) -> UInt64 {
        let time = try time("--since", text, times)
        try checkBeginning(time, times)
        return time
    }

    static func checkBeginning(_ since: UInt64, _ times: TimeExpression) throws(ControlError) {
        guard since > times.now else { return }
        let time = CivilTime.text(since, times.zone, decimals: 0)
        throw .wrongUsage(
            "the range begins in the future, at \(time); a predicate finds events whose clock was ahead: 'time >= \"\(time)\"'"
        )
    }

    static func checkOrder(
        _ first: String, _ since: UInt64?, _ second: String, _ until: UInt64?
    ) throws(ControlError) {
        guard let since, let until, since > until else { return }
        throw .wrongUsage("\(first) is later than \(second): no event can be between them")
    }
}
