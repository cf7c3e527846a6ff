package import API
package import Model

/// Renders the lines of a stream as text, each event on one line, or on a few lines if the terminal is narrow.
///
/// Columns grow with their contents, so that lines are aligned without knowing the later ones.
package struct EventRenderer: Sendable {
    package var style: Style
    /// The common parameters of each dictionary, by its name.
    package var common: [ExactString: CommonNames] = [:]
    /// If it is there, only parameters that differ are shown.
    package var differences: EventDifferences?

    /// The maximum number of lines for the parameters of one event on a terminal, and for each of its findings;
    /// `glossctl event` shows all of them.
    private static let maximumLines = 4

    private var idWidth = 1
    private var originWidth = 1
    private var keyWidth = 1
    private var day = ""
    /// The subsystem and category of the last event, which most events have in common, and their column.
    private var lastOrigin: (subsystem: String, category: String, column: StyledLine)?
    /// The time of the previous event.
    private var previous: WireTime?

    package init(style: Style) {
        self.style = style
    }

    /// Widens the columns for a line. An overlong name exceeds its column, so that it does not fill all other lines
    /// with spaces.
    package mutating func fit(_ line: StreamLine) {
        guard case .event(let event) = line else { return }
        idWidth = max(idWidth, String(event.id).count)
        let (origin, key) = (origin(event).width, DisplayWidth.columns(key(event)))
        if origin <= style.width.map({ max(12, $0 * 2 / 5) }) ?? 64 { originWidth = max(originWidth, origin) }
        if key <= style.width.map({ max(16, $0 / 2) }) ?? 64 { keyWidth = max(keyWidth, key) }
    }

    /// Makes the columns as wide as those of another renderer.
    mutating func widen(like other: EventRenderer) {
        idWidth = max(idWidth, other.idWidth)
        originWidth = max(originWidth, other.originWidth)
        keyWidth = max(keyWidth, other.keyWidth)
    }

    /// Whether the text of an event depends on all events before it. Otherwise it depends on the last one.
    var needsAllBefore: Bool { differences != nil }

    /// Notes the day and the time as if these lines had been rendered, so that the lines behind them can be.
    mutating func skip(_ lines: some BidirectionalCollection<StreamLine>) {
        let events = lines.lazy.compactMap { if case .event(let event) = $0 { event.time } else { nil } }
        previous = events.last ?? previous
        let dated = lines.lazy.compactMap { line in
            switch line {
            case .event(let event): event.time
            case .gap(let gap): gap.time
            case .missed, .late, .error, .other: nil
            }
        }
        if let time = dated.last, showsDays { day = date(time) }
    }

    /// Returns a line of the stream as text, with its line breaks.
    package mutating func text(_ line: StreamLine) -> String {
        fit(line)
        return fitted(line)
    }

    /// The same for a line that the columns have room for.
    mutating func fitted(_ line: StreamLine) -> String {
        switch line {
        case .event(let event): return dayHeading(event.time) + text(event)
        case .gap(let gap): return dayHeading(gap.time) + remark(GapText.text(gap), .warning)
        case .missed(let count): return remark(GapText.text(missed: count), .warning)
        case .late(let count): return remark(GapText.text(late: count), .warning)
        case .error(let problem): return remark(SafeText.neutralised(problem.description), .bad)
        case .other: return ""
        }
    }

    /// On a terminal, the day is printed above its events to save columns.
    private var showsDays: Bool { style.width != nil && !style.hasISOTimes }

    private func date(_ time: WireTime) -> String { CivilTime(microseconds: time.microseconds, zone: style.zone).date }

    private mutating func dayHeading(_ time: WireTime) -> String {
        guard showsDays else { return "" }
        let date = date(time)
        guard date != day else { return "" }
        day = date
        return StyledLine("-- \(date)\(style.zone.isUTC ? " UTC" : "") --", .faint).rendered(style) + "\n"
    }

    private mutating func text(_ event: EventLine) -> String {
        var line = StyledLine(pieces: 32)
        let id = String(event.id)
        if style.showsHighlight { line.append(.mark(event)) }
        line.append(String(repeating: " ", count: idWidth - id.count) + id + " ", .faint)
        line.append(time(event.time), event.isHighlighted ? .highlight : .faint)
        line.append(" ")
        if style.showsDelta { line.append(delta(event.time), .note, columns: 10) }
        line.append(event.effectiveLevel.name, event.effectiveLevel.tint, columns: 8)
        let resolution = resolution(event)
        let indent = line.width + originWidth + 1 + DisplayWidth.columns(resolution) + 1
        var flow = Flow(line, indent: style.width.map { min(indent, $0 / 3) } ?? indent, style)
        flow.append(origin(event), columns: originWidth)
        flow.append(StyledLine(resolution, event.resolution.tint))
        if let key = event.event?.description {
            let tint = event.resolution == .resolved ? Tint.kind(key) : event.resolution.tint
            flow.append(StyledLine(SafeText.neutralised(key), tint), columns: keyWidth)
        }
        flow.append(content(event), lines: Self.maximumLines)
        return flow.rendered() + findings(event, indent: flow.indent)
    }

    /// The time since the previous event: `+0.041`, `+1m05s`, `+2h03m`; nothing for the first one.
    private mutating func delta(_ time: WireTime) -> String {
        defer { previous = time }
        guard let previous else { return "" }
        let sign = time.microseconds < previous.microseconds ? "-" : "+"
        let thousandths = Int(
            (max(time.microseconds, previous.microseconds) - min(time.microseconds, previous.microseconds)) / 1000)
        func padded(_ number: Int, _ digits: Int) -> String {
            String(repeating: "0", count: digits - String(number).count) + String(number)
        }
        let seconds = thousandths / 1000
        switch seconds {
        case ..<60: return "\(sign)\(seconds).\(padded(thousandths % 1000, 3))"
        case ..<3600: return "\(sign)\(seconds / 60)m\(padded(seconds % 60, 2))s"
        case ..<86_400: return "\(sign)\(seconds / 3600)h\(padded(seconds / 60 % 60, 2))m"
        default: return "\(sign)\(seconds / 86_400)d\(padded(seconds / 3600 % 24, 2))h"
        }
    }

    private func time(_ time: WireTime) -> String {
        if style.hasISOTimes { return CivilTime.iso(time.microseconds, style.zone) }
        guard style.width != nil else { return CivilTime.text(time.microseconds, style.zone) }
        let civil = CivilTime(microseconds: time.microseconds, zone: style.zone)
        return civil.timeOfDay(decimals: 3) + (style.zone.isUTC ? "Z" : "")
    }

    private func resolution(_ event: EventLine) -> String {
        style.width == nil ? DisplayWidth.padded(event.resolution.rawValue, to: 9) : event.resolution.mark
    }

    /// The subsystem and category in the form of filters.
    private mutating func origin(_ event: EventLine) -> StyledLine {
        let (subsystem, category) = (event.subsystem, event.category)
        if let last = lastOrigin, last.subsystem == subsystem, last.category == category { return last.column }
        let column = StyledLine(SafeText.neutralised(category.isEmpty ? subsystem : "\(subsystem)/\(category)"))
        lastOrigin = (subsystem, category, column)
        return column
    }

    private func key(_ event: EventLine) -> String {
        event.event.map { SafeText.neutralised($0.description) } ?? ""
    }

    /// The message, or the parameters one by one.
    private mutating func content(_ event: EventLine) -> [StyledLine] {
        switch event.content {
        case .message(let text, _):
            return [message(text)]
        case .payload(let json):
            let common = event.dictionary.flatMap { self.common[$0] } ?? CommonNames()
            let list = ParameterText.list(json, in: common.parametersAt) { key, place, isInObject in
                if style.showsCommon { return true }
                // The key of the event has its own column.
                if event.event != nil, common.key.contains(place) { return false }
                return isInObject || !common.parameters.contains(key)
            }
            guard let shown = list else { return [message(String(decoding: json, as: UTF8.self))] }
            let broken = event.violations.map(\.parameter)
            func piece(_ parameter: ParameterText, old: String? = nil) -> StyledLine {
                var piece = StyledLine("\(parameter.name)=", .faint)
                if let old { piece.append("\(old) → ", .faint) }
                piece.append(beginning(parameter.value), broken.contains(parameter.place) ? .bad : .plain)
                return piece
            }
            guard let changes = differences?.changes(to: event, shown) else { return shown.map { piece($0) } }
            return changes.map { change in
                switch change {
                case .changed(let old, let parameter): return piece(parameter, old: old)
                case .new(let parameter):
                    var line = StyledLine("+", .good)
                    line.append(piece(parameter))
                    return line
                case .gone(let name): return StyledLine("-\(name)", .warning)
                }
            }
        }
    }

    private func message(_ text: String) -> StyledLine { StyledLine(beginning(SafeText.neutralised(text))) }

    /// Cuts a text to what a line of the terminal could show, before it is measured character by character.
    private func beginning(_ text: String) -> String {
        guard style.isCut, let width = style.width, text.utf8.count > width * 4 else { return text }
        return String(text.prefix(width + 1))
    }

    private func findings(_ event: EventLine, indent: Int) -> String {
        var texts: [(String, Tint)] = event.violations.map { (FindingText.text($0), .bad) }
        texts += event.warnings.map { (FindingText.text($0), .warning) }
        if let reason = event.reason { texts.append((SafeText.neutralised(reason), .accent)) }
        return texts.map { text, tint in
            TextBlock.wrapped(text, indent: indent, prose, tint: tint, lines: Self.maximumLines)
        }.joined()
    }

    private func remark(_ text: String, _ tint: Tint) -> String {
        let begin = "-- "
        return TextBlock.lines(text, room: prose.width.map { max(20, $0 - begin.count) } ?? .max).enumerated().map {
            StyledLine(($0 == 0 ? begin : "   ") + $1, tint).rendered(style.uncut) + "\n"
        }.joined()
    }

    /// The style for sentences: wrapped to the terminal, or on one line if output is not cut.
    private var prose: Style {
        var style = style
        if !style.isCut { style.width = nil }
        return style
    }
}

