/// A time as users of journalctl write it.
/// - Source: systemd.time(7), "Parsing timestamps"; RFC 3339
package struct TimeExpression: Sendable {
    package let now: UInt64
    package let zone: Zone

    package init(now: UInt64, zone: Zone) {
        self.now = now
        self.zone = zone
    }

    package static let examples =
        #""2026-11-21 10:00:00", 2026-11-21, 10:00, now, today, yesterday, -5m, "5 min ago", @1795255200, "#
        + "2026-11-21T10:00:00Z"

    /// - Parameter repetition: what a time of day means that a clock change repeats: a range begins with the first and ends
    ///   with the second. Days begin with the first.
    /// - Returns: microseconds since 1970; `nil` if the text is not a time.
    package func microseconds(_ text: String, _ repetition: CivilTime.Repetition = .first) -> UInt64? {
        let text = String(text.trimmingPrefix { $0 == " " })
        return switch text {
        case "now": now
        case "today": midnight(addingDays: 0)
        case "yesterday": midnight(addingDays: -1)
        case "tomorrow": midnight(addingDays: 1)
        default: relative(text) ?? sinceEpoch(text) ?? onWeekday(text, repetition) ?? absolute(text, repetition)
        }
    }

    /// Returns an expression that means the same time anywhere: `@1795255200.000000`.
    package static func text(_ microseconds: UInt64) -> String {
        let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(fraction)
        return "@\(seconds).\(String(repeating: "0", count: 6 - digits.utf8.count))\(digits)"
    }

    private func midnight(addingDays days: Int) -> UInt64? {
        CivilTime(microseconds: now, zone: zone).midnight(addingDays: days).microseconds(in: zone)
    }

    /// `-5m`, `+1h`, `5 min ago`, `1h left`
    private func relative(_ text: String) -> UInt64? {
        if text.hasSuffix(" ago") { return earlier(TimeSpan.microseconds(text.dropLast(4))) }
        if text.hasSuffix(" left") { return later(TimeSpan.microseconds(text.dropLast(5))) }
        switch text.first {
        case "-": return earlier(TimeSpan.microseconds(text.dropFirst()))
        case "+": return later(TimeSpan.microseconds(text.dropFirst()))
        default: return nil
        }
    }

    private func earlier(_ span: UInt64?) -> UInt64? { span.map { now - min(now, $0) } }

    private func later(_ span: UInt64?) -> UInt64? { span.map { now + $0 } }

    /// `@1795255200`, `@1795255200.5`
    private func sinceEpoch(_ text: String) -> UInt64? {
        guard text.first == "@" else { return nil }
        let parts = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, let seconds = number(first),
            let fraction = parts.count == 2 ? microsecond(parts[1]) : 0
        else { return nil }
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, isTooLate) = whole.addingReportingOverflow(fraction)
        return isTooLarge || isTooLate ? nil : sum
    }

    /// `Sat 2026-11-21 10:00:00 CET`, as systemctl writes it. The day of the week must be right.
    private func onWeekday(_ text: String, _ repetition: CivilTime.Repetition) -> UInt64? {
        guard let parts = text.parts(at: " "), let day = Self.weekday(parts.before.lowercased()) else { return nil }
        guard let time = absolute(String(parts.after), repetition), let civil = beginning(parts.after) else {
            return nil
        }
        let days = civil.civilDate.daysSince1970
        // 1970 began on a Thursday. The remainder of a negative number is not positive.
        return ((days + 4) % 7 + 7) % 7 == day ? time : nil
    }

    /// The date that a text begins with.
    private func beginning(_ text: Substring) -> CivilTime? {
        date(text.prefix { $0 != " " && $0 != "T" && $0 != "t" }, zone)
    }

    /// From 0 for Sunday.
    private static func weekday(_ name: String) -> Int? {
        ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"].firstIndex {
            name == $0 || name == $0.prefix(3)
        }
    }

    /// A date, a time (of today), or both separated by a space or `T`, and an optional zone or name of local time.
    private func absolute(_ text: String, _ repetition: CivilTime.Repetition) -> UInt64? {
        guard let (rest, name) = splittingName(text) else { return nameless(text, repetition) }
        // The name also says which of two equal times is meant.
        return [.first, .second].lazy.compactMap { nameless(rest, $0) }.first {
            zone.name(Int64($0 / 1_000_000)) == name
        }
    }

    private func nameless(_ text: String, _ repetition: CivilTime.Repetition) -> UInt64? {
        guard let (text, zone) = splittingZone(text) else { return nil }
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == " " || $0 == "T" || $0 == "t" }
        guard let first = parts.first else { return nil }
        var time: CivilTime
        if let date = date(first, zone) {
            guard parts.count == 2 else { return date.microseconds(in: zone) }
            time = date
            guard setTimeOfDay(parts[1], of: &time) else { return nil }
        } else {
            time = CivilTime(microseconds: now, zone: zone)
            guard parts.count == 1, setTimeOfDay(first, of: &time) else { return nil }
        }
        return time.microseconds(in: zone, repetition)
    }

    /// Removes ` CET` from the end; ` UTC` is the same everywhere.
    private func splittingName(_ text: String) -> (text: String, name: String)? {
        guard let space = text.lastIndex(of: " ") else { return nil }
        let name = String(text[text.index(after: space)...])
        guard name.utf8.count >= 3, name.utf8.allSatisfy(\.isLetter), name != "UTC" else { return nil }
        return (String(text[..<space]), name)
    }

    /// Removes `Z`, ` UTC`, `+09:00`, `+0900` or `+09` from the end. The hyphens of a date come before any colon.
    private func splittingZone(_ text: String) -> (text: Substring, zone: Zone)? {
        if text.hasSuffix(" UTC") { return (text.dropLast(4), .utc) }
        if text.hasSuffix("Z") || text.hasSuffix("z") { return (text.dropLast(), .utc) }
        guard let colon = text.firstIndex(of: ":"),
            let sign = text[colon...].firstIndex(where: { $0 == "+" || $0 == "-" })
        else { return (text[...], zone) }
        let digits = text[text.index(after: sign)...].filter { $0 != ":" }
        guard digits.count == 4 || digits.count == 2, let hours = number(digits.prefix(2)),
            let minutes = digits.count == 2 ? 0 : number(digits.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        let seconds = Int64(hours * 3_600 + minutes * 60)
        let before = text[..<sign]
        let end = before.last == " " ? before.dropLast() : before
        return (end, .fixed(seconds: text[sign] == "-" ? -seconds : seconds))
    }

    /// `2026-11-21`, `2026/11/21`, or `11-21` of the current year, as in tables.
    private func date(_ text: Substring, _ zone: Zone) -> CivilTime? {
        let sign: Character = text.contains("/") ? "/" : "-"
        var parts = text.split(separator: sign, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0].count == 2 {
            parts.insert("\(CivilTime(microseconds: now, zone: zone).year)", at: 0)
        }
        guard parts.count == 3, parts[0].count == 4, let year = number(parts[0]), let month = number(parts[1]),
            let day = number(parts[2]), parts[1].count <= 2, parts[2].count <= 2
        else { return nil }
        return CivilTime(year: Int(year), month: Int(month), day: Int(day))
    }

    /// `10:00`, `10:00:00`, `10:00:00.123456`
    private func setTimeOfDay(_ text: Substring, of time: inout CivilTime) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let hour = number(parts[0]), let minute = number(parts[1]),
            hour < 24, minute < 60
        else { return false }
        time.hour = Int(hour)
        time.minute = Int(minute)
        time.second = 0
        time.microsecond = 0
        guard parts.count == 3 else { return true }
        let seconds = parts[2].split(separator: ".", omittingEmptySubsequences: false)
        guard let second = number(seconds[0]), second < 60, seconds.count <= 2,
            let fraction = seconds.count == 2 ? microsecond(seconds[1]) : 0
        else { return false }
        time.second = Int(second)
        time.microsecond = fraction
        return true
    }

    /// The digits after a decimal point.
    private func microsecond(_ digits: Substring) -> UInt64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return number((digits + "000000").prefix(6))
    }

    /// Reads digits only; `Int(_:)` would accept a sign.
    private func number(_ digits: some StringProtocol) -> UInt64? {
        digits.utf8.allSatisfy(\.isDigit) ? UInt64(digits) : nil
    }
}

