package import API
package import Model

/// Renders the lines of a stream for people, one event a line, or a few where a terminal is narrow.
///
/// Columns grow with what they have to hold, so that lines are aligned without knowing those that are yet to come.
package struct EventRenderer: Sendable {
    package var style: Style
    /// What all events of a dictionary have, by the dictionary's name.
    package var common: [ExactString: CommonNames] = [:]

    /// Lines that the parameters of one event may take on a terminal; `glossctl event` shows all.
    private static let maximumLines = 4

    private var idWidth = 1
    private var sourceWidth = 1
    private var keyWidth = 1
    private var day = ""

    package init(style: Style) {
        self.style = style
    }

    /// Makes room for a line that is going to be rendered.
    package mutating func fit(_ line: StreamLine) {
        guard case .event(let event) = line else { return }
        idWidth = max(idWidth, String(event.id).count)
        sourceWidth = max(sourceWidth, DisplayWidth.columns(source(event)))
        keyWidth = max(keyWidth, DisplayWidth.columns(key(event)))
    }

    /// The line and those that belong to it, each with its line break.
    package mutating func text(_ line: StreamLine) -> String {
        fit(line)
        switch line {
        case .event(let event): return dayHeading(event.time) + text(event)
        case .gap(let gap): return dayHeading(gap.time) + remark(GapText.text(gap), .warning)
        case .missed(let count): return remark(GapText.text(missed: count), .warning)
        case .late(let count): return remark(GapText.text(late: count), .warning)
        case .error(let problem): return remark(SafeText.neutralised(problem.description), .bad)
        case .other: return ""
        }
    }

    /// On a terminal the day stands above its events, since columns are scarce there.
    private mutating func dayHeading(_ time: WireTime) -> String {
        guard style.width != nil else { return "" }
        let date = CivilTime(microseconds: time.microseconds, zone: style.zone).date
        guard date != day else { return "" }
        day = date
        return StyledLine("-- \(date)\(style.zone.isUTC ? " UTC" : "") --", .faint).rendered(style) + "\n"
    }

    private func text(_ event: EventLine) -> String {
        var line = StyledLine()
        let id = String(event.id)
        line.append(String(repeating: " ", count: idWidth - id.count) + id + " ", .faint)
        line.append(time(event.time) + " ", .faint)
        line.append(event.level.name, event.level.tint, columns: 8)
        line.append(source(event), columns: sourceWidth + 1)
        line.append(resolution(event) + " ", event.resolution.tint)
        let indent = style.width.map { min(line.width, $0 / 3) } ?? line.width
        if event.event != nil {
            let tint = event.resolution == .resolved ? Tint.heading : event.resolution.tint
            line.append(key(event), tint, columns: keyWidth + 1)
        }
        return flow(content(event), behind: line, indent: indent) + findings(event, indent: indent)
    }

    /// Puts pieces behind a line, and those that the terminal has no room for on lines of their own.
    private func flow(_ pieces: [StyledLine], behind line: StyledLine, indent: Int) -> String {
        var lines = [line]
        for piece in pieces {
            let isFull = style.isCut && lines[lines.count - 1].width + piece.width > (style.width ?? .max)
            if isFull, lines.count == Self.maximumLines {
                lines[lines.count - 1].append("…", .faint)
                break
            }
            if isFull { lines.append(StyledLine(String(repeating: " ", count: indent))) }
            lines[lines.count - 1].append(piece)
            lines[lines.count - 1].append(" ")
        }
        return lines.map { $0.rendered(style) + "\n" }.joined()
    }

    private func time(_ time: WireTime) -> String {
        guard style.width != nil else { return CivilTime.text(time.microseconds, style.zone) }
        return CivilTime(microseconds: time.microseconds, zone: style.zone).timeOfDay(decimals: 3)
    }

    private func resolution(_ event: EventLine) -> String {
        style.width == nil ? DisplayWidth.padded(event.resolution.rawValue, to: 9) : event.resolution.mark
    }

    /// Subsystem and category; on a terminal only the last part of the subsystem's reversed domain name.
    private func source(_ event: EventLine) -> String {
        var subsystem = event.subsystem[...]
        if style.width != nil, let dot = subsystem.lastIndex(of: "."),
            subsystem.utf8.index(after: dot) < subsystem.endIndex
        {
            subsystem = subsystem[subsystem.utf8.index(after: dot)...]
        }
        let text = event.category.isEmpty ? String(subsystem) : "\(subsystem)/\(event.category)"
        return DisplayWidth.cut(SafeText.neutralised(text), to: style.width.map { max(12, $0 / 5) } ?? 64)
    }

    private func key(_ event: EventLine) -> String {
        guard let key = event.event else { return "" }
        return DisplayWidth.cut(SafeText.neutralised(key.description), to: style.width.map { max(16, $0 / 2) } ?? 64)
    }

    /// The message, or the parameters one by one.
    private func content(_ event: EventLine) -> [StyledLine] {
        switch event.content {
        case .message(let text, _):
            return [message(text)]
        case .payload(let json):
            guard let parameters = ParameterText.list(json) else {
                return [message(String(decoding: json, as: UTF8.self))]
            }
            let broken = Set(exact: event.violations.map(\.parameter))
            return parameters.filter { isShown($0, of: event) }.map { parameter in
                var piece = StyledLine("\(parameter.name)=", .faint)
                piece.append(beginning(parameter.value), broken.contains(parameter.key) ? .bad : .plain)
                return piece
            }
        }
    }

    private func message(_ text: String) -> StyledLine { StyledLine(beginning(SafeText.neutralised(text))) }

    /// No more of a text than a terminal's line could show, before it is measured character by character.
    private func beginning(_ text: String) -> String {
        guard style.isCut, let width = style.width, text.utf8.count > width * 4 else { return text }
        return String(text.prefix(width + 1))
    }

    private func isShown(_ parameter: ParameterText, of event: EventLine) -> Bool {
        if style.showsCommon { return true }
        let common = event.dictionary.flatMap { self.common[$0] } ?? CommonNames()
        // The key has a column of its own.
        if event.event != nil, common.key.contains(parameter.key) { return false }
        return !common.parameters.contains(parameter.key)
    }

    private func findings(_ event: EventLine, indent: Int) -> String {
        var texts: [(String, Tint)] = event.violations.map { (FindingText.text($0), .bad) }
        texts += event.warnings.map { (FindingText.text($0), .warning) }
        if let reason = event.reason { texts.append((SafeText.neutralised(reason), .accent)) }
        return texts.map { text, tint in
            var line = StyledLine(String(repeating: " ", count: indent))
            line.append(text, tint)
            return line.rendered(style) + "\n"
        }.joined()
    }

    private func remark(_ text: String, _ tint: Tint) -> String {
        StyledLine("-- \(text)", tint).rendered(style) + "\n"
    }
}
