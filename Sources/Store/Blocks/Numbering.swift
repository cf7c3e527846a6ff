/// What repeats within a block, each once, in the order in which it comes.
struct Numbering<Object: AnyObject & Hashable> {
    private(set) var values: [Object] = []
    private var numbers: [Hashed<Object>: Int] = [:]
    /// Most events share their objects with others: those are known without a look at what they have. Each is kept, as
    /// another one could have its address otherwise.
    private var shared: [ObjectIdentifier: (object: Object, number: Int)] = [:]
    private var last: (object: Object, number: Int)?

    @inline(__always)
    mutating func number(of value: Object) -> Int {
        if let last, last.object === value { return last.number }
        let found = shared[ObjectIdentifier(value)] ?? (value, newNumber(of: value))
        last = found
        return found.number
    }

    private mutating func newNumber(of value: Object) -> Int {
        let hashed = Hashed(value)
        let number = numbers[hashed] ?? values.count
        if number == values.count {
            numbers[hashed] = number
            values.append(value)
        }
        shared[ObjectIdentifier(value)] = (value, number)
        return number
    }
}

extension Numbering: Sendable where Object: Sendable {}
