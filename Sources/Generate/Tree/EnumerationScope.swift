import Model

/// The lists of values that become types in one place of the generated code.
///
/// A type has the name of the parameter with the values, or of the custom type for which values are listed. If
/// parameters of one name have different values in different events, the names of their types consist of event and
/// parameter. For a member of an object type, the name always consists of type and member.
struct EnumerationScope {
    /// A parameter, a member or a custom type that has a list of values.
    struct Use {
        fileprivate var source: String
        /// The name to use when `source` would be ambiguous.
        fileprivate var longSource: String
        fileprivate var content: Content

        /// - Returns: `nil` when the parameter has no list of values itself.
        init?(_ parameter: Parameter, event: String = "") {
            guard let content = Content(of: parameter) else { return nil }
            source = parameter.name
            longSource = event.isEmpty ? "common_\(parameter.name)" : "\(event)_\(parameter.name)"
            self.content = content
        }

        /// - Returns: `nil` when the member has no list of values itself.
        init?(_ member: Parameter, ofType type: String) {
            guard let content = Content(of: member) else { return nil }
            // No other name has a dot.
            source = "\(type).\(member.name)"
            longSource = source
            self.content = content
        }

        /// - Returns: `nil` when it is not a custom type with a list of values.
        init?(_ type: ParameterType) {
            guard case .custom(let name, .values(let values)?) = type.checked else { return nil }
            source = name.text
            longSource = "type_\(name)"
            let texts = values.map(\.text)
            content = Content(texts, of: texts, base: .any, maximumBytes: nil)
        }
    }

    fileprivate struct Content: Hashable {
        @Exact var values: [String]
        var base: BaseType

        /// - Returns: `nil` when the parameter has no list of values itself.
        init?(of parameter: Parameter) {
            let base = BaseType(parameter.type)
            guard base.canBeListed, let allowed = parameter.allowedValues else { return nil }
            self.init(
                parameter.listedValues ?? allowed, of: allowed, base: base, maximumBytes: parameter.type.checked.limit)
        }

        /// - Parameter all: the values to use when none of `values` has the right type, which lint reports.
        init(_ values: [String], of all: [String], base: BaseType, maximumBytes: Int?) {
            var known: Set<ExactString> = []
            let unique = values.filter { known.insert($0) }
            let fitting = unique.filter { base.admits($0, maximumBytes: maximumBytes) }
            self.values = fitting.isEmpty ? all : fitting
            self.base = base
        }
    }

    fileprivate struct Key: Hashable {
        @Exact var source: String
        @Exact var longSource: String?
    }

    private let isShared: Bool
    private var uses: [Use] = []
    private var contents: [ExactString: Set<Content>] = [:]
    private var nodes: [Key: EnumerationNode] = [:]
    /// The names of the object types in the same place.
    private(set) var typeNames: [ExactString: Names] = [:]
    private var types: Set<ExactString> = []

    init(isShared: Bool) {
        self.isShared = isShared
    }

    mutating func add(_ new: [Use?]) {
        for use in new.compactMap(\.self) {
            uses.append(use)
            contents[use.source, default: []].insert(use.content)
        }
    }

    /// Assigns the names. Call it once, after all uses were added.
    /// - Parameters:
    ///   - taken: the other names in the same place.
    ///   - types: object types that get names in the same place.
    mutating func assignNames(_ language: Language, besides taken: Set<String>, types: [String] = []) {
        self.types = Set(exact: types)
        let keyed = Dictionary(uses.map { (key($0), $0) }) { first, _ in first }
        var labels: [ExactString: Key] = [:]
        for (key, _) in keyed.sorted(by: { $0.key.text < $1.key.text }) {
            var label = key.longSource ?? key.source
            while labels[label] != nil || self.types.contains(label) { label += "_" }
            labels[label] = key
        }
        let names = language.scope(.enumerations).names(for: labels.keys.map(\.text) + types, besides: taken)
        for type in self.types { typeNames[type] = names[type] }
        for (label, key) in labels {
            guard let use = keyed[key], let names = names[label] else { continue }
            nodes[key] = node(use, names, language)
        }
    }

    /// The enumerations in the order of their names.
    var enumerations: [EnumerationNode] { nodes.values.sorted { $0.names.pascal < $1.names.pascal } }

    /// - Returns: `nil` when these values have no type in this place.
    func enumeration(_ use: Use?) -> EnumerationNode? {
        // A parameter may have the name of a custom type, and other values.
        guard let use, contents[use.source]?.contains(use.content) == true else { return nil }
        return nodes[key(use)]
    }

    private func key(_ use: Use) -> Key {
        let isAmbiguous = contents[use.source]?.count ?? 0 > 1 || types.contains(use.source)
        return Key(source: use.source, longSource: isAmbiguous ? use.longSource : nil)
    }

    private func node(_ use: Use, _ names: Names, _ language: Language) -> EnumerationNode {
        let values = use.content.values
        let valueNames = language.scope(.values).names(for: values)
        return EnumerationNode(
            name: use.source, names: names, dialect: language.dialect, isShared: isShared,
            isText: use.content.base.isText,
            values: values.compactMap { text in
                valueNames[text].map { ValueNode(text: text, names: $0, dialect: language.dialect) }
            },
            accepted: values.flatMap(use.content.base.accepted))
    }
}

extension EnumerationScope.Key {
    /// The text by which they are sorted.
    fileprivate var text: String { "\(source)/\(longSource ?? "")" }
}
