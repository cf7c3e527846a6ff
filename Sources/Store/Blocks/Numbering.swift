internal import Model

/// What repeats within a block, each once, in the order in which it comes.
struct Numbering<Object: AnyObject & Hashable> {
    private(set) var values: [Object] = []
    private var numbers: [Hashed<Object>: Int] = [:]
    /// Most events share their objects with others: those are known without a look at what they have. By their address, the
    /// later one in the place of the earlier one.
    private var shared: [(object: Object, number: Int)?] = []
    private static var slotCount: Int { 512 }
    private var last: (object: Object, number: Int)?

    @inline(__always)
    mutating func number(of value: Object) -> Int {
        if let last, last.object === value { return last.number }
        if shared.isEmpty { shared = Array(repeating: nil, count: Self.slotCount) }
        let slot = Self.slot(of: value)
        if let known = shared[slot], known.object === value {
            last = known
            return known.number
        }
        let found = (value, newNumber(of: value))
        shared[slot] = found
        last = found
        return found.1
    }

    @inline(__always)
    private static func slot(of value: Object) -> Int {
        let address = UInt64(UInt(bitPattern: ObjectIdentifier(value)))
        return Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 55)
    }

    private mutating func newNumber(of value: Object) -> Int {
        let hashed = Hashed(value)
        let number = numbers[hashed] ?? values.count
        if number == values.count {
            numbers[hashed] = number
            values.append(value)
        }
        return number
    }
}

extension Numbering: Sendable where Object: Sendable {}

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

/// Which of a number of things were found, by their places.
struct EventMarks {
    private var marks: [Bool]
    private(set) var isEmpty = true

    init(of count: Int) { marks = [Bool](repeating: false, count: count) }

    subscript(place: Int) -> Bool { marks[place] }

    mutating func mark(_ place: Int) {
        marks[place] = true
        isEmpty = false
    }

    /// Leaves of the selection what is marked.
    func select(_ selection: inout [Int]) {
        if isEmpty { selection.removeAll() } else { selection.keep { marks[$0] } }
    }
}
