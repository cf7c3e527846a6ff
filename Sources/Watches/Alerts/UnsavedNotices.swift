internal import FoundationEssentials
internal import Model
internal import Store

/// A notice that is not saved yet.
struct UnsavedNotice {
    var notice: AlertNotice
    /// Where it is sent; none if it is silenced.
    var notifiers: [String]
    var isSilenced: Bool

    func stored(_ encoder: JSONEncoder) -> NewNotice {
        NewNotice(alert: notice.alert, notice: notice.stored(encoder), notifiers: notifiers, isSilenced: isSilenced)
    }
}

/// The newest notices that are not saved yet, in the order in which they came. They become text only when they are saved: there may
/// be many more than are kept.
struct UnsavedNotices {
    private var items: [(number: Int, item: UnsavedNotice)] = []
    /// How many there have been.
    private(set) var count = 0

    var isEmpty: Bool { items.isEmpty }

    /// As many as a store keeps that is large enough.
    static let mostKept = AlertNotice.mostKept

    /// Adds notices, and gives up the oldest beyond those that are kept.
    /// - Returns: how many were given up that would have been sent.
    mutating func add(_ new: [UnsavedNotice]) -> Int {
        for item in new {
            count += 1
            items.append((count, item))
        }
        let excess = items.prefix(max(0, items.count - Self.mostKept))
        defer { items.removeFirst(excess.count) }
        return excess.count { !$0.item.notifiers.isEmpty }
    }

    /// The alerts that there are some of.
    var alerts: Set<ExactString> { Set(items.map { ExactString($0.item.notice.alert) }) }

    func of(_ alert: ExactString) -> [UnsavedNotice] {
        items.map(\.item).filter { ExactString($0.notice.alert) == alert }
    }

    /// Removes those of an alert that were saved: the first `count` that there have been. Others may have come meanwhile.
    mutating func remove(first count: Int, of alert: ExactString) {
        items.removeAll { $0.number <= count && ExactString($0.item.notice.alert) == alert }
    }

    /// Those of some alerts that do not say yet what their latest event has, and their numbers.
    func unread(of alerts: Set<ExactString>) -> [(number: Int, notice: AlertNotice)] {
        items.filter { $0.item.notice.mayShow && alerts.contains(ExactString($0.item.notice.alert)) }.map {
            ($0.number, $0.item.notice)
        }
    }

    mutating func replace(_ number: Int, _ notice: AlertNotice) {
        let place = items.endOfThose { $0.number < number }
        if place < items.count, items[place].number == number { items[place].item.notice = notice }
    }

    mutating func mapNotices(_ body: (AlertNotice) -> AlertNotice) {
        for place in items.indices { items[place].item.notice = body(items[place].item.notice) }
    }
}
