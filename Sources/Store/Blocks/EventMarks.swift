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
