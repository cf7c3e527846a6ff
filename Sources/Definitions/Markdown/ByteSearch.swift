extension Collection<UInt8> where Index == Int {
    /// Every place from which on it has the bytes of `wanted`, in order; none when `wanted` is empty.
    func places(of wanted: [UInt8]) -> some Sequence<Int> {
        (startIndex...Swift.max(startIndex, endIndex - wanted.count)).lazy.filter { start in
            guard let first = wanted.first, start + wanted.count <= endIndex, self[start] == first else { return false }
            return self[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
