import Model

/// Options whose value is a time.
enum TimeOption {
    /// - Parameter orLast: whether the command also has `--last`.
    static func time(
        _ option: String, _ text: String, _ times: TimeExpression, orLast: Bool = false
    ) throws(ControlError) -> UInt64 {
        if let time = times.microseconds(text) { return time }
        if let hint = spanHint(text, orLast: orLast) { throw .wrongUsage("\(option) \(text): \(hint)") }
        throw .wrongUsage("\(option) \(text): not a time; write one such as \(TimeExpression.examples)")
    }

    static func span(_ option: String, _ text: String) throws(ControlError) -> UInt64 {
        if let span = TimeSpan.microseconds(text) { return span }
        throw .wrongUsage("\(option) \(text): not a length of time; write one such as \(TimeSpan.examples)")
    }

    static func checkBeginning(_ since: UInt64, _ times: TimeExpression) throws(ControlError) {
        guard since > times.now else { return }
        let time = CivilTime.text(since, times.zone, decimals: 0)
        throw .wrongUsage("the range begins in the future, at \(time): no event can be in it")
    }

    static func checkOrder(
        _ first: String, _ since: UInt64?, _ second: String, _ until: UInt64?
    ) throws(ControlError) {
        guard let since, let until, since > until else { return }
        throw .wrongUsage("\(first) is later than \(second): no event can be between them")
    }

    /// Suggests what to write instead of a time span.
    private static func spanHint(_ text: String, orLast: Bool) -> String? {
        guard TimeSpan.microseconds(text) != nil else { return nil }
        if text.count > 8, text.allSatisfy(\.isNumber) { return "write @\(text) for seconds since 1970" }
        let last = orLast ? ", or --last \(text)" : ""
        return "this is a length of time, not a time; write -\(text) or \"\(text) ago\"\(last)"
    }
}
