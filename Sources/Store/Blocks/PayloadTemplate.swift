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

    func append(to output: inout ByteWriter) { Self.append(text[...], holes[...], to: &output) }

    /// - Parameter holes: whose places are within that part of a text.
    static func append(_ text: ArraySlice<UInt8>, _ holes: ArraySlice<Hole>, to output: inout ByteWriter) {
        output.append(number: holes.count)
        var place = text.startIndex
        for hole in holes {
            output.append(number: hole.place - place)
            output.append(number: hole.path << 2 | Int(hole.kind.rawValue))
            place = hole.place
        }
        output.append(number: text.endIndex - place)
        output.append(text)
    }
}
