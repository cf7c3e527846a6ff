/// Finds the payloads that contain some bytes, without assembling those that cannot contain them. The bytes are
/// within the text of a template, within a value, or cross the border between the two.
struct LiteralSearch {
    let literal: Literal

    /// Removes the events whose payloads do not contain the literal from the selection.
    func select(_ block: BlockContent, _ selection: inout [Int]) throws {
        guard !literal.isEmpty else { return }
        let shapes = try block.shapes()
        let crossings = Crossings(of: literal, shapes.templates)
        var found = EventMarks(of: block.count)
        // The events whose payloads may contain the literal across the border of a value.
        var perhaps = EventMarks(of: block.count)
        markByTemplate(shapes, &found)
        for path in shapes.paths.all where shapes.events(ofPath: path) > 0 {
            try look(at: path, of: block, shapes, crossings, &found, &perhaps)
        }
        if shapes.wholeCount > 0 { try lookAtWhole(block, shapes, &found) }
        if !perhaps.isEmpty {
            try block.forEachPayload(of: selection.filter { perhaps[$0] && !found[$0] }) { event, payload in
                if payload.has(literal) { found.mark(event) }
            }
        }
        found.select(&selection)
    }

    private func markByTemplate(_ shapes: PayloadShapes, _ found: inout EventMarks) {
        let having = shapes.templates.numbers(having: literal)
        guard !having.isEmpty else { return }
        shapes.forEachTemplate { if having[$1] { found.mark($0) } }
    }

    private func look(
        at path: Int, of block: BlockContent, _ shapes: PayloadShapes, _ crossings: Crossings,
        _ found: inout EventMarks, _ perhaps: inout EventMarks
    ) throws {
        let column = try block.values(ofPath: path, reads: nil)
        var having = EventMarks(of: column.distinctCount)
        for number in column.distinctNumbers(having: literal) { having.mark(number) }
        guard !having.isEmpty || crossings.paths.contains(path) else { return }
        shapes.forEachValue(ofPath: path) { event, hole, place in
            let value = column.distinctNumber(place)
            if having[value] {
                found.mark(event)
            } else if !found[event], let crossings = crossings.ofHole[hole] {
                let isPossible = column.withDistinct(value) { text in
                    crossings.contains { $0.isPossible(text, literal) }
                }
                if isPossible { perhaps.mark(event) }
            }
        }
    }

    private func lookAtWhole(_ block: BlockContent, _ shapes: PayloadShapes, _ found: inout EventMarks) throws {
        let whole = try block.whole()
        let having = Set(whole.distinctNumbers(having: literal))
        guard !having.isEmpty else { return }
        var place = 0
        for event in 0..<block.count where shapes.template(of: event) == nil {
            if having.contains(whole.distinctNumber(place)) { found.mark(event) }
            place += 1
        }
    }

    /// The ways in which a literal may cross the borders of values.
    private struct Crossings {
        /// The crossings of each hole of the templates. Most holes have none.
        private(set) var ofHole: [Int: [Crossing]] = [:]
        /// The paths whose values fill those holes.
        private(set) var paths: Set<Int> = []

        init(of literal: Literal, _ templates: PayloadTemplates) {
            // The byte beside a hole is nearly always a quote, a colon or a comma, and few literals have one.
            var isInLiteral = [Bool](repeating: false, count: 256)
            for byte in literal.bytes { isInLiteral[Int(byte)] = true }
            if literal.ignoresCase {
                for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") {
                    isInLiteral[Int(byte)] = isInLiteral[Int(Literal.lowercased(byte))]
                }
            }
            templates.text.withUnsafeBytes { text in
                for number in 0..<templates.count {
                    let (range, holes) = (templates.text(of: number), templates.holes(of: number))
                    var start = range.lowerBound
                    for index in holes {
                        let place = templates.holes[index].place
                        let next = index + 1 < holes.upperBound ? templates.holes[index + 1].place : range.upperBound
                        if next == place || isInLiteral[Int(text[place])]
                            || place > start && isInLiteral[Int(text[place - 1])]
                        {
                            let crossings = Crossing.all(
                                of: literal, UnsafeRawBufferPointer(rebasing: text[start..<place]),
                                UnsafeRawBufferPointer(rebasing: text[place..<next]))
                            if !crossings.isEmpty {
                                ofHole[index] = crossings
                                paths.insert(templates.holes[index].path)
                            }
                        }
                        start = place
                    }
                }
            }
        }
    }

    /// A way in which the literal may cross a border of a value.
    private enum Crossing {
        /// This many bytes of the literal are before the value.
        case into(Int)
        /// The literal begins within the value, and this many of its bytes are there.
        case outOf(Int)

        /// - Parameters:
        ///   - before: the bytes before the value, up to the previous value.
        ///   - behind: the bytes after the value, up to the next value.
        static func all(
            of literal: Literal, _ before: UnsafeRawBufferPointer, _ behind: UnsafeRawBufferPointer
        ) -> [Crossing] {
            (1..<max(literal.count, 1)).flatMap { count in
                var crossings: [Crossing] = []
                if count <= before.count, literal.has(before.suffix(count), at: 0..<count) {
                    crossings.append(.into(count))
                }
                let rest = min(literal.count - count, behind.count)
                if literal.has(behind.prefix(rest), at: count..<count + rest) { crossings.append(.outOf(count)) }
                return crossings
            }
        }

        func isPossible(_ value: UnsafeRawBufferPointer, _ literal: Literal) -> Bool {
            switch self {
            case .into(let count):
                let rest = min(literal.count - count, value.count)
                return literal.has(value.prefix(rest), at: count..<count + rest)
            case .outOf(let count):
                return count <= value.count && literal.has(value.suffix(count), at: 0..<count)
            }
        }
    }
}
