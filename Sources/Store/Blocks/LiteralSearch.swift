internal import CLinux

/// Finds the payloads that have some bytes, without putting together those that cannot have them: they are within what payloads
/// of a template have in common, within a value, or cross from one into the other.
struct LiteralSearch {
    let literal: [UInt8]

    /// Leaves of the selection what has the literal.
    func select(_ block: BlockContent, _ selection: inout [Int]) throws {
        guard !literal.isEmpty else { return }
        let shapes = try block.shapes()
        let templates = (0..<shapes.templates.count).map { Template($0, shapes.templates, literal) }
        var findings = shapes.templateOfEvent.map {
            $0.map { templates[$0].hasLiteral } ?? false ? Finding.found : .none
        }
        for path in 1..<max(shapes.paths.count, 1) where shapes.events(ofPath: path) > 0 {
            try look(at: path, of: block, shapes, templates, &findings)
        }
        if shapes.wholeCount > 0 { try lookAtWhole(block, shapes, &findings) }
        let perhaps = selection.filter { findings[$0] == .perhaps }
        try block.forEachPayload(of: perhaps) { event, payload in
            if payload.has(literal) { findings[event] = .found }
        }
        selection.removeAll { findings[$0] != .found }
    }

    private enum Finding {
        case none
        /// It may cross a value's border.
        case perhaps
        case found
    }

    private func look(
        at path: Int, of block: BlockContent, _ shapes: PayloadShapes, _ templates: [Template],
        _ findings: inout [Finding]
    ) throws {
        let column = try block.values(ofPath: path)
        let having = column.distinctNumbers(having: literal)
        guard !having.isEmpty || templates.contains(where: { $0.crossings[path] != nil }) else { return }
        var hasLiteral = [Bool](repeating: false, count: column.distinctCount)
        for number in having { hasLiteral[number] = true }
        var place = 0
        for (event, number) in shapes.templateOfEvent.enumerated() {
            guard let number, templates[number].paths.contains(path) else { continue }
            defer { place += 1 }
            if hasLiteral[column.distinctNumber(place)] {
                findings[event] = .found
            } else if findings[event] == .none, let crossings = templates[number].crossings[path],
                column.withDistinct(
                    column.distinctNumber(place),
                    { value in
                        crossings.contains { $0.isPossible(value, literal) }
                    })
            {
                findings[event] = .perhaps
            }
        }
    }

    private func lookAtWhole(_ block: BlockContent, _ shapes: PayloadShapes, _ findings: inout [Finding]) throws {
        let whole = try block.whole()
        let having = Set(whole.distinctNumbers(having: literal))
        guard !having.isEmpty else { return }
        var place = 0
        for (event, number) in shapes.templateOfEvent.enumerated() where number == nil {
            if having.contains(whole.distinctNumber(place)) { findings[event] = .found }
            place += 1
        }
    }

    /// What a template has of the literal.
    private struct Template {
        /// Whether it is within what all of its payloads have.
        private(set) var hasLiteral = false
        private(set) var paths: Set<Int> = []
        /// By path, how it may lie over the borders of the value.
        private(set) var crossings: [Int: [Crossing]] = [:]

        init(_ number: Int, _ templates: PayloadTemplates, _ literal: [UInt8]) {
            let range = templates.text(of: number)
            var start = range.lowerBound
            templates.text.withUnsafeBytes { text in
                for index in templates.holes(of: number) {
                    let hole = templates.holes[index]
                    let next =
                        index + 1 < templates.holes(of: number).upperBound
                        ? templates.holes[index + 1].place : range.upperBound
                    let before = UnsafeRawBufferPointer(rebasing: text[start..<hole.place])
                    let behind = UnsafeRawBufferPointer(rebasing: text[hole.place..<next])
                    if before.has(literal) { hasLiteral = true }
                    paths.insert(hole.path)
                    let crossings = Crossing.all(of: literal, before, behind)
                    if !crossings.isEmpty { self.crossings[hole.path] = crossings }
                    start = hole.place
                }
                if UnsafeRawBufferPointer(rebasing: text[start..<range.upperBound]).has(literal) { hasLiteral = true }
            }
        }
    }

    /// How the literal may lie over a border of a value.
    private enum Crossing {
        /// So many of its bytes are before the value.
        case into(Int)
        /// It begins within the value, and so many of its bytes are there.
        case outOf(Int)

        /// - Parameters:
        ///   - before: what is in front of the value, up to the value before.
        ///   - behind: what follows it, up to the next value.
        static func all(
            of literal: [UInt8], _ before: UnsafeRawBufferPointer, _ behind: UnsafeRawBufferPointer
        ) -> [Crossing] {
            (1..<max(literal.count, 1)).flatMap { count in
                var crossings: [Crossing] = []
                if count <= before.count, before.suffix(count).elementsEqual(literal.prefix(count)) {
                    crossings.append(.into(count))
                }
                let rest = min(literal.count - count, behind.count)
                if behind.prefix(rest).elementsEqual(literal[count..<count + rest]) { crossings.append(.outOf(count)) }
                return crossings
            }
        }

        func isPossible(_ value: UnsafeRawBufferPointer, _ literal: [UInt8]) -> Bool {
            switch self {
            case .into(let count):
                let rest = min(literal.count - count, value.count)
                return value.prefix(rest).elementsEqual(literal[count..<count + rest])
            case .outOf(let count):
                return count <= value.count && value.suffix(count).elementsEqual(literal.prefix(count))
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are somewhere in it.
    func has(_ literal: [UInt8]) -> Bool { firstPlace(of: literal) != nil }

    /// - Parameter start: only from there on.
    func firstPlace(of literal: [UInt8], from start: Int = 0) -> Int? {
        guard let base = baseAddress, start <= count,
            let found = literal.withUnsafeBytes({ memmem(base + start, count - start, $0.baseAddress, $0.count) })
        else { return literal.isEmpty ? start : nil }
        return UnsafeRawPointer(found) - base
    }
}
