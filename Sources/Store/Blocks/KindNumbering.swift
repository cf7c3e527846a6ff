internal import Model

/// The kinds of a block, each once, in the order in which they come.
struct KindNumbering: Sendable {
    private(set) var values: [ResolvedKind] = []
    var count: Int { values.count }
    private var kinds = Numbering<EventKind>()
    /// Of each kind, the numbers by its resolution; -1 where there is none yet.
    private var numbers: [Int] = []

    @inline(__always)
    mutating func number(of kind: ResolvedKind) -> Int {
        let row = kinds.number(of: kind.kind) * Resolution.allCases.count
        while numbers.count < row + Resolution.allCases.count { numbers.append(-1) }
        let place = row + kind.resolution.number
        if numbers[place] < 0 {
            numbers[place] = values.count
            values.append(kind)
        }
        return numbers[place]
    }
}

extension Resolution {
    fileprivate var number: Int {
        switch self {
        case .resolved: 0
        case .violating: 1
        case .undefined: 2
        case .unkeyed: 3
        case .plain: 4
        case .malformed: 5
        }
    }
}
