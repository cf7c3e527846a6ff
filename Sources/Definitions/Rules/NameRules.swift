import Model

/// Checks what must be the same for all parameters with one name: a warehouse has one column for each name.
struct NameRules {
    /// The list that a parameter is in.
    enum Kind {
        /// That of a category or of `common.md`.
        case shared
        case event
        /// That of a type: its members are no columns of a warehouse.
        case type
    }

    /// A parameter and its place.
    private struct Place {
        var parameter: Parameter
        var file: String
        var kind: Kind

        var text: String { "\(file):\(parameter.line)" }
    }

    /// Uses that are reported once, at the first place.
    private struct Uses {
        var first: Place
        var count = 1
    }

    /// Everything that is known about a name.
    private struct Name {
        /// The first parameter that is not a member of a type.
        var first: Place?
        /// The first parameter of an event.
        var firstOfEvent: Place?
        var protected: Place?
        var valued: Place?
        /// The values of `valued`.
        var values: Set<ExactString> = []
        var role: Place?
        /// The places without an annotation about privacy.
        var unsaid: Uses?
        var isPublic: [Place] = []
    }

    private let types: [ExactString: CustomType]
    private let declared: Set<ExactString>
    private var names: [ExactString: Name] = [:]
    private var nameOfFold: [ExactString: String] = [:]
    private var undefined: [ExactString: Uses] = [:]

    /// - Parameter declared: the types of the folder `types`, with and without errors.
    init(types: [ExactString: CustomType], declared: Set<ExactString>) {
        self.types = types
        self.declared = declared
    }

    mutating func take(_ parameter: Parameter, _ file: String, in kind: Kind, _ findings: inout RuleFindings) {
        let place = Place(parameter: parameter, file: file, kind: kind)
        // A type is not reported as undefined if its values are listed here, or if only its exclamation mark is
        // missing.
        if !types.isEmpty, let type = parameter.type.undefinedName, parameter.allowedValues == nil,
            !declared.contains(type), ParameterType(builtIn: type.text) == nil
        {
            undefined[type, default: Uses(first: place, count: 0)].count += 1
        }
        var name = names.removeValue(forKey: ExactString(parameter.name)) ?? Name()
        if kind != .type {
            if name.first == nil { similar(place, &findings) } else { sameType(place, name, &findings) }
        }
        same(place, name, &findings)
        remember(place, &name)
        names[parameter.name] = name
    }

    /// Reports what is known only after all places were seen.
    func finish(_ findings: inout RuleFindings) {
        for (name, known) in names.sorted(by: { $0.key < $1.key }) {
            guard let protected = known.protected else { continue }
            let privacy = protected.parameter.privacy.rawValue
            for place in known.isPublic {
                let message = "`\(name)` is public here and \(privacy) at \(protected.text): its values are protected"
                let rest = "\(message) everywhere, write `privacy: \(privacy)`"
                findings.add(
                    .privacyConflict, place.file, place.parameter.line, rest, at: name.text, related: protected.text)
            }
            if let unsaid = known.unsaid {
                let places = unsaid.count == 1 ? "" : " (and at \(unsaid.count - 1) more)"
                let message = "`\(name)` is \(privacy) at \(protected.text), and therefore here\(places): write"
                let line = unsaid.first.parameter.line
                findings.add(
                    .impliedPrivacy, unsaid.first.file, line, "\(message) `privacy: \(privacy)` here as well",
                    at: name.text,
                    related: protected.text)
            }
        }
        guard !undefined.isEmpty else { return }
        let folds = types.keys.sorted().map { (ExactString($0.text.lowercased()), $0.text) }
        let typeOfFold = Dictionary(folds) { first, _ in first }
        for (name, uses) in undefined.sorted(by: { $0.key < $1.key }) {
            undefined(name.text, uses, near: typeOfFold[name.text.lowercased()], &findings)
        }
    }

