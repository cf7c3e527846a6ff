/// The templates that events of a kind had last. Most events have one of them: they are tried first, and written as a
/// number that is nearly always 0.
struct RecentTemplates {
    /// For a payload that is kept whole.
    static let whole: Int64 = -1
    private static let capacity = 4

    private var recent: [[Int]] = []

    /// The latest first.
    func templates(ofKind kind: Int) -> [Int] { kind < recent.count ? recent[kind] : [] }

    /// What is written for an event, which is the latest of its kind then.
    mutating func code(of template: Int, kind: Int) -> Int64 {
        makeRoom(for: kind)
        let place = recent[kind].firstIndex(of: template)
        note(template, at: place, kind: kind)
        return Int64(place ?? Self.capacity + template)
    }

    /// - Parameter templates: how many there are.
    /// - Returns: `nil` for a payload that is kept whole.
    mutating func template(of code: Int64, kind: Int, templates: Int) throws(BlockDamage) -> Int? {
        guard code != Self.whole else { return nil }
        makeRoom(for: kind)
        let isRecent = code >= 0 && code < recent[kind].count
        guard isRecent || code >= Self.capacity && code - Int64(Self.capacity) < templates else {
            throw BlockDamage("a payload has no template")
        }
        let template = isRecent ? recent[kind][Int(code)] : Int(code) - Self.capacity
        note(template, at: isRecent ? Int(code) : recent[kind].firstIndex(of: template), kind: kind)
        return template
    }

    private mutating func makeRoom(for kind: Int) {
        while recent.count <= kind { recent.append([]) }
    }

    private mutating func note(_ template: Int, at place: Int?, kind: Int) {
        if place == 0 { return }
        if let place {
            recent[kind].remove(at: place)
        } else if recent[kind].count == Self.capacity {
            recent[kind].removeLast()
        }
        recent[kind].insert(template, at: 0)
    }
}
