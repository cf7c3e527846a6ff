import Model

/// Says what is wrong with a value, in the simplest way: `PATH RULE`, in no order.
struct NestedOracle {
    let sample: NestedSample
    private(set) var faults: Set<String> = []
    /// The names that some definition of the sample protects.
    private let protected: Set<String>

    /// - Parameter values: the parameters of a payload.
    init(_ sample: NestedSample, _ values: [(String, SampleValue)]) {
        self.sample = sample
        let text = sample.files.map(\.text).joined()
        protected = Set(
            [("secret", "privacy: private"), ("token", "privacy: hash")].filter { text.contains($0.1) }.map(\.0))
        let path = sample.layout.layout.parametersAt?.text ?? ""
        check(values, sample.parameters, path: path, allowsExtra: false)
    }

    private mutating func check(
        _ members: [(String, SampleValue)], _ known: [SampleMember], path: String, allowsExtra: Bool
    ) {
        func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
        for (name, value) in members {
            if let member = known.first(where: { $0.name == name }) {
                if case .null = value { continue }
                check(value, member.type, path: place(name))
            } else if !allowsExtra {
                faults.insert("\(withoutPrivateNames(place(name))) unknown-parameter")
            }
        }
        for member in known where member.isRequired {
            let value = members.first { $0.0 == member.name }?.1 ?? .null
            if case .null = value { faults.insert("\(place(member.name)) missing") }
        }
    }

    /// What stands in a private value may be private as well.
    private func withoutPrivateNames(_ path: String) -> String {
        var start = ""
        for step in path.split(separator: ".").dropLast() {
            start += "\(step)."
            if protected.contains(String(step.prefix { $0 != "[" })) { return start + "<private>" }
        }
        return path
    }

    private mutating func check(_ value: SampleValue, _ type: SampleType, path: String) {
        switch (type, value) {
        case (.text(let most), .text(let text)): if text.utf8.count > most { faults.insert("\(path) length") }
        case (.integer, .integer(let number)): if number > 32_767 { faults.insert("\(path) range") }
        case (.flag, .flag), (.anything, _): break
        case (.date, .text(let text)):
            if text == "2026-02-30" {
                faults.insert("\(path) range")
            } else if !text.hasPrefix("2026") {
                faults.insert("\(path) type")
            }
        case (.notObject, .object), (.choice, .object): faults.insert("\(path) type")
        case (.notObject, _): break
        case (.choice(let values), .text(let text)): if !values.contains(text) { faults.insert("\(path) value") }
        case (.choice(let values), _): if !values.contains(value.json) { faults.insert("\(path) value") }
        case (.object(let index), .object(let members)):
            let object = sample.objects[index]
            check(members, object.members, path: path, allowsExtra: object.allowsExtra)
        case (.other(let index), _): check(value, sample.others[index], path: path)
        case (.list(let element, let nulls, let most), .list(let elements)):
            for (index, value) in elements.enumerated() {
                if case .null = value {
                    if !nulls { faults.insert("\(path)[\(index)] type") }
                } else {
                    check(value, element, path: "\(path)[\(index)]")
                }
            }
            if elements.count > most { faults.insert("\(path) length") }
        default: faults.insert("\(path) type")
        }
    }
}
