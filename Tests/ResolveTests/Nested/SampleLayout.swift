import Model

/// Where payloads have the key `a`, `event` and the parameters.
enum SampleLayout: CaseIterable {
    case usual, keyInObject, nameAlone, envelope, envelopeWithin

    var layout: PayloadLayout {
        switch self {
        case .usual: .usual
        case .keyInObject: PayloadLayout(category: member("context.category"), name: member("context.event"))
        case .nameAlone: PayloadLayout(category: .definingFile, name: member("event"))
        case .envelope:
            PayloadLayout(
                category: member("context.category"), name: member("event"), parametersAt: MemberPath("data"))
        case .envelopeWithin:
            PayloadLayout(
                category: .definingFile, name: member("outer.event"), parametersAt: MemberPath("outer.data"))
        }
    }

    private func member(_ path: String) -> KeyPart { .member(MemberPath(path)) }

    func payload(_ parameters: [(String, SampleValue)]) -> [(String, SampleValue)] {
        let context = ("context", SampleValue.object([("category", .text("a")), ("event", .text("event"))]))
        let event = ("event", SampleValue.text("event"))
        return switch self {
        case .usual: [("event_category", .text("a")), ("event_name", .text("event"))] + parameters
        case .keyInObject: parameters + [context]
        case .nameAlone: [event] + parameters
        case .envelope: [context, event, ("data", .object(parameters))]
        case .envelopeWithin: [("outer", .object([("data", .object(parameters)), event]))]
        }
    }
}
