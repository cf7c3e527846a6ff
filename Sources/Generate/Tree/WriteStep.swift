import Model

/// One of the steps in which generated code writes a payload around its parameters.
struct WriteStep {
    enum Action {
        /// Begins an object, which is a member.
        case open
        /// Ends the innermost object.
        case close
        /// Writes the category, or the name, as a member.
        case category, name
    }

    let action: Action
    /// The name of the member; empty for `close`.
    let member: String
    let dialect: Dialect
}

extension PayloadLayout {
    /// Returns what a payload begins with: the key, up to the place of the parameters.
    func opening(_ dialect: Dialect) -> [WriteStep] {
        var contents: [Content] = []
        if let path = category.member { contents.append(Content(path: path.steps[...], action: .category)) }
        if let path = name.member { contents.append(Content(path: path.steps[...], action: .name)) }
        if let parametersAt { contents.append(Content(path: parametersAt.steps[...], action: .open)) }
        return Self.opening(contents, dialect)
    }

    /// Returns the ends of the objects that contain the parameters.
    func closing(_ dialect: Dialect) -> [WriteStep] {
        (parametersAt?.steps ?? []).map { _ in WriteStep(action: .close, member: "", dialect: dialect) }
    }

    /// A part of the key, or the parameters (`open`).
    private struct Content {
        /// The names from the object that is being written inwards.
        var path: ArraySlice<String>
        var action: WriteStep.Action

        var isParameters: Bool { action == .open }
    }

    private static func opening(_ contents: [Content], _ dialect: Dialect) -> [WriteStep] {
        var steps: [WriteStep] = []
        var objects: [(name: String, contents: [Content])] = []
        for content in contents {
            guard let name = content.path.first else { continue }
            if content.path.count == 1, !content.isParameters {
                steps.append(WriteStep(action: content.action, member: name, dialect: dialect))
                continue
            }
            let inner = Content(path: content.path.dropFirst(), action: content.action)
            if let index = objects.firstIndex(where: { $0.name == name }) {
                objects[index].contents.append(inner)
            } else {
                objects.append((name, [inner]))
            }
        }
        // The one with the parameters comes last, because it stays open.
        for hasParameters in [false, true] {
            for object in objects where object.contents.contains(where: \.isParameters) == hasParameters {
                steps.append(WriteStep(action: .open, member: object.name, dialect: dialect))
                steps += opening(object.contents, dialect)
                if !hasParameters { steps.append(WriteStep(action: .close, member: "", dialect: dialect)) }
            }
        }
        return steps
    }
}
