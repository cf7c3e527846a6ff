import JSON
import Model

/// Finds the settings by which a payload without a key would be an event of a dictionary.
struct LayoutAdvice {
    /// Where a definition is in a dictionary.
    private struct Place {
        var category: Int
        var definition: Int
    }

    private struct Known {
        var dictionary: EventDictionary
        /// The events by their names in payloads.
        var byName: [ExactString: [Place]]

        func category(_ place: Place) -> DefinitionCategory { dictionary.categories[place.category] }

        /// Returns the names of an event's parameters and of those of its category.
        func parameters(_ place: Place) -> Set<ExactString> {
            let category = category(place)
            return Set(exact: (category.definitions[place.definition].parameters + category.parameters).map(\.name))
        }
    }

    private let known: [Known]

    /// The most definitions whose parameters are looked for in a payload: it may have been made to have many.
    private static let maximumCandidates = 2_000

    /// Where programs often have the name of an event, and its parameters. For payloads that no dictionary defines.
    private static let usualNames = ["event", "event_name", "eventName", "event.name", "action", "type", "name"]
    private static let usualObjects = ["properties", "parameters", "params", "attributes", "payload", "data", "fields"]

    init(_ dictionaries: [EventDictionary]) {
        known = dictionaries.map { dictionary in
            var byName: [ExactString: [Place]] = [:]
            for (number, category) in dictionary.categories.enumerated() {
                for (place, definition) in category.definitions.enumerated() {
                    byName[definition.sentAs, default: []].append(Place(category: number, definition: place))
                }
            }
            return Known(dictionary: dictionary, byName: byName)
        }
    }

    /// Returns what to write in the settings, as a phrase for people that has names of members but no values.
    /// - Parameters:
    ///   - covering: the dictionary that covers the event.
    ///   - isExplained: whether it is known what is wrong with the key, so that nothing needs to be guessed.
    func text(for payload: [UInt8], coveredBy covering: String?, isExplained: Bool) -> String? {
        guard let content = PayloadContent(payload) else { return nil }
        let ordered =
            known.filter { $0.dictionary.options.name == covering }
            + known.filter { $0.dictionary.options.name != covering }
        for known in ordered {
            let isCovering = known.dictionary.options.name == covering
            let name = known.dictionary.options.name
            if !isCovering, has(own: known.dictionary.options.layout, known, content) {
                let options = known.dictionary.options
                return
                    "dictionary \(name) defines it, and covers only subsystem \(options.subsystem.pattern), category "
                    + "\(options.category.pattern): extend them, or name these events by as: {subsystem: …, category: …}"
            }
            if let layout = layout(for: content, known), layout != known.dictionary.options.layout {
                return "dictionary \(name) defines it: \(Self.text(of: layout))"
                    + (isCovering ? "" : ", and let the dictionary cover these events")
            }
        }
        return isExplained ? nil : guess(content)
    }

    private func has(own layout: PayloadLayout, _ known: Known, _ content: PayloadContent) -> Bool {
        guard case .member(let path) = layout.name, let name = content.strings[path.text] else { return false }
        guard let found = known.byName[name] else { return false }
        guard let category = layout.category.member else { return layout.category == .definingFile }
        let sent = content.strings[category.text] ?? ""
        return found.contains { known.category($0).sentAs.utf8.elementsEqual(sent.utf8) }
    }

    /// Returns the layout by which the payload is an event of the dictionary.
    private func layout(for content: PayloadContent, _ known: Known) -> PayloadLayout? {
        var best: (layout: PayloadLayout, rank: [Int])?
        var candidatesLeft = Self.maximumCandidates
        // Of equal candidates, the first one counts.
        for (value, paths) in content.paths.sorted(by: { $0.value[0] < $1.value[0] }) {
            guard let all = known.byName[value] else { continue }
            let name = paths[0]
            for place in all where candidatesLeft > 0 {
                let category = content.paths[known.category(place).sentAs]?.first { $0 != name }
                guard category != nil || all.count == 1 else { continue }
                candidatesLeft -= 1
                let object = content.object(having: known.parameters(place))
                let rank = [category == nil ? 0 : 1, object?.count ?? 0, -name.text.utf8.count]
                guard best.map({ $0.rank.lexicographicallyPrecedes(rank) }) ?? true else { continue }
                let layout = PayloadLayout(
                    category: category.map { .member(MemberPath($0.text)) } ?? .definingFile,
                    name: .member(MemberPath(name.text)),
                    parametersAt: object.flatMap { $0.path.text.isEmpty ? nil : MemberPath($0.path.text) })
                best = (layout, rank)
            }
        }
        return best?.layout
    }

    private func guess(_ content: PayloadContent) -> String {
        guard let name = Self.usualNames.first(where: { content.strings[$0] != nil }) else {
            return "if all of them are one event: as: {event: CATEGORY/NAME}"
        }
        let object = Self.usualObjects.first { content.objects[$0] != nil }
        return "perhaps key: [\(name)]" + (object.map { ", parameters_at: \($0)" } ?? "")
    }

    private static func text(of layout: PayloadLayout) -> String {
        "key: [\(layout.key.joined(separator: ", "))]"
            + (layout.parametersAt.map { ", parameters_at: \($0)" } ?? "")
    }
}

/// The strings and objects in a payload, by their paths.
private struct PayloadContent {
    /// The place of a value; the shortest is the first.
    struct Path: Comparable {
        @Exact var text: String

        static func < (one: Path, other: Path) -> Bool {
            (one.text.utf8.count, one._text) < (other.text.utf8.count, other._text)
        }
    }

    private(set) var strings: [ExactString: String] = [:]
    /// The paths of each string, in ascending order.
    private(set) var paths: [ExactString: [Path]] = [:]
    /// The names of their members. The path of the payload itself is empty.
    private(set) var objects: [ExactString: Set<ExactString>] = [:]
    private var membersLeft = 500

    private static let maximumDepth = 4
    /// No definition has a longer name.
    private static let maximumNameBytes = 256

    init?(_ payload: [UInt8]) {
        guard (try? JSONScanner.members(of: payload)) != nil else { return nil }
        add(payload, path: "", depth: 0)
        for (path, text) in strings { paths[text, default: []].append(Path(text: path.text)) }
        for value in paths.keys { paths[value]?.sort() }
    }

    /// Returns the object with the most of these members, and how many it has; `nil` if none has any.
    func object(having names: Set<ExactString>) -> (path: Path, count: Int)? {
        objects.map { path, members in (path: Path(text: path.text), count: members.count { names.contains($0) }) }
            .filter { $0.count > 0 }
            .min { (-$0.count, $0.path) < (-$1.count, $1.path) }
    }

    private mutating func add(_ object: [UInt8], path: String, depth: Int) {
        guard depth < Self.maximumDepth, let members = try? JSONScanner.members(of: object) else { return }
        var names: Set<ExactString> = []
        for member in members where membersLeft > 0 {
            membersLeft -= 1
            let name = JSONScanner.text(of: object, in: member.key)
            names.insert(name)
            let place = path.isEmpty ? name : "\(path).\(name)"
            switch member.kind {
            case .string where member.content.count <= Self.maximumNameBytes:
                strings[place] = JSONScanner.text(of: object, in: member.content)
            case .object: add(Array(object[member.value]), path: place, depth: depth + 1)
            default: break
            }
        }
        objects[path] = names
    }
}
