/// How an entry has its payload, where in it the key of the event is, and where the parameters are.
package struct PayloadLayout: Sendable, Hashable {
    package var category: KeyPart
    package var name: KeyPart
    /// The object that has the event's parameters; `nil` if it is the payload itself. What stands beside that object are
    /// parameters of all events.
    package var parametersAt: MemberPath?
    package var format: PayloadFormat
    /// The member with the program's own level; `nil` if only the journal says the level.
    package var level: MemberPath?
    /// The member with the program's own time; `nil` if only the journal says the time.
    package var time: MemberPath?

    package init(
        category: KeyPart, name: KeyPart, parametersAt: MemberPath? = nil, format: PayloadFormat = .json,
        level: MemberPath? = nil, time: MemberPath? = nil
    ) {
        self.category = category
        self.name = name
        self.parametersAt = parametersAt
        self.format = format
        self.level = level
        self.time = time
    }

    /// The layout that daifuku's events have.
    package static let usual = PayloadLayout(
        category: .member(MemberPath("event_category")), name: .member(MemberPath("event_name")))

    /// The parts of the key that events bring with them, as the settings write them: category and name, or only the name.
    package var key: [String] { [category, name].compactMap(\.text) }

    /// A text that differs between layouts.
    package var text: String {
        var lines = [category.code, name.code, parametersAt?.text ?? ""]
        if format != .json { lines.append("format \(format.rawValue)") }
        if let level { lines.append("level \(level)") }
        if let time { lines.append("time \(time)") }
        return lines.joined(separator: "\n")
    }

    /// The members of payloads that have parts of the key.
    package var members: [MemberPath] { [category, name].compactMap(\.member) }

    /// A part of the key that would have to be a string and an object; `nil` if payloads can have this layout.
    package var contradiction: MemberPath? {
        let places = members + (parametersAt.map { [$0] } ?? [])
        return members.first { key in key == parametersAt || places.contains(where: key.contains) }
    }

    /// Returns where payloads have a parameter of an event or a category.
    package func place(ofParameter name: String) -> MemberPath { MemberPath(name, in: parametersAt) }

    /// The objects that may have common parameters: the payload itself, which is `nil`, and the objects in it that
    /// contain the one with the event's parameters.
    package var commonPlaces: [MemberPath?] { [nil] + (parametersAt?.outer ?? []) }

    /// Returns where payloads may have a common parameter, or a member in it. Within objects, a part of the key and
    /// the way to the event's parameters are none.
    package func places(ofCommonParameter path: String) -> [MemberPath] {
        commonPlaces.map { MemberPath(path, in: $0) }.filter { place in
            guard let parametersAt, place != MemberPath(path) else { return true }
            return !members.contains(place) && place != parametersAt && !place.contains(parametersAt)
                && !parametersAt.contains(place)
        }
    }

    /// The category that a rule says; `nil` if none does.
    package var fixedCategory: ExactString? { if case .fixed(let category) = category { category } else { nil } }

    /// The key that all events have, if a rule says it.
    var fixedKey: EventKey? {
        guard case .fixed(let name) = name else { return nil }
        return fixedCategory.map { EventKey(category: $0.text, name: name.text) }
    }

    /// The journal fields that have parts of the key.
    package var journalFields: [ExactString] {
        [category, name].compactMap { if case .journalField(let field) = $0 { field } else { nil } }
    }
}

/// How an entry has its payload.
package enum PayloadFormat: String, Sendable, CaseIterable {
    /// The field is a JSON object.
    case json
    /// A JSON object stands in the text of the field: `INFO 2026-11-21 {"a":1}`.
    case jsonInText = "json-in-text"
    /// The field is a list of pairs: `a=1 b="x y"`.
    case logfmt
    /// Pairs stand in the text of the field: `connect from 10.0.0.1: proto=ESMTP, helo=<a.example>`.
    case syslogKV = "syslog-kv"

    /// Whether payloads are made of pairs, whose values are texts.
    package var hasPairs: Bool { self == .logfmt || self == .syslogKV }
}

