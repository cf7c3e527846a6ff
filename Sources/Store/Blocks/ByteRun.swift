/// So many bytes in a row, or more, of which each is one of some.
struct ByteRun {
    let count: Int
    /// Whether a byte is one of them, by its number.
    private let members: [Bool]

    /// - Parameter bytes: not empty.
    init(of bytes: Set<UInt8>, count: Int) {
        self.count = count
        members = (0..<256).map { bytes.contains(UInt8($0)) }
    }

    @inline(__always)
    func has(_ byte: UInt8) -> Bool { members[Int(byte)] }

    /// Whether an integer in decimal digits may have one.
    var mayBeInIntegers: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains { has($0) } }

    /// Whether a text has one.
    func isIn(_ text: UnsafeRawBufferPointer) -> Bool {
        members.withUnsafeBufferPointer { members in
            // Each one has a byte at one of these places.
            var place = count - 1
            while place < text.count {
                guard members[Int(text[place])] else {
                    place += count
                    continue
                }
                var (start, end) = (place, place + 1)
                while start > 0, end - start < count, members[Int(text[start - 1])] { start -= 1 }
                while end < text.count, end - start < count, members[Int(text[end])] { end += 1 }
                if end - start >= count { return true }
                place = end + count
            }
            return false
        }
    }
}

/// Finds the payloads that may have a run, without assembling the others: neither their template nor one of their values has
/// it, and none can cross the border of a value, because the bytes beside it are no part of one.
struct RunSearch {
    let run: ByteRun

    /// Removes the events whose payloads have no such run from the selection.
    func select(_ block: BlockContent, _ selection: inout [Int]) throws {
        let shapes = try block.shapes()
        var perhaps = EventMarks(of: block.count)
        let templates = (0..<shapes.templates.count).map { mayBe(inTemplate: $0, of: shapes.templates) }
        if templates.contains(true) { shapes.forEachTemplate { if templates[$1] { perhaps.mark($0) } } }
        for path in shapes.paths.all where shapes.events(ofPath: path) > 0 {
            if try block.values(ofPath: path).integers != nil, !run.mayBeInIntegers { continue }
            let column = try block.values(ofPath: path, reads: nil)
            var having = EventMarks(of: column.distinctCount)
            for number in 0..<column.distinctCount where column.withDistinct(number, run.isIn) { having.mark(number) }
            guard !having.isEmpty else { continue }
            shapes.forEachValue(ofPath: path) { event, _, place in
                if having[column.distinctNumber(place)] { perhaps.mark(event) }
            }
        }
        selection.keep { perhaps[$0] || shapes.template(of: $0) == nil }
    }

    /// Whether payloads of a template may have a run that is not within a value.
    private func mayBe(inTemplate number: Int, of templates: PayloadTemplates) -> Bool {
        templates.text.withUnsafeBytes { text in
            let range = templates.text(of: number)
            var start = range.lowerBound
            for hole in templates.holes[templates.holes(of: number)] {
                let before = text[start..<hole.place]
                if let last = before.last, run.has(last) { return true }
                if hole.place < range.upperBound, run.has(text[hole.place]) { return true }
                if run.isIn(UnsafeRawBufferPointer(rebasing: before)) { return true }
                start = hole.place
            }
            return run.isIn(UnsafeRawBufferPointer(rebasing: text[start..<range.upperBound]))
        }
    }
}
