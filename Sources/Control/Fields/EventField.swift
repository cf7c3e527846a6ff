import API
import JSON
import Model
import Predicates

/// A part of events that is printed: a key of predicates, another member of the API, or a parameter (`payload.items[0].price`).
struct EventField {
    /// As it was written; the heading of its column.
    let name: String
    private let part: Part

    private enum Part {
        case number(Predicate.NumberKey)
        case text(Predicate.TextKey)
        case message
        case payload
        case uid, cursor, highlighted
        case parameter(ParameterPlace)
    }

    /// What an event has for a field.
    enum Value {
        case text(String)
        /// A number or another value of JSON, as it was sent.
        case json([UInt8])
        /// Texts, in the order of the event's findings.
        case list([String])
    }

    /// The fields of tables, where none are named.
    static let usual = "time,level,subsystem,event,resolution,message"
    /// The fields that are no keys of predicates.
    static let names = ["payload", "highlighted"]

    /// - Throws: `ControlError` for what is no field.
    init(_ text: String) throws(ControlError) {
        name = text
        let comparison: PredicateSyntax.Comparison
        do throws(PredicateError) {
            comparison = try PredicateParser.parseKey(text)
        } catch {
            throw .wrongUsage("field '\(SafeText.neutralised(text))': \(error.reason)")
        }
        let word = comparison.key
        if let name = word.text.rest(after: "payload.") {
            let hasAll = !name.split(separator: ".", omittingEmptySubsequences: false).contains("")
            guard !name.isEmpty, word.isQuoted || hasAll else {
                throw .wrongUsage("field \(SafeText.neutralised(text)): expected the name of a parameter: payload.NAME")
            }
            part = .parameter(ParameterPlace(comparison))
            return
        }
        guard !word.isQuoted, comparison.inner.isEmpty else { throw Self.unknown(text) }
        switch word.text {
        case "payload": part = .payload
        case "highlighted": part = .highlighted
        default:
            switch PredicateKey.named(word.text)?.meaning {
            case .number(let key): part = .number(key)
            case .text(let key): part = .text(key)
            case .uid: part = .uid
            case .cursor: part = .cursor
            case .message: part = .message
            case .role:
                throw .wrongUsage(
                    "field \(word.text): that is a role of parameters; write the parameter that has it, as payload.NAME"
                )
            case nil: throw Self.unknown(text)
            }
        }
    }

    /// A name is not taken for a parameter: a misspelt field would be a column of nothing, a new field would change what is
    /// printed, and where payloads have parameters only the daemon knows.
    private static func unknown(_ text: String) -> ControlError {
        let wanted = text.unicodeScalars.map(\.value)
        let names = PredicateKey.allCases.map(\.name) + Self.names
        let near = EditDistance.threeNearest(among: names) {
            EditDistance.between(wanted, $0.unicodeScalars.map(\.value), limit: max(1, wanted.count / 4))
        }
        let name = SafeText.neutralised(text)
        guard !text.hasPrefix("journal.") else {
            return .wrongUsage("\(name) is not in events: glossctl event ID shows the journal fields of one")
        }
        let hint = near.isEmpty ? "" : "did you mean \(near.joined(separator: ", "))? "
        return .wrongUsage("there is no field \(name); \(hint)write payload.\(name) for a parameter of payloads")
    }

    /// Returns the fields of an option, which are separated by commas.
    static func list(_ option: String) throws(ControlError) -> [EventField] {
        let names = KeyList.split(option)
        if let twice = names.first(where: { name in names.count { ExactString($0) == ExactString(name) } > 1 }) {
            throw .wrongUsage("--fields: \(SafeText.neutralised(twice)) is there twice")
        }
        return try names.map { name throws(ControlError) in try EventField(name) }
    }

    /// The members of event lines that it is taken from.
    var members: [String] {
        switch part {
        case .number(.id): []
        case .number(.time): ["time"]
        case .number(.programTime): ["program_time"]
        case .number(.level): ["level", "program_level"]
        case .number(.journalLevel): ["level"]
        case .number(.programLevel): ["program_level"]
        case .number(.pid): ["pid"]
        case .text(.sender(let field)): [field.name]
        case .text(.boot): ["boot_id"]
        case .text(.resolution): ["resolution"]
        case .text(.dictionary): ["dictionary"]
        case .text(.definitions): ["definitions_version"]
        case .text(.event), .text(.eventCategory), .text(.eventName): ["event"]
        case .text(.violationRule), .text(.violationParameter): ["violations"]
        case .text(.warningRule), .text(.warningParameter): ["warnings"]
        case .text(.reason): ["reason"]
        case .message: ["payload", "message"]
        case .payload, .parameter: ["payload"]
        case .uid: ["uid"]
        case .cursor: ["cursor"]
        case .highlighted: ["highlighted"]
        }
    }

