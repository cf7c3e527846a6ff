import API
import Model

/// Renders everything about one event as text.
struct EventDetailRenderer: Sendable {
    var style: Style
    /// Whether journal fields of any length are shown in full.
    var showsLongFields = false

    /// Where other journal fields are cut, in characters.
    private static let fieldLimit = 400

    func text(_ detail: EventDetail) -> String {
        let event = detail.event
        let parts = [
            heading(detail), TextFacts(facts(detail), whole: Self.names).rendered(style), findings(event),
            parameters(detail),
            LinkList(detail.links).rendered(style), content(event), journal(detail.journal),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Returns all of an event that its line in a stream has.
    func text(_ event: EventLine) -> String {
        var text = heading(event)
        text.reserveCapacity(2048)
        let dictionary = event.dictionary.map { name in
            ("Dictionary", name + (event.definitionsVersion.map { ", version \($0)" } ?? ""))
        }
        TextFacts(facts(event, [dictionary].compactMap(\.self)), whole: Self.names).render(style, into: &text)
        text += findings(event)
        text += content(event)
        return text
    }

    private func heading(_ event: EventLine) -> String {
        var line = style.showsHighlight ? StyledLine.mark(event) : StyledLine()
        line.append("Event \(event.id) ", event.isHighlighted ? .highlight : .heading)
        line.append(event.resolution.rawValue, event.resolution.tint)
        if let key = event.event { line.append(" " + SafeText.neutralised(name: key.description), .heading) }
        return line.rendered(style.uncut) + "\n"
    }

    private func heading(_ detail: EventDetail) -> String {
        let event = detail.event
        var result = heading(event)
        if let definition = detail.definition {
            let obsolete = definition.obsolete ? "[obsolete] " : ""
            result += TextBlock.wrapped(obsolete + definition.description, indent: 2, style)
        } else if event.resolution == .undefined {
            result += TextBlock.wrapped(
                event.dictionary.map { name in
                    event.reason == nil
                        ? "No such definition in dictionary \(name)."
                        : "The definition in dictionary \(name) has an error, and is not in force."
                } ?? uncovered(event), indent: 2, style
            )
        }
        return result
    }

    private func uncovered(_ event: EventLine) -> String {
        let origin = EventOrigin(subsystem: event.subsystem, category: event.category)
        return "No dictionary covers \(origin.text): see subsystem and category of the dictionaries in the settings."
    }

    /// The texts that options accept as they are shown.
    private static let names = Set(exact: senderFields.map(\.label) + ["uid", "Boot", "Cursor"])

    /// `Subsystem`, `Process uid`
    private static let senderFields = SenderField.allCases.map { field in
        (field, label: field.name.prefix(1).uppercased() + field.name.dropFirst().replacing("_", with: " "))
    }

    private func facts(_ detail: EventDetail) -> [(String, String)] {
        let event = detail.event
        var more = [("Source rule", detail.source)]
        if let dictionary = event.dictionary {
            let current = detail.currentVersion.map { " (now \($0))" } ?? ""
            let version = event.definitionsVersion.map { ", version \($0)\(current)" } ?? ", not loaded\(current)"
            more.append(("Dictionary", dictionary + version))
        }
        if let definition = detail.definition { more.append(("Defined in", definition.source)) }
        return facts(event, more)
    }

    /// - Parameter more: what comes before its identity.
    private func facts(_ event: EventLine, _ more: [(String, String)]) -> [(String, String)] {
        var facts = [
            ("Time", CivilTime.text(event.time.microseconds, style.zone, decimals: 6)), ("Level", event.level.name),
        ]
        if let level = event.programLevel { facts.append(("Program's level", level.name)) }
        if let time = event.programTime {
            facts.append(("Program's time", CivilTime.text(time.microseconds, style.zone, decimals: 6)))
        }
        for (field, label) in Self.senderFields {
            guard let value = event.sender[field], !value.isEmpty else { continue }
            facts.append((label, SafeText.neutralised(name: value)))
        }
        if let pid = event.pid { facts.append(("PID", "\(pid)")) }
        return facts + more + [("uid", event.uid), ("Boot", event.bootID), ("Cursor", event.cursor)]
    }

    /// What is wrong with the event; empty if nothing is.
    func findings(_ event: EventLine) -> String {
        let lines = FindingText.all(of: event)
        guard !lines.isEmpty else { return "" }
        let reasonHeading = event.resolution == .malformed ? "Malformed" : "Undefined"
        let heading = !event.violations.isEmpty ? "Violations" : event.reason == nil ? "Warnings" : reasonHeading
        return StyledLine(heading, .heading).rendered(style) + "\n"
            + lines.map { TextBlock.wrapped($0.0, indent: 2, style, tint: $0.1) }.joined()
    }

    private func parameters(_ detail: EventDetail) -> String {
        guard case .payload(let json) = detail.event.content,
            let all = ParameterText.list(json, in: detail.definition?.parametersAt.map { MemberPath($0) })
        else { return "" }
        let sheet = ParameterSheet(detail, style: style)
        return sheet.text(all)
    }

    /// The payload with indents, or the message.
    func content(_ event: EventLine) -> String {
        switch event.content {
        case .payload(let json):
            sectionHeading("Payload") + SafeText.neutralised(PrettyJSON.text(json, margin: "  "), keepingLines: true)
                + "\n"
                + (event.text.map { "\n" + section("Message", SafeText.neutralised($0, keepingLines: true)) } ?? "")
        case .message(let text, let raw):
            section(
                raw.map { "Message, repaired: \(Quantity.bytes($0.count)) with invalid UTF-8" } ?? "Message",
                SafeText.neutralised(text, keepingLines: true))
        }
    }

    private func journal(_ journal: EventDetail.Journal) -> String {
        switch journal {
        case .fields(let fields): section("Journal fields", fields.map(line).joined(separator: "\n"))
        case .gone: section("Journal fields", "The entry is no longer in the journal.")
        case .withheld(let reason): section("Journal fields", "Left out. \(SafeText.neutralised(reason))")
        case .unreadable(let reason): section("Journal fields", "Cannot be read: \(SafeText.neutralised(reason))")
        }
    }

    private func line(_ field: JournalField) -> String {
        let name = SafeText.neutralised(name: field.name)
        let size = Quantity.bytes(field.value.count)
        let cut = field.isCut ? ["cut at max_field_size"] : []
        guard let value = String(validating: field.value, as: UTF8.self) else {
            return "\(name)=[\((["\(size) of binary data"] + cut).joined(separator: "; "))]"
        }
        let beginning = value.prefix(Self.fieldLimit)
        let isLong = beginning.endIndex < value.endIndex && !showsLongFields
        let text = SafeText.neutralised(isLong ? String(beginning) : value)
        guard isLong || field.isCut else { return "\(name)=\(text)" }
        let notes = [size] + cut + (isLong ? ["--full shows all\(field.isCut ? " that was read" : "")"] : [])
        return "\(name)=\(text)… (\(notes.joined(separator: "; ")))"
    }

    /// - Parameter text: lines that are safe to show.
    private func section(_ heading: String, _ text: String) -> String {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return sectionHeading(heading) + lines.map { "  \(Substring($0))\n" }.joined()
    }

    private func sectionHeading(_ heading: String) -> String {
        StyledLine(heading, .heading).rendered(style) + "\n"
    }
}
