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

    /// `capacity` templates for each kind, the most recent first; -1 fills up a shorter list.
    private var recent: [Int32] = []

    /// - Parameter place: 0 for the most recent template.
    /// - Returns: `nil` where the list is shorter.
    @inline(__always)
    func template(ofKind kind: Int, at place: Int) -> Int? {
        let index = kind * Self.capacity + place
        return index < recent.count && recent[index] >= 0 ? Int(recent[index]) : nil
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
        let latest = kind * Self.capacity
        if code == 0, latest < recent.count, recent[latest] >= 0 { return Int(recent[latest]) }
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
        let missing = (kind + 1) * Self.capacity - recent.count
        if missing > 0 { recent += repeatElement(-1, count: max(missing, recent.count)) }
        var index = kind * Self.capacity + (place ?? Self.capacity - 1)
        while index > kind * Self.capacity {
            recent[index] = recent[index - 1]
            index -= 1
        }
        recent[index] = Int32(template)
    }
}
