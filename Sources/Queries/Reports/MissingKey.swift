import JSON
import Model

/// Why a payload has no key.
enum MissingKey {
    /// The largest edit distance at which a name is taken for a misspelled key.
    private static let maximumDistance = 3
    /// How many names of a payload are shown, and how many bytes of each, since payloads may have any names.
    private static let maximumNames = 8
    private static let longestName = 120

    /// Returns the reason in words, such as `no event_name: event_nmae looks like it`. It has names of members only,
    /// since values may be private.
    /// - Parameters:
    ///   - payload: a JSON object.
    ///   - layout: where the key should be.
    ///   - keyFields: the parts of the key that were in journal fields.
    /// - Returns: `nil` if nothing is missing, or the payload is not a JSON object.
    ///   `isComplete` says whether it has what is there instead of the key.
    static func reason(
        payload: [UInt8], layout: PayloadLayout, keyFields: KeyFields = .none
    ) -> (text: String, isComplete: Bool)? {
        guard let names = names(in: payload) else { return nil }
        var faults: [Fault] = []
        for part in [layout.category, layout.name] {
            switch part {
            case .member(let path):
                if let fault = fault(of: path, in: payload, names, besides: layout.members) { faults.append(fault) }
            case .journalField(let field):
                if keyFields[field] == nil { faults.append(Fault(text: "no journal field \(field)")) }
            case .fixed, .definingFile: break
            }
        }
        guard !faults.isEmpty else { return nil }
        let isExplained = faults.contains(where: \.isExplained)
        let text = faults.map(\.text).joined(separator: "; ") + (isExplained ? "" : "; " + listed(names))
        return (text, isExplained)
    }

    private struct Fault {
        var text: String
        /// Whether it says what is there instead.
        var isExplained = false
    }

    /// Returns the names of a payload's members, as they may be shown; `nil` if it is not a JSON object.
    static func shape(of payload: [UInt8]) -> [String]? {
        names(in: payload).map { names in
            Set(exact: names).sorted().prefix(maximumNames).map { $0.text.text(atMost: longestName) }
        }
    }

    private static func names(in object: [UInt8]) -> [String]? {
        (try? JSONScanner.members(of: object))?.map { JSONScanner.text(of: object, in: $0.key) }
    }

    /// Returns what is wrong with a part of the key; `nil` if nothing is.
    /// - Parameters:
    ///   - names: those of the payload's members.
    ///   - keys: members that a misspelt name cannot be.
    private static func fault(
        of path: MemberPath, in payload: [UInt8], _ names: [String], besides keys: [MemberPath]
    ) -> Fault? {
        // A member of the payload itself may have a name with dots.
        let steps = names.contains { $0.utf8.elementsEqual(path.text.utf8) } ? [path.text] : path.steps
        var object = payload
        for (index, step) in steps.enumerated() {
            let place = steps[...index].joined(separator: ".")
            guard let members = try? JSONScanner.members(of: object) else { return nil }
            let names = members.map { JSONScanner.text(of: object, in: $0.key) }
            guard let found = names.lastIndex(where: { $0.utf8.elementsEqual(step.utf8) }) else {
                let others = names.filter { name in !keys.contains { $0.text == name } }
                guard let near = nearest(others, to: step) else { return Fault(text: "no \(place)") }
                return Fault(text: "no \(place): \(near) looks like it", isExplained: true)
            }
            let kind = members[found].kind
            if index == steps.count - 1 {
                return kind.nameUnlessString.map { Fault(text: "\(place) is \($0), not a string", isExplained: true) }
            }
            guard kind == .object else {
                let name = kind.nameUnlessString ?? "a string"
                return Fault(text: "\(place) is \(name), not an object", isExplained: true)
            }
            object = Array(object[members[found].value])
        }
        return nil
    }

    private static func nearest(_ names: [String], to key: String) -> String? {
        let text = key.unicodeScalars.map(\.value)
        let limit = min(text.count / 4, maximumDistance)
        let distances = names.lazy.filter { $0.utf8.count <= (text.count + limit) * 4 }.compactMap { name in
            EditDistance.between(text, name.unicodeScalars.map(\.value), limit: limit).map { ($0, name) }
        }
        return distances.min { $0.0 < $1.0 }?.1
    }

    private static func listed(_ names: [String]) -> String {
        guard !names.isEmpty else { return "the object is empty" }
        let shown = names.prefix(maximumNames).map { $0.text(atMost: longestName) }
        let more = names.count - shown.count
        return "its members are " + shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}

extension JSONKind {
    fileprivate var nameUnlessString: String? {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: nil
        case .number: "a number"
        case .true, .false: "a boolean"
        case .null: "null"
        }
    }
}
