import Model
import Predicates

/// Puts a checklist together, and finds what is wrong with it, whichever form it is written in.
struct ChecklistBuilder {
    private(set) var list: Checklist
    private var names: Set<ExactString> = []
    private var comparedSteps = 0
    private var hasTooMany = false
    /// Gets each problem with its line.
    let report: (String, Int?) -> Void
    /// Steps of orders and funnels by name, which can only be looked up when all items are known.
    private var orders: [(steps: [String], within: Duration?, line: Int?)] = []
    private var funnels: [(funnel: Checklist.Funnel, steps: [String], line: Int?)] = []

    init(name: String, report: @escaping (String, Int?) -> Void) {
        list = Checklist(name: name)
        self.report = report
    }

    mutating func rename(_ name: String, line: Int?) {
        if let fault = Checklist.fault(ofName: name) { report(fault, line) }
        list.name = name
    }

    mutating func describe(_ text: String) { list.description = text }
    mutating func use(_ whenViolating: Checklist.WhenViolating) { list.whenViolating = whenViolating }

    mutating func filter(_ predicate: String, line: Int?) {
        list.predicate = checked(predicate, line)
        list.predicateLine = line
    }

    private func checked(_ predicate: String, _ line: Int?) -> String {
        do { _ = try PredicateParser.parse(predicate) } catch { report("not a predicate: \(error)", line) }
        return predicate
    }

    /// - Parameters:
    ///   - name: `nil` for its key, and its predicate if it has one.
    ///   - counts: how many events it takes, and may have.
    mutating func add(
        event: String, name: String?, predicate: String?, counts: (minimum: Int?, maximum: Int?), line: Int?
    ) {
        guard let key = EventKey(path: event) else {
            return report("\(event) is not the key of an event: write CATEGORY/NAME", line)
        }
        if name?.isEmpty == true { report("the name of an item is empty: write one, or leave it out", line) }
        let (minimum, maximum) = (counts.minimum ?? (counts.maximum == 0 ? 0 : 1), counts.maximum)
        if let maximum, maximum < minimum { report("max is less than min, which is \(minimum)", line) }
        let predicate = predicate.map { checked($0, line) }
        add(
            Checklist.Item(
                name: name ?? predicate.map { "\(key) \($0)" } ?? key.description, event: key, predicate: predicate,
                minimum: minimum, maximum: maximum), line)
    }

    private mutating func add(_ item: Checklist.Item, _ line: Int?) {
        // What a wrong list has too much of is not looked at.
        guard list.items.count < Checklist.mostItems else {
            if !hasTooMany { report("more than \(Checklist.mostItems) items", line) }
            hasTooMany = true
            return
        }
        if !names.insert(ExactString(item.name)).inserted {
            report("there are two items \(item.name): give one of them another name", line)
        }
        list.items.append(item)
        list.itemLines.append(line)
    }

    mutating func add(order steps: [String], within: Duration?, line: Int?) {
        guard orders.count <= Checklist.mostSequences else { return }
        orders.append((steps, within, line))
        if orders.count == Checklist.mostSequences + 1 { report("more than \(Checklist.mostSequences) orders", line) }
    }

    /// - Parameters:
    ///   - name: `nil` for one with its number.
    ///   - by: `nil` for the user.
    ///   - minimum: `nil` for one.
    mutating func add(
        funnel name: String?, steps: [String], by: String?, within: Duration?, minimum: Int?, line: Int?
    ) {
        guard funnels.count <= Checklist.mostSequences else { return }
        if name?.isEmpty == true { report("the name of a funnel is empty: write one, or leave it out", line) }
        let name = name ?? "funnel \(funnels.count + 1)"
        if funnels.contains(where: { $0.funnel.name == name }) {
            report("there are two funnels \(name): give one of them another name", line)
        }
        let funnel = Checklist.Funnel(name: name, steps: [], by: by ?? "user", within: within, minimum: minimum ?? 1)
        funnels.append((funnel, steps, line))
        if funnels.count == Checklist.mostSequences + 1 { report("more than \(Checklist.mostSequences) funnels", line) }
    }

    /// Returns the list, when everything is added.
    mutating func finished() -> Checklist {
        // What a wrong list has too much of is not looked at.
        for (steps, within, line) in orders.prefix(Checklist.mostSequences) {
            list.orders.append(Checklist.Order(steps: places(of: steps, line), within: within))
        }
        for (funnel, steps, line) in funnels.prefix(Checklist.mostSequences) {
            var funnel = funnel
            funnel.steps = places(of: steps, line)
            list.funnels.append(funnel)
        }
        if list.items.isEmpty { report("the list has no items", nil) }
        return list
    }

    private mutating func places(of steps: [String], _ line: Int?) -> [Int] {
        if !(2...Checklist.mostSteps).contains(steps.count) {
            report("write 2 to \(Checklist.mostSteps) steps", line)
        }
        let places = steps.prefix(Checklist.mostSteps).compactMap { place(of: $0, line) }
        if Set(exact: steps).count < steps.count || Set(places).count < places.count {
            report("a step is there twice", line)
        }
        return places
    }

    /// Returns the item of a step. An event that is no item yet becomes one.
    private mutating func place(of step: String, _ line: Int?) -> Int? {
        if let named = list.items.firstIndex(where: { $0.name == step }) { return check(named, step, line) }
        let key = EventKey(path: step)
        let places = list.items.indices.filter { list.items[$0].event == key }
        if places.count > 1 {
            report("\(step) may be one of \(places.count) items: write the name of one", line)
            return nil
        }
        if let place = places.first { return check(place, step, line) }
        // It may be one of those that were left out.
        if hasTooMany { return nil }
        guard let key else {
            let near = nearest(to: step).map { "; did you mean \($0)?" }
            report("no item has the name \(step)\(near ?? ", and it is no event (CATEGORY/NAME)")", line)
            return nil
        }
        add(Checklist.Item(name: key.description, event: key), line)
        return hasTooMany ? nil : list.items.count - 1
    }

    /// Returns the name that a step is meant to be. It is compared with all names, so this is done for a few short steps.
    private mutating func nearest(to step: String) -> String? {
        guard comparedSteps < 20, step.utf8.count <= 100 else { return nil }
        comparedSteps += 1
        return EditDistance.nearest(to: step, among: list.items.map(\.name))
    }

    private func check(_ place: Int, _ step: String, _ line: Int?) -> Int {
        if list.items[place].isForbidden { report("\(step) must not be sent, and cannot be a step", line) }
        return place
    }
}