    private func remember(_ place: Place, _ name: inout Name) {
        if place.kind == .event { name.firstOfEvent = name.firstOfEvent ?? place }
        if place.kind != .type {
            name.first = name.first ?? place
            if name.valued == nil, let values = place.parameter.allowedValues {
                (name.valued, name.values) = (place, Set(exact: values))
            }
        }
        if place.parameter.role != nil { name.role = name.role ?? place }
        if place.parameter.privacy != .public {
            name.protected = name.protected ?? place
        } else if place.parameter.saysPublic {
            name.isPublic.append(place)
        } else if name.unsaid != nil {
            name.unsaid?.count += 1
        } else {
            name.unsaid = Uses(first: place)
        }
    }

    private mutating func similar(_ place: Place, _ findings: inout RuleFindings) {
        let name = place.parameter.name
        guard let other = nameOfFold.updateValue(name, forKey: ExactString(name.lowercased())),
            let first = names[other]?.first
        else {
            return
        }
        let message = "`\(name)` differs from `\(other)` at \(first.text) only in case: rename one"
        findings.add(.similarName, place.file, place.parameter.line, message, at: name, related: first.text)
    }

    /// daifuku refuses different types in the lists of events. In shared lists it accepts them.
    private func sameType(_ place: Place, _ name: Name, _ findings: inout RuleFindings) {
        let others = place.kind == .shared ? [name.first] : [name.firstOfEvent, name.first]
        let parameter = place.parameter
        guard let other = others.compactMap(\.self).first(where: { $0.parameter.type.text() != parameter.type.text() })
        else { return }
        findings.add(
            .typeConflict, place.file, parameter.line,
            "`\(parameter.name)` is \(parameter.type.text()) here and \(other.parameter.type.text()) at "
                + "\(other.text): give both the same type and length, or another name",
            at: parameter.name, as: place.kind == .shared || other.kind == .shared ? .warning : .error,
            related: other.text)
    }

    private func same(_ place: Place, _ name: Name, _ findings: inout RuleFindings) {
        let (parameter, line) = (place.parameter, place.parameter.line)
        func conflict(_ rule: LintRule, _ other: Place, _ message: String) {
            findings.add(
                rule, place.file, line, "`\(parameter.name)` \(message)", at: parameter.name, related: other.text)
        }
        if let other = name.protected, parameter.privacy != .public, other.parameter.privacy != parameter.privacy {
            let (here, there) = (parameter.privacy.rawValue, other.parameter.privacy.rawValue)
            conflict(.privacyConflict, other, "is \(here) here and \(there) at \(other.text): write the same at both")
        }
        if let other = name.valued, place.kind != .type, let values = parameter.allowedValues,
            Set(exact: values) != name.values
        {
            conflict(.valuesConflict, other, "has other values at \(other.text): list the same at both, or rename one")
        }
        if let other = name.role, let role = parameter.role, other.parameter.role != role {
            let there = other.parameter.role?.rawValue ?? ""
            conflict(
                .roleConflict, other, "names the \(role.rawValue) here and the \(there) at \(other.text): rename one")
        }
    }

    /// - Parameter near: a type whose name differs only in case.
    private func undefined(_ name: String, _ uses: Uses, near: String?, _ findings: inout RuleFindings) {
        let advice = near.map { "write `\($0)`" } ?? "define it there, or write a built-in type"
        let count = uses.count == 1 ? "once" : "\(uses.count) times"
        findings.add(
            .undefinedType, uses.first.file, uses.first.parameter.line,
            "`\(name)` (used \(count)) is neither in the folder `types` nor in the settings, so nearly any value fits "
                + "it: \(advice)", at: name)
    }
}

extension ParameterType {
    /// The custom type without a meaning that it is, or that its elements have.
    var undefinedName: ExactString? {
        switch self {
        case .custom(let name, nil): name
        case .array(let element, _, _): element.undefinedName
        default: nil
        }
    }
}
