internal import Model

/// Numbers the distinct objects of a block in the order in which they first occur.
struct Numbering<Object: AnyObject & Hashable> {
    private(set) var values: [Object] = []
    private var numbers: [Hashed<Object>: Int] = [:]
    /// A cache by address: most events share their objects with others, and these are recognized without comparing
    /// their contents. A later object replaces an earlier one in the same slot.
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

/// Numbers the distinct kinds of a block in the order in which they first occur.
struct KindNumbering: Sendable {
    private(set) var values: [ResolvedKind] = []
    var count: Int { values.count }
    private var kinds = Numbering<EventKind>()
    /// The numbers of each kind, by resolution; -1 where there is none yet.
    private var numbers: [Int] = []
    /// Kept, because the list of another module's cases is made again for each event.
    private static let resolutions = Resolution.allCases.count

    @inline(__always)
    mutating func number(of kind: ResolvedKind) -> Int {
        let row = kinds.number(of: kind.kind) * Self.resolutions
        while numbers.count < row + Self.resolutions { numbers.append(-1) }
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

/// A set of positions.
struct EventMarks {
    private var marks: [Bool]
    private(set) var isEmpty = true

    init(of count: Int) { marks = [Bool](repeating: false, count: count) }

    subscript(place: Int) -> Bool { marks[place] }

    mutating func mark(_ place: Int) {
        marks[place] = true
        isEmpty = false
    }

    /// Marks the positions that are marked in others of the same count.
    mutating func mark(_ others: EventMarks) {
        if isEmpty { return self = others }
        for place in marks.indices where others.marks[place] { marks[place] = true }
    }

    /// Removes the positions that are not marked from the selection.
    func select(_ selection: inout [Int]) {
        if isEmpty {
            selection.removeAll()
        } else if selection.count == marks.count {
            // All events: few are marked, mostly.
            selection = places
        } else {
            selection.keep { marks[$0] }
        }
    }

    /// The positions, ascending.
    private var places: [Int] {
        marks.withUnsafeBytes { marks in
            var (places, place) = ([Int](), 0)
            while place < marks.count {
                if place + 8 <= marks.count, marks.loadUnaligned(fromByteOffset: place, as: UInt64.self) == 0 {
                    place += 8
                } else {
                    if marks[place] != 0 { places.append(place) }
                    place += 1
                }
            }
            return places
        }
    }
}