    /// - Returns: `nil` if the event has none.
    func value(of event: EventLine, _ zone: Zone) -> Value? {
        switch part {
        case .number(let key): number(key, event, zone)
        case .text(let key): text(key, event)
        case .message:
            switch event.content {
            case .message(let text, _): .text(text)
            case .payload(let json): event.text.map(Value.text) ?? .json(json)
            }
        case .payload: if case .payload(let json) = event.content { .json(json) } else { nil }
        case .uid: .text(event.uid)
        case .cursor: .text(event.cursor)
        case .highlighted: .json(Array(String(event.isHighlighted).utf8))
        case .parameter(let place): if case .payload(let json) = event.content { place.value(in: json) } else { nil }
        }
    }

    /// The value on one line and safe for a terminal; `nil` if the event has none.
    func plain(of event: EventLine, _ zone: Zone) -> String? {
        let isName = if case .text(let key) = part { key.isName } else { false }
        return switch value(of: event, zone) {
        case .text(let text): SafeText.neutralised(text, isName: isName)
        case .json(let json): String(decoding: SafeText.neutralised(json: json), as: UTF8.self)
        case .list(let texts): SafeText.neutralised(texts.joined(separator: ", "), isName: isName)
        case nil: nil
        }
    }

    private func number(_ key: Predicate.NumberKey, _ event: EventLine, _ zone: Zone) -> Value? {
        func number(_ value: some BinaryInteger) -> Value { .json(Array(String(value).utf8)) }
        return switch key {
        case .id: number(event.id)
        case .time: .text(CivilTime.iso(event.time.microseconds, zone, decimals: 6))
        case .programTime: event.programTime.map { .text(CivilTime.iso($0.microseconds, zone, decimals: 6)) }
        case .level: .text(event.effectiveLevel.name)
        case .journalLevel: .text(event.level.name)
        case .programLevel: event.programLevel.map { .text($0.name) }
        case .pid: event.pid.map(number)
        }
    }

    private func text(_ key: Predicate.TextKey, _ event: EventLine) -> Value? {
        func list(_ texts: [String]) -> Value? { texts.isEmpty ? nil : .list(texts) }
        return switch key {
        case .sender(let field): event.sender[field].map(Value.text)
        case .boot: .text(event.bootID)
        case .resolution: .text(event.resolution.rawValue)
        case .dictionary: event.dictionary.map(Value.text)
        case .definitions: event.definitionsVersion.map(Value.text)
        case .event: (event.event?.description).map(Value.text)
        case .eventCategory: (event.event?.category).map(Value.text)
        case .eventName: (event.event?.name).map(Value.text)
        case .violationRule: list(event.violations.map(\.rule.rawValue))
        case .violationParameter: list(event.violations.map(\.parameter))
        case .warningRule: list(event.warnings.map(\.rule.rawValue))
        case .warningParameter: list(event.warnings.compactMap(\.parameter))
        case .reason: event.reason.map(Value.text)
        }
    }
}

extension Predicate.TextKey {
    /// Whether events are told apart by it.
    var isName: Bool { self != .reason }
}

/// Where a parameter is in a payload.
struct ParameterPlace {
    private let names: [UInt8]
    private let inner: [Predicate.ParameterPath.Step]

    init(_ key: PredicateSyntax.Comparison) {
        names = Array((key.key.text.rest(after: "payload.") ?? key.key.text[...]).utf8)
        inner = key.inner
    }

    /// - Returns: `nil` if there is none.
    func value(in payload: [UInt8]) -> EventField.Value? {
        guard var found = Self.member(names[...], of: payload, in: payload.indices) else { return nil }
        for step in inner {
            guard let next = Self.step(step, of: payload, found) else { return nil }
            found = next
        }
        if case .string = found.kind {
            return .text(JSONScanner.text(of: payload, in: found.value.lowerBound + 1..<found.value.upperBound - 1))
        }
        return .json(Array(payload[found.value]))
    }

    /// A dot may separate an object from its member, or be in a name.
    private static func member(_ name: ArraySlice<UInt8>, of payload: [UInt8], in object: Range<Int>) -> JSONElement? {
        guard let members = try? JSONScanner.members(of: payload, in: object) else { return nil }
        // Of members with the same name, the last one counts.
        var seen = Set<[UInt8]>()
        for member in members.reversed() {
            let key = Array(JSONScanner.text(of: payload, in: member.key).utf8)
            guard seen.insert(key).inserted else { continue }
            if key.elementsEqual(name) { return JSONElement(value: member.value, kind: member.kind) }
            guard member.kind == .object, name.starts(with: key + [UInt8(ascii: ".")]) else { continue }
            if let found = self.member(name.dropFirst(key.count + 1), of: payload, in: member.value) { return found }
        }
        return nil
    }

    private static func step(
        _ step: Predicate.ParameterPath.Step, of payload: [UInt8], _ value: JSONElement
    ) -> JSONElement? {
        switch (step, value.kind) {
        case (.index(let index), .array):
            let elements = (try? JSONScanner.elements(of: payload, in: value.value)) ?? []
            return elements.indices.contains(index) ? elements[index] : nil
        case (.member(let name), .object):
            let members = (try? JSONScanner.members(of: payload, in: value.value)) ?? []
            return members.last { JSONScanner.text(of: payload, in: $0.key).utf8.elementsEqual(name.utf8) }
                .map { JSONElement(value: $0.value, kind: $0.kind) }
        default: return nil
        }
    }
}
