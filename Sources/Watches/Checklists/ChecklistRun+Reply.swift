internal import API
internal import Model
internal import Store

extension ChecklistReply {
    /// A saved run of which is known only why it cannot be read.
    init(unreadable name: String, _ reason: String) {
        let unknown = WireTime(microseconds: 0)
        self.init(
            name: name, list: name, description: nil, state: .held, reason: reason, result: .missing,
            startedAt: unknown, since: unknown, stoppedAt: nil, predicate: nil,
            violating: Checklist.WhenViolating.warn.rawValue, position: 0, behind: 0, done: 0, total: 0, items: [],
            orders: [], funnels: [])
    }
}

extension ChecklistRun {
    /// What the run has come to.
    /// - Parameters:
    ///   - newest: the newest stored event.
    ///   - isDefined: whether a dictionary defines an event.
    func reply(newest: Int64, isDefined: (EventKey) -> Bool) -> ChecklistReply {
        let items = zip(list.items, counts.items).map { item, counted in
            ChecklistReply.Item(
                name: item.name, event: item.event.description, predicate: item.predicate.map(expanded),
                min: item.minimum,
                max: item.maximum, isDefined: isDefined(item.event), result: result(of: item, counted),
                count: counted.count, violating: counted.violating, first: counted.first.map(Self.sample),
                last: counted.last.map(Self.sample))
        }
        let orders = list.orders.map(reply)
        let funnels = zip(list.funnels, counts.funnels).map(reply)
        let others = orders.map(\.result) + funnels.map(\.result)
        // What must not be sent is done from the beginning on, and would count before anything is sent.
        let counted = zip(list.items, items).filter { !$0.0.isForbidden }.map(\.1.result) + others
        return ChecklistReply(
            name: name, list: list.name, description: list.description.isEmpty ? nil : list.description,
            state: state, reason: fault, result: (items.map(\.result) + others).min() ?? .missing,
            startedAt: WireTime(microseconds: start.startedAt), since: WireTime(microseconds: start.since),
            stoppedAt: counts.stoppedAt.map { WireTime(microseconds: $0) },
            predicate: predicate, violating: list.whenViolating.rawValue, position: position,
            behind: isCounting ? max(0, newest - position) : 0, done: counted.count { $0 == .done },
            total: counted.count, items: items, orders: orders, funnels: funnels)
    }

    private static func sample(_ place: EventPlace) -> ChecklistReply.Sample {
        ChecklistReply.Sample(id: place.id, time: WireTime(microseconds: UInt64(max(0, place.time))))
    }

    private func result(of item: Checklist.Item, _ counted: Counts.Item) -> ChecklistReply.Result {
        if let maximum = item.maximum, counted.count > maximum { return .failed }
        let sent = list.whenViolating == .refuse ? counted.count - counted.violating : counted.count
        return sent >= item.minimum ? .done : .missing
    }

    private func reply(_ order: Checklist.Order) -> ChecklistReply.Order {
        var reply = ChecklistReply.Order(
            steps: order.steps.map { list.items[$0].name }, withinSeconds: order.within.map { $0 / .seconds(1) },
            result: .done, problem: nil)
        for (before, after) in zip(order.steps, order.steps.dropFirst()) {
            guard let later = first(after) else {
                reply.result = .missing
                continue
            }
            func fail(_ text: String) {
                reply.result = .failed
                reply.problem = .steps(later: list.items[after].name, text, earlier: list.items[before].name)
            }
            guard let earlier = first(before), earlier <= later else {
                fail("was sent before")
                return reply
            }
            guard earlier != later else {
                fail("is the same event as")
                return reply
            }
            if let within = order.within, Duration.microseconds(later.time - earlier.time) > within {
                fail("was sent \(Self.seconds(later.time - earlier.time)) after")
                return reply
            }
        }
        return reply
    }

    /// The first event of an item that counts as sent.
    private func first(_ item: Int) -> EventPlace? {
        list.whenViolating == .refuse ? counts.items[item].firstAccepted : counts.items[item].first
    }

    private static func seconds(_ microseconds: Int64) -> String {
        let tenths = (microseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) s"
    }

    private func reply(_ funnel: Checklist.Funnel, _ progress: FunnelProgress) -> ChecklistReply.Funnel {
        let last = progress.reached.last ?? 0
        return ChecklistReply.Funnel(
            name: funnel.name, by: funnel.by, withinSeconds: funnel.within.map { $0 / .seconds(1) },
            min: funnel.minimum, result: last >= funnel.minimum ? .done : .missing,
            steps: zip(funnel.steps, progress.reached).map { place, reached in
                ChecklistReply.Step(name: list.items[place].name, reached: reached)
            }, isCut: progress.isCut)
    }
}
