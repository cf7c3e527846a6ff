import API
import Model

/// Renders the lines of a stream as text, each event on one line, or on a few lines if the terminal is narrow.
///
/// Columns grow with their contents, so that lines are aligned without knowing the later ones.
struct EventRenderer: Sendable {
    var style: Style { didSet { if style.showsCommon != oldValue.showsCommon { kinds = [] } } }
    /// The common parameters of each dictionary, by its name.
    var common: [ExactString: CommonNames] = [:] { didSet { kinds = [] } }
    /// If it is there, only parameters that differ are shown.
    var differences: EventDifferences?

    /// The members of event lines that are shown.
    static let members = [
        "time", "level", "program_level", "highlighted", "subsystem", "category", "event", "dictionary", "resolution",
        "violations", "warnings", "reason", "payload", "message",
    ]

    /// The maximum number of lines for the parameters of one event on a terminal, and for each of its findings;
    /// `glossctl event` shows all of them.
    private static let maximumLines = 4

    private var idWidth = 1
    private var originWidth = 1
    private var keyWidth = 1
    private var day = ""
    /// The columns of the last event, which most events have in common.
    private var lastOrigin: (of: EventLine.Origin, column: StyledLine)?
    private var kinds: [Kind] = []
    private var lastKind = 0
    /// The time of the previous event.
    private var previous: WireTime?

    /// What events of a kind have in common.
    private struct Kind {
        var kind: EventKind
        /// The key, if the events are resolved.
        var column: StyledLine
        var common: CommonNames
        var members = KnownMembers()
    }

    private static let mostKinds = 32

    init(style: Style) {
        self.style = style
    }

