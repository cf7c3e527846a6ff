import Model
import Yams

extension ChecklistBuilder {
    private static let keys = ["checklist", "description", "predicate", "violating", "items", "orders", "funnels"]

    /// - Throws: `SettingsError` for a text that is not YAML.
    mutating func read(yaml: String, _ problems: SettingsProblems) throws(SettingsError) {
        let root = try Settings.compose(yaml, file: problems.file)
        guard let top = SettingsMapping(root, path: "the list", keys: Self.keys, problems: problems) else { return }
        if let name = top.string("checklist") { rename(name, line: line(top, "checklist")) }
        describe(top.string("description") ?? "")
        if let predicate = top.string("predicate") { filter(predicate, line: line(top, "predicate")) }
        if let choice = top.choice("violating", of: Checklist.WhenViolating.self) { use(choice) }
        for (index, node) in top.list("items").enumerated() { readItem(node, index, problems) }
        for (index, node) in top.list("orders").enumerated() { readOrder(node, index, problems) }
        for (index, node) in top.list("funnels").enumerated() { readFunnel(node, index, problems) }
    }

    private func line(_ block: SettingsMapping, _ key: String) -> Int? {
        (block.value(key) ?? block.node).mark?.line
    }

    private static let most = 1_000_000

    private mutating func readItem(_ node: Node, _ index: Int, _ problems: SettingsProblems) {
        let line = node.mark?.line
        if let event = node.string {
            return add(event: event, name: nil, predicate: nil, counts: (nil, nil), line: line)
        }
        guard
            let block = SettingsMapping(
                node, path: "items[\(index)]", keys: ["event", "name", "predicate", "min", "max", "never"],
                problems: problems),
            let event = block.required("event", "the key of the event, CATEGORY/NAME")
        else { return }
        var maximum = block.count("max", in: 0...Self.most)
        if block.bool("never") == true {
            if block.value("min") != nil || block.value("max") != nil {
                block.wrong("never", "left out where min or max is set")
            }
            maximum = 0
        }
        add(
            event: event, name: block.string("name"), predicate: block.string("predicate"),
            counts: (block.count("min", in: 0...Self.most), maximum), line: line)
    }

    private mutating func readOrder(_ node: Node, _ index: Int, _ problems: SettingsProblems) {
        if let steps = node.sequence {
            return add(order: texts(Array(steps), problems), within: nil, line: node.mark?.line)
        }
        guard
            let block = SettingsMapping(node, path: "orders[\(index)]", keys: ["steps", "within"], problems: problems)
        else { return }
        add(
            order: texts(block.list("steps"), problems), within: block.duration("within", in: Self.limits),
            line: node.mark?.line)
    }

    private mutating func readFunnel(_ node: Node, _ index: Int, _ problems: SettingsProblems) {
        guard
            let block = SettingsMapping(
                node, path: "funnels[\(index)]", keys: ["name", "steps", "by", "within", "min"], problems: problems)
        else { return }
        add(
            funnel: block.string("name"), steps: texts(block.list("steps"), problems), by: block.string("by"),
            within: block.duration("within", in: Self.limits), minimum: block.count("min", in: 0...Self.most),
            line: node.mark?.line)
    }

    /// The limits of times between two steps.
    static let limits: ClosedRange<Duration> = .milliseconds(1) ... .seconds(86_400 * 365)

    private func texts(_ nodes: [Node], _ problems: SettingsProblems) -> [String] {
        nodes.map { node in
            if node.text == nil {
                let rule = node.string == nil ? "" : ": \(SettingsMapping.textRule)"
                problems.add("a step has to be an event, or the name of an item\(rule)", at: node)
            }
            return node.string ?? ""
        }
    }
}