/// Where a part of the key is, a category or a name.
package enum KeyPart: Sendable, Hashable {
    case member(MemberPath)
    /// A field of the journal entry, such as `EVENT_NAME`.
    case journalField(ExactString)
    /// A sources rule says it for all its events.
    case fixed(ExactString)
    /// The category is that of the file which defines the name.
    case definingFile

    /// What the settings write before the name of a journal field.
    package static let journalPrefix = "journal."

    package var member: MemberPath? { if case .member(let path) = self { path } else { nil } }

    fileprivate var code: String {
        switch self {
        case .member(let path): "member \(path)"
        case .journalField(let field): "journal \(field)"
        case .fixed(let text): "fixed \(text)"
        case .definingFile: "file"
        }
    }

    /// As the settings write it in `key`; `nil` if it is nothing that events bring with them.
    package var text: String? {
        switch self {
        case .member(let path): path.text
        case .journalField(let field): Self.journalPrefix + field.text
        case .fixed, .definingFile: nil
        }
    }
}

/// The place of a member in a payload: its name, or the names of the objects that contain it and its own, such as
/// `context.event`.
package struct MemberPath: Sendable, Hashable, CustomStringConvertible {
    @Exact package var text: String

    package init(_ text: String) { self.text = text }

    /// - Parameter object: where the object is that has the member; `nil` if it is the payload itself.
    package init(_ name: String, in object: MemberPath?) {
        self = object?.member(name) ?? MemberPath(name)
    }

    /// The names from the outside in.
    package var steps: [String] {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    package var description: String { text }

    /// The names of the objects that contain it.
    package var objects: Set<ExactString> { Set(exact: steps.dropLast()) }

    /// The paths of the objects that contain it, from the outside in.
    fileprivate var outer: [MemberPath?] {
        let steps = steps
        return steps.indices.dropFirst().map { MemberPath(steps[..<$0].joined(separator: ".")) }
    }

    /// Returns the path of a member of the object at this place.
    package func member(_ name: String) -> MemberPath { MemberPath("\(text).\(name)") }

    /// Whether the value at `other` is a part of the value at this place.
    package func contains(_ other: MemberPath) -> Bool { other.text.rest(after: text)?.utf8.first == UInt8(ascii: ".") }
}

/// What a sources rule says about the layout of its events' payloads, in place of what their dictionary says.
package struct LayoutOverride: Sendable, Hashable {
    package var category: KeyPart?
    package var name: KeyPart?
    package var parametersAt: MemberPath?
    package var format: PayloadFormat?
    package var level: MemberPath?
    package var time: MemberPath?

    package init() {}

    package var isEmpty: Bool { self == LayoutOverride() }

    package func applied(to layout: PayloadLayout) -> PayloadLayout {
        let format = format ?? layout.format
        return PayloadLayout(
            category: category ?? layout.category, name: name ?? layout.name,
            // Pairs have no objects in them.
            parametersAt: format.hasPairs ? nil : parametersAt ?? layout.parametersAt,
            format: format, level: level ?? layout.level, time: time ?? layout.time)
    }
}

extension [SourceRule] {
    /// The layouts of rules that say something about it, for events that no dictionary covers; by the texts of the rules.
    package var layouts: [ExactString: PayloadLayout] {
        let all = filter { !$0.layout.isEmpty }.map { (ExactString($0.text), $0.layout.applied(to: .usual)) }
        return Dictionary(all) { first, _ in first }
    }
}

/// The fields of a journal entry that have parts of its event's key.
package struct KeyFields: Sendable, Hashable {
    /// The names in ascending order, each with its value.
    private var fields: [Field]

    private struct Field: Sendable, Hashable {
        @Exact var name: String
        @Exact var value: String
    }

    package static let none = KeyFields([:])

    /// - Parameter fields: values by name. One with a line break is no name, and is left out.
    package init(_ fields: [ExactString: String]) {
        self.fields = fields.filter { !$0.value.utf8.contains(0x0A) }.sorted { $0.key < $1.key }
            .map { Field(name: $0.key.text, value: $0.value) }
    }

    /// Creates the fields from their text: `NAME=value`, one on each line.
    package init(text: String) {
        var fields: [ExactString: String] = [:]
        for line in text.utf8.split(separator: 0x0A) {
            guard let parts = Substring(line).parts(at: "=") else { continue }
            fields[ExactString(String(parts.before))] = String(parts.after)
        }
        self.init(fields)
    }

    package var text: String { fields.map { "\($0.name)=\($0.value)" }.joined(separator: "\n") }

    package subscript(name: ExactString) -> String? { fields.first { $0.name.isExactly(name.text) }?.value }

    var textBytes: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
}
