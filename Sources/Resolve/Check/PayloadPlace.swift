import Model

/// What a check of one payload can use again for the next.
struct CheckMemory: Sendable {
    var place = PayloadPlace()
    var members: [PayloadMembers] = []
}

/// The place of a value in a payload. It becomes a text only when there is a finding.
struct PayloadPlace: Sendable {
    private enum Step: Sendable {
        case member(String)
        case element(Int)
    }

    private var steps: [Step] = []

    private static let maximumBytes = 256

    /// Whether it is the payload itself.
    var isPayload: Bool { steps.isEmpty }

    mutating func enter(_ name: String) { steps.append(.member(name)) }
    mutating func enterElements() { steps.append(.element(0)) }
    /// Goes to an element, after `enterElements`.
    mutating func go(to element: Int) { steps[steps.count - 1] = .element(element) }
    mutating func leave() { steps.removeLast() }

    /// Such as `items[3].price`; of limited length.
    var path: String {
        if steps.count == 1, case .member(let name) = steps[0] { return name }
        var path = ""
        for step in steps {
            switch step {
            case .member(let name): path += path.isEmpty ? name : ".\(name)"
            case .element(let index): path += "[\(index)]"
            }
        }
        return path.text(atMost: Self.maximumBytes)
    }

    func path(to name: String) -> String {
        guard !isPayload else { return name }
        var member = self
        member.enter(name)
        return member.path
    }
}
