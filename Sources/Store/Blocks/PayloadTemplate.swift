/// The bytes that payloads of one shape have in common: a JSON object with holes for its values, wherever they are nested.
/// An array is one value. Filled with a payload's values it is that payload, byte for byte.
struct PayloadTemplate {
    /// What a hole is for. The bytes of a string go between the quotes, which belong to the template.
    enum Kind: UInt8 {
        case string
        /// A number, `true`, `false` or `null`.
        case scalar
        case array
    }

    struct Hole {
        /// Where it is in `text`.
        var place: Int
        var kind: Kind
        /// Whose values fill it: a node of the block's paths.
        var path: Int
    }

    /// Without the values.
    private(set) var text: [UInt8] = []
    private(set) var holes: [Hole] = []

    mutating func append(_ bytes: UnsafeRawBufferPointer) { text.append(contentsOf: bytes) }
    mutating func appendHole(_ kind: Kind, path: Int) { holes.append(Hole(place: text.count, kind: kind, path: path)) }

    mutating func removeAll() {
        text.removeAll(keepingCapacity: true)
        holes.removeAll(keepingCapacity: true)
    }

    // MARK: filling

    /// - Parameter values: gets where the values are that make the payload of this template.
    /// - Returns: whether it is of this template.
    @inline(__always)
    func matches(_ payload: UnsafeRawBufferPointer, _ values: inout [Range<Int>]) -> Bool {
        values.removeAll(keepingCapacity: true)
        let scan = PayloadScan(payload)
        return text.withUnsafeBytes { text in
            var (at, place) = (0, 0)
            for hole in holes {
                let length = hole.place - place
                guard payload.count - at > length, Self.isSame(text, place, payload, at, length) else { return false }
                at += length
                place = hole.place
                guard let end = end(of: hole.kind, scan, at) else { return false }
                values.append(at..<end)
                at = end
            }
            let length = text.count - place
            return payload.count - at == length && Self.isSame(text, place, payload, at, length)
        }
    }

    @inline(__always)
    private func end(of kind: Kind, _ scan: PayloadScan, _ at: Int) -> Int? {
        switch kind {
        case .string: return scan.endOfString(from: at)
        case .scalar:
            switch scan.bytes[at] {
            case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["): return nil
            default: return scan.endOfScalar(from: at)
            }
        case .array: return scan.bytes[at] == UInt8(ascii: "[") ? scan.endOfContainer(from: at) : nil
        }
    }

    @inline(__always)
    private static func isSame(
        _ one: UnsafeRawBufferPointer, _ place: Int, _ other: UnsafeRawBufferPointer, _ otherPlace: Int, _ count: Int
    ) -> Bool {
        UnsafeRawBufferPointer(rebasing: one[place..<place + count])
            .hasSameBytes(as: UnsafeRawBufferPointer(rebasing: other[otherPlace..<otherPlace + count]))
    }

    // MARK: in blocks

    func append(to output: inout BlockWriter) {
        output.append(number: holes.count)
        var place = 0
        for hole in holes {
            output.append(number: hole.place - place)
            output.append(number: hole.path << 2 | Int(hole.kind.rawValue))
            place = hole.place
        }
        output.append(number: text.count - place)
        output.append(text)
    }

    init() {}

    /// - Parameter paths: how many there are.
    init(_ input: inout BlockReader, paths: Int) throws(BlockDamage) {
        let count = try input.count(atMost: input.left)
        holes.reserveCapacity(count)
        var place = 0
        for _ in 0..<count {
            place += try input.count(atMost: input.left)
            let code = try input.count(atMost: paths << 2 | 3)
            guard let kind = Kind(rawValue: UInt8(code & 3)), code >> 2 < paths else {
                throw BlockDamage("a template has a value of no path")
            }
            holes.append(Hole(place: place, kind: kind, path: code >> 2))
        }
        let end = place + (try input.count(atMost: input.left))
        text = Array(try input.take(end))
    }
}