extension TimeExpression {
    /// Returns what is wrong with a text that is not a time, or what to write instead.
    /// - Parameter spanOption: an option that takes lengths of time.
    package func problem(with text: String, spanOption: String? = nil) -> String {
        if let time = Self.time(digits: text) { return "write \(time)" }
        if let problem = TimeSpan.missingUnit(in: text, sign: "-") { return problem }
        if TimeSpan.microseconds(text) != nil {
            let option = spanOption.map { ", or \($0) \(text)" } ?? ""
            return "this is a length of time, not a time; write -\(text) or \"\(text) ago\"\(option)"
        }
        return wrongPart(of: text) ?? "not a time; write one such as \(Self.examples)"
    }

    /// Returns what to write for digits alone, which may be a year, a date, or count from 1970 in a unit that follows from their
    /// number, as for the times of programs.
    private static func time(digits: String) -> String? {
        guard digits.utf8.allSatisfy(\.isDigit) else { return nil }
        let isOfOurTime = ("1970"..."2099").contains(digits.prefix(4))
        switch digits.utf8.count {
        case 4 where isOfOurTime: return "\(digits)-01-01 for the beginning of the year"
        case 8 where isOfOurTime: return "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
        case 9...11: return "@\(digits) for seconds since 1970"
        case 12...14: return "@\(digits.dropLast(3)).\(digits.suffix(3)) for milliseconds since 1970"
        case 15...17: return "@\(digits.dropLast(6)).\(digits.suffix(6)) for microseconds since 1970"
        case 18...20: return "@\(digits.dropLast(9)).\(digits.suffix(9).prefix(6)) for nanoseconds since 1970"
        default: return nil
        }
    }

    private func wrongPart(of text: String) -> String? {
        if let (rest, name) = splittingName(text), name.first?.isUppercase == true, rest.contains(":"),
            microseconds(rest) != nil
        {
            return "local time is not called \(name) then; write an offset, such as +01:00"
        }
        let parts = text.parts(at: " ").flatMap { Self.weekday($0.before.lowercased()) == nil ? nil : $0 }
        if let parts, let date = beginning(parts.after), absolute(String(parts.after), .first) != nil {
            return "\(date.date) is another day of the week"
        }
        guard let (rest, zone) = splittingZone(parts.map { String($0.after) } ?? text) else { return nil }
        for word in rest.split(whereSeparator: { $0 == " " || $0 == "T" || $0 == "t" }) {
            if let time = date(word, zone), time.microseconds(in: .utc) == nil { return "there is no day \(time.date)" }
            var time = CivilTime(year: 1970)
            let isOfDay = word.contains(":") && word.allSatisfy { $0 == ":" || ("0"..."9").contains($0) }
            if isOfDay, !setTimeOfDay(word, of: &time) { return "a time of day is from 00:00 to 23:59:59" }
        }
        return nil
    }
}
