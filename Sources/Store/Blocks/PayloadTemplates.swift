/// The templates of a block, by number. They share one buffer, so that reading one copies nothing and counts no
/// references.
struct PayloadTemplates {
    private(set) var text: [UInt8] = []
    /// The holes of all templates. Their positions are in `text`.
    private(set) var holes: [PayloadTemplate.Hole] = []
    private var ends: [(text: Int, holes: Int)] = [(0, 0)]

    init() {}

    var count: Int { ends.count - 1 }

    mutating func append(_ template: PayloadTemplate) {
        let start = text.count
        text += template.text
        for var hole in template.holes {
            hole.place += start
            holes.append(hole)
        }
        ends.append((text.count, holes.count))
    }

    @inline(__always)
    func holes(of number: Int) -> Range<Int> { ends[number].holes..<ends[number + 1].holes }

    /// Returns the range of a template's text.
    @inline(__always)
    func text(of number: Int) -> Range<Int> { ends[number].text..<ends[number + 1].text }

    /// Returns, for each template, the index in `holes` of the hole that the values of a path fill.
    func holes(ofPath path: Int) -> [Int?] {
        (0..<count).map { number in holes(of: number).first { holes[$0].path == path } }
    }

    /// Returns, for each template, whether values of more than one of some paths fill its holes.
    func haveSeveral(of paths: [Int]) -> [Bool] {
        (0..<count).map { number in holes[holes(of: number)].count { paths.contains($0.path) } > 1 }
    }

    /// Returns the templates that contain some bytes between two holes.
    func numbers(having literal: Literal) -> EventMarks {
        var marks = EventMarks(of: count)
        text.withUnsafeBytes { text in
            var (start, number) = (0, 0)
            while let place = literal.firstPlace(in: text, from: start) {
                while ends[number + 1].text <= place { number += 1 }
                let end = place + literal.count
                let isFilled = holes[holes(of: number)].contains { $0.place > place && $0.place < end }
                if end <= ends[number + 1].text, !isFilled { marks.mark(number) }
                start = place + 1
            }
        }
        return marks
    }

    // MARK: filling

    /// Returns whether a payload has this template.
    /// - Parameter values: is replaced with the ranges of the payload's values, if it has the template.
    @inline(__always)
    func matches(_ number: Int, _ payload: UnsafeRawBufferPointer, _ values: inout [Range<Int>]) -> Bool {
        values.removeAll(keepingCapacity: true)
        let scan = PayloadScan(payload)
        let range = self.text(of: number)
        return text.withUnsafeBytes { text in
            var (at, place) = (0, range.lowerBound)
            for index in holes(of: number) {
                let hole = holes[index]
                let length = hole.place - place
                guard payload.count - at > length, Self.isSame(text, place, payload, at, length) else { return false }
                at += length
                place = hole.place
                guard let end = Self.end(of: hole.kind, scan, at) else { return false }
                values.append(at..<end)
                at = end
            }
            let length = range.upperBound - place
            return payload.count - at == length && Self.isSame(text, place, payload, at, length)
        }
    }

    @inline(__always)
    private static func end(of kind: PayloadTemplate.Kind, _ scan: PayloadScan, _ at: Int) -> Int? {
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

    func append(to output: inout ByteWriter) {
        for number in 0..<count {
            PayloadTemplate.append(text[text(of: number)], holes[holes(of: number)], to: &output)
        }
    }

    /// - Parameters:
    ///   - count: the number of templates.
    ///   - paths: the number of paths.
    init(_ input: inout ByteReader, count: Int, paths: Int) throws(BlockDamage) {
        var seen = [Int](repeating: 0, count: paths)
        for _ in 0..<count {
            var place = text.count
            for _ in 0..<(try input.count(atMost: min(input.left, PayloadSplitter.valuesOfPayload))) {
                place += try input.count(atMost: input.left)
                let code = try input.count(atMost: paths << 2 | 3)
                let path = code >> 2
                guard let kind = PayloadTemplate.Kind(rawValue: UInt8(code & 3)), path < paths,
                    path != PayloadPaths.root, seen[path] < ends.count
                else { throw BlockDamage("a template has a hole without a path, or with one that another hole has") }
                seen[path] = ends.count
                holes.append(PayloadTemplate.Hole(place: place, kind: kind, path: path))
            }
            let end = place + (try input.count(atMost: input.left))
            text += try input.take(end - text.count)
            ends.append((text.count, holes.count))
        }
    }
}
