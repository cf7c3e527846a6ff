/// The bytes that payloads of one shape have in common: a JSON object with holes for its values, including nested
/// ones. An array is one value. A template filled with a payload's values is that payload, byte for byte.
struct PayloadTemplate {
    /// The kind of value that fills a hole. The quotes of a string belong to the template.
    enum Kind: UInt8 {
        case string
        /// A number, `true`, `false` or `null`.
        case scalar
        case array
    }

    struct Hole {
        /// Its position in `text`.
        var place: Int
        var kind: Kind
        /// The path whose values fill it: a node of the block's paths.
        var path: Int
    }

    /// The text without the values.
    private(set) var text: [UInt8] = []
    private(set) var holes: [Hole] = []

    mutating func append(_ bytes: UnsafeRawBufferPointer) { text.append(contentsOf: bytes) }
    mutating func appendHole(_ kind: Kind, path: Int) { holes.append(Hole(place: text.count, kind: kind, path: path)) }

    mutating func removeAll() {
        text.removeAll(keepingCapacity: true)
        holes.removeAll(keepingCapacity: true)
    }

    func append(to output: inout ByteWriter) { Self.append(text[...], holes[...], to: &output) }

    /// - Parameter holes: holes whose positions are relative to the text that `text` is a slice of.
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

/// The templates that events of each kind had recently. Most events have one of these, so they are tried first, and
/// are written as a number that is nearly always 0.
struct RecentTemplates {
    /// The code of a payload that is kept whole.
    static let whole: Int64 = -1
    static let capacity = 4

    /// Templates, the most recent first; -1 fills up a shorter list.
    private typealias List = SIMD4<Int32>  // `capacity` of them

    private static let none = List(repeating: -1)
    /// The list of each kind.
    private var recent: [List] = []

    @inline(__always)
    private func list(ofKind kind: Int) -> List { kind < recent.count ? recent[kind] : Self.none }

    /// - Parameter place: 0 for the most recent template.
    /// - Returns: `nil` where the list is shorter.
    @inline(__always)
    func template(ofKind kind: Int, at place: Int) -> Int? {
        let number = list(ofKind: kind)[place]
        return number >= 0 ? Int(number) : nil
    }

    /// Returns the code of an event's template, and makes it the most recent one of the kind.
    @inline(__always)
    mutating func code(of template: Int, kind: Int) -> Int64 {
        let place = (0..<Self.capacity).first { self.template(ofKind: kind, at: $0) == template }
        note(template, at: place, kind: kind)
        return Int64(place ?? Self.capacity + template)
    }

    /// Returns the template that a code represents.
    /// - Parameter templates: the number of templates.
    /// - Returns: `nil` for a payload that is kept whole.
    @inline(__always)
    mutating func template(of code: Int64, kind: Int, templates: Int) throws(BlockDamage) -> Int? {
        if code == 0, let latest = template(ofKind: kind, at: 0) { return latest }
        guard code != Self.whole else { return nil }
        guard code >= 0 else { throw BlockDamage("a payload has no template") }
        let isRecent = code < Int64(Self.capacity)
        let number = isRecent ? template(ofKind: kind, at: Int(code)) : Int(code) - Self.capacity
        guard let number, number >= 0, number < templates else { throw BlockDamage("a payload has no template") }
        note(number, at: isRecent ? Int(code) : nil, kind: kind)
        return number
    }

    @inline(__always)
    private mutating func note(_ template: Int, at place: Int?, kind: Int) {
        if place == 0 { return }
        var list = list(ofKind: kind)
        let last = place ?? Self.capacity - 1
        if last >= 3 { list[3] = list[2] }
        if last >= 2 { list[2] = list[1] }
        list[1] = list[0]
        list[0] = Int32(template)
        let missing = kind + 1 - recent.count
        if missing > 0 { recent += repeatElement(Self.none, count: max(missing, recent.count)) }
        recent[kind] = list
    }
}