    /// Widens the columns for a line. An overlong name exceeds its column, so that it does not fill all other lines
    /// with spaces.
    mutating func fit(_ line: StreamLine) {
        guard case .event(let event) = line else { return }
        idWidth = max(idWidth, String(event.id).utf8.count)
        let (origin, key) = (origin(event).width, key(event).width)
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

    /// Appends a line that the columns have room for.
    mutating func write(_ line: StreamLine, to text: inout String) {
        switch line {
        case .event(let event):
            text += dayHeading(event.time)
            write(event, to: &text)
        case .gap(let gap): text += dayHeading(gap.time) + remark(GapText.text(gap), .warning)
        case .missed(let count): text += remark(GapText.text(missed: count), .warning)
        case .late(let count): text += remark(GapText.text(late: count), .warning)
        case .error(let problem): text += remark(SafeText.neutralised(problem.description), .bad)
        case .other: break
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

    private mutating func write(_ event: EventLine, to text: inout String) {
        var line = style.showsHighlight ? StyledLine.mark(event) : StyledLine()
        line.reserve(bytes: 256, runs: 16)
        let id = String(event.id)
        line.append(spaces: idWidth - id.utf8.count)
        line.append(id, .faint)
        line.append(spaces: 1)
        line.append(time(event.time), event.isHighlighted ? .highlight : .faint)
        line.append(spaces: 1)
        if style.showsDelta { line.append(delta(event.time), .note, columns: 10) }
        line.append(event.effectiveLevel.name, event.effectiveLevel.tint, columns: 8)
        let resolution = resolution(event)
        let indent = line.width + originWidth + 1 + resolution.width + 1
        var flow = Flow(line, indent: style.width.map { min(indent, $0 / 3) } ?? indent, style)
        flow.append(origin(event), columns: originWidth)
        flow.append { $0.append(resolution) }
        if event.event != nil { flow.append(key(event), columns: keyWidth) }
        flow.limit(lines: Self.maximumLines)
        append(content: event, to: &flow)
        flow.render(into: &text)
        text += findings(event, indent: flow.indent)
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
        return civil.timeOfDay(decimals: 3) + style.zone.mark(time.microseconds)
    }

    private func resolution(_ event: EventLine) -> StyledLine {
        (style.width == nil ? Self.names : Self.marks)[event.resolution] ?? StyledLine()
    }

    private static let marks = resolutions { StyledLine($0.mark, $0.tint) }
    private static let names = resolutions { resolution in
        var line = StyledLine()
        line.append(resolution.rawValue, resolution.tint, columns: 9)
        return line
    }

    private static func resolutions(_ column: (Resolution) -> StyledLine) -> [Resolution: StyledLine] {
        Dictionary(uniqueKeysWithValues: Resolution.allCases.map { ($0, column($0)) })
    }

    /// The subsystem and category in the form of filters.
    private mutating func origin(_ event: EventLine) -> StyledLine {
        if let last = lastOrigin, last.of === event.origin { return last.column }
        let (subsystem, category) = (event.subsystem, event.category)
        let column = StyledLine(
            SafeText.neutralised(name: category.isEmpty ? subsystem : "\(subsystem)/\(category)"))
        lastOrigin = (event.origin, column)
        return column
    }

    /// The key; nothing if the event has none.
    private mutating func key(_ event: EventLine) -> StyledLine {
        let column = kinds[kind(event)].column
        return event.resolution == .resolved ? column : column.tinted(event.resolution.tint)
    }

    /// Returns the place of what is known of the event's kind.
    private mutating func kind(_ event: EventLine) -> Int {
        if lastKind < kinds.count, kinds[lastKind].kind === event.kind { return lastKind }
        if let known = kinds.firstIndex(where: { $0.kind === event.kind }) {
            lastKind = known
            return known
        }
        if kinds.count == Self.mostKinds { kinds = [] }
        let key = event.event?.description ?? ""
        kinds.append(
            Kind(
                kind: event.kind, column: StyledLine(SafeText.neutralised(name: key), .kind(key)),
                common: event.dictionary.flatMap { common[$0] } ?? CommonNames()))
        lastKind = kinds.count - 1
        return lastKind
    }

    /// Appends the message, or the parameters one by one.
    private mutating func append(content event: EventLine, to flow: inout Flow) {
        switch event.content {
        case .message(let text, _): flow.append { $0.append(message(text)) }
        case .payload(let json):
            let (place, showsAll) = (kind(event), style.showsCommon)
            let (common, key) = (kinds[place].common, showsAll ? nil : event.event)
            let list = ParameterText.list(json, in: common.parametersAt, &kinds[place].members) { member in
                if showsAll { return true }
                // The key of the event has its own column.
                if key != nil, !common.hasOtherKeys, common.key.contains(member.place) { return false }
                return member.isInObject || !common.parameters.contains(member.key)
            }
            guard var shown = list else {
                flow.append { $0.append(message(String(decoding: json, as: UTF8.self))) }
                return
            }
            if let key, common.hasOtherKeys {
                shown.removeAll { common.key.contains($0.place) && $0.isPart(of: key) }
            }
            // Once: there may be many parameters, and many violations.
            let broken = event.violations.brokenPlaces
            func append(_ parameter: ParameterText, old: String? = nil, to line: inout StyledLine) {
                line.append(parameter.name, .faint)
                line.append("=", .faint)
                if let old { line.append("\(old) → ", .faint) }
                line.append(beginning(parameter.value), broken.contains(ExactString(parameter.place)) ? .bad : .plain)
            }
            guard let changes = differences?.changes(to: event, shown) else {
                for parameter in shown {
                    guard flow.append({ append(parameter, to: &$0) }) else { return }
                }
                return
            }
            for change in changes {
                let hasRoom = flow.append { line in
                    switch change {
                    case .changed(let old, let parameter): append(parameter, old: old, to: &line)
                    case .new(let parameter):
                        line.append("+", .good)
                        append(parameter, to: &line)
                    case .gone(let name): line.append("-\(name)", .warning)
                    }
                }
                guard hasRoom else { return }
            }
        }
    }

    private func message(_ text: String) -> String { beginning(SafeText.neutralised(text)) }

    /// Cuts a text to what a line of the terminal could show, before it is measured character by character.
    private func beginning(_ text: String) -> String {
        guard style.isCut, let width = style.width, text.utf8.count > width * 4 else { return text }
        return String(text.prefix(width + 1))
    }

    private func findings(_ event: EventLine, indent: Int) -> String {
        guard event.hasFindings else { return "" }
        return FindingText.all(of: event).map { text, tint in
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