extension StyledLine {
    /// The column that says which events are highlighted, also without colours.
    static func mark(_ event: EventLine) -> StyledLine { StyledLine(event.isHighlighted ? "> " : "  ", .match) }
}

/// Lines that are filled piece by piece. A piece that does not fit goes to the next line. Names stay whole; other
/// pieces that are longer than a line are cut.
private struct Flow {
    let indent: Int
    private let style: Style
    private var lines: [StyledLine]
    /// The indices of lines that are longer than the terminal because of a name.
    private var overlong: Set<Int> = []

    init(_ line: StyledLine, indent: Int, _ style: Style) {
        lines = [line]
        self.indent = indent
        self.style = style
    }

    /// The spaces before the next piece of the line.
    private var gap = 0

    /// The columns of a line.
    private var room: Int { style.isCut ? style.width ?? .max : .max }

    /// - Parameters:
    ///   - name: is shown as a whole.
    ///   - columns: the width of its column.
    mutating func append(_ name: StyledLine, columns: Int) {
        append(name, isWhole: true)
        gap = 1 + max(0, columns - name.width)
        if lines[lines.count - 1].width > room { overlong.insert(lines.count - 1) }
    }

    /// - Parameter isWhole: whether it must be shown as a whole; then the indent is reduced if necessary.
    mutating func append(_ piece: StyledLine, isWhole: Bool = false) {
        if isFull(for: piece) {
            let indent = isWhole ? min(indent, max(2, room - piece.width)) : indent
            lines.append(StyledLine(String(repeating: " ", count: indent)))
            gap = 0
        }
        lines[lines.count - 1].append(String(repeating: " ", count: gap))
        lines[lines.count - 1].append(piece)
        gap = 1
    }

    private func isFull(for piece: StyledLine) -> Bool { lines[lines.count - 1].width + gap + piece.width > room }

    /// - Parameter most: the most lines for the pieces.
    mutating func append(_ pieces: [StyledLine], lines most: Int) {
        let first = lines.count
        for piece in pieces {
            guard lines.count - first + 1 < most || !isFull(for: piece) else {
                lines[lines.count - 1].append(" …", .faint)
                break
            }
            append(piece)
        }
    }

    func rendered() -> String {
        lines.indices.map { lines[$0].rendered(overlong.contains($0) ? style.uncut : style) + "\n" }.joined()
    }
}
