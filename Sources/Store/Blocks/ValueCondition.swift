internal import Model

/// A compiled condition on a value in payloads: one of the parameters with these names has a value that passes a test.
struct ValueCondition {
    private let names: ParameterNames
    private let inner: [Predicate.ParameterPath.Step]
    private let matcher: TextMatcher
    /// Whether the test may pass for objects, which columns do not have.
    private let asksForObjects: Bool
    /// The hashes of which a block's filter must contain at least one; empty when the filter cannot exclude a block.
    let hashes: [UInt64]

    /// - Throws: `.invalidPattern`
    init(_ path: Predicate.ParameterPath, _ test: TextTest) throws(StoreError) {
        names = ParameterNames(Set(path.names.map { Array($0.utf8) }))
        inner = path.inner
        matcher = try TextMatcher(test)
        let texts = path.inner.isEmpty ? matcher.exactTexts : nil
        asksForObjects = path.inner.isEmpty && matcher.mayBeObject
        let isHashed = !asksForObjects && !(texts ?? []).isEmpty
        hashes =
            !isHashed
            ? []
            : names.all.flatMap { name in
                let name = BlockFilters.hash(name: name)
                return (texts ?? []).map { $0.withUnsafeBytes { BlockFilters.hash(parameter: name, value: $0) } }
            }
    }

    /// Removes the events that do not match the condition from the selection.
    func select(_ block: BlockContent, _ selection: inout [Int], until turn: ReadTurn?) throws {
        let shapes = try block.shapes()
        var met = EventMarks(of: block.count)
        let nodes = looksWithin ? shapes.paths.nodes(within: names.all) : shapes.paths.nodes(of: names.all)
        for path in nodes where shapes.events(ofPath: path) > 0 {
            try mark(path, block, shapes, &met, turn)
        }
        // Columns do not have objects, or the payloads without a template.
        if shapes.wholeCount > 0 || asksForObjects {
            try markByPayloads(block, shapes, among: selection, &met, turn)
        }
        met.select(&selection)
    }

    /// Whether values within objects count.
    private var looksWithin: Bool { matcher.isExists && inner.isEmpty }

    private func markByPayloads(
        _ block: BlockContent, _ shapes: PayloadShapes, among selection: [Int], _ met: inout EventMarks,
        _ turn: ReadTurn?
    ) throws {
        let rest = selection.filter { !met[$0] && (asksForObjects || shapes.template(of: $0) == nil) }
        try block.forEachPayload(of: rest.filter(try block.payloadTest())) { event, payload in
            if try meets(payload, until: turn) { met.mark(event) }
        }
    }

    private func mark(
        _ path: Int, _ block: BlockContent, _ shapes: PayloadShapes, _ met: inout EventMarks, _ turn: ReadTurn?
    ) throws {
        let column = try block.values(ofPath: path)
        let holes = shapes.templates.holes(ofPath: path)
        let kinds = Set(holes.lazy.compactMap { $0 }.map { shapes.templates.holes[$0].kind })
        let asString = kinds.contains(.string) ? try verdicts(column, isString: true, turn) : nil
        let asText = kinds == [.string] ? nil : try verdicts(column, isString: false, turn)
        guard !(asString?.isEmpty ?? true) || !(asText?.isEmpty ?? true) else { return }
        if shapes.events(ofPath: path) == block.count,
            let verdicts = asString == nil ? asText : asText == nil ? asString : nil
        {
            // Each event has a value of one kind.
            if column.numbersArePlaces {
                met.mark(verdicts)
            } else {
                for event in 0..<block.count where verdicts[column.distinctNumber(event)] { met.mark(event) }
            }
            return
        }
        let nothing = EventMarks(of: column.distinctCount)
        let (strings, texts) = (asString ?? nothing, asText ?? nothing)
        shapes.forEachValue(ofPath: path) { event, hole, place in
            let (isString, number) = (shapes.templates.holes[hole].kind == .string, column.distinctNumber(place))
            if isString ? strings[number] : texts[number] { met.mark(event) }
        }
    }

    /// Returns which of the distinct values pass, as strings or as other values. Escapes have a meaning only in strings.
    private func verdicts(_ column: PackedValues, isString: Bool, _ turn: ReadTurn?) throws -> EventMarks {
        var marks = EventMarks(of: column.distinctCount)
        if let integers = column.integers, let test = matcher.verdictOnIntegers(isString: isString), inner.isEmpty {
            switch test {
            case .equal(let number): integers.forEachPlace(of: number) { marks.mark($0) }
            case .passes(let passes):
                for (place, number) in integers.unpacked.enumerated() where passes(number) { marks.mark(place) }
            }
            return marks
        }
        let column = column.prepared(for: column.count)
        func look(at number: Int) throws {
            let isMet = try column.withDistinct(number) { text in
                isString
                    ? try text.withUnescaped { try accepts($0, isString: true, turn) }
                    : try accepts(text, isString: false, turn)
            }
            if isMet { marks.mark(number) }
        }
        if let candidates = candidates(column) {
            for number in candidates { try look(at: number) }
        } else {
            for number in 0..<column.distinctCount { try look(at: number) }
        }
        return marks
    }

    /// Returns the distinct texts that may pass, as far as that is known: those that have a required text, or an escape, which
    /// elements of arrays may have as well.
    private func candidates(_ column: PackedValues) -> Set<Int>? {
        guard let literals = matcher.literals.first, inner.isEmpty else { return nil }
        return Set((literals + [Self.escape]).flatMap { column.distinctNumbers(having: $0) })
    }

    private static let escape = Literal([UInt8(ascii: "\\")])

    private func accepts(_ value: UnsafeRawBufferPointer, isString: Bool, _ turn: ReadTurn?) throws -> Bool {
        if inner.isEmpty { return try matcher.accepts(value: value, isString: isString, until: turn) }
        guard !isString else { return false }
        return try PayloadValue.inner(inner, of: value) { text, isString in
            try matcher.accepts(value: text, isString: isString, until: turn)
        }
    }

    /// Returns whether a payload matches the condition, by parsing it.
    func meets(_ payload: UnsafeRawBufferPointer, until turn: ReadTurn? = nil) throws -> Bool {
        // Without escapes, a value stands in the payload as it is.
        if inner.isEmpty, let literals = matcher.literals.first, !literals.contains(where: { payload.has($0) }),
            !payload.has(Self.escape)
        {
            return false
        }
        var isMet = false
        func isWanted(_ name: UnsafeRawBufferPointer) -> Bool {
            names.contains(name) || looksWithin && names.all.contains { $0.isObject(of: name) }
        }
        try PayloadParameters.forEach(in: payload, where: isWanted) { _, value, isString in
            // An object is there if a value is in it.
            guard !isMet, !looksWithin || isString || value.first != UInt8(ascii: "{") else { return }
            isMet = try accepts(value, isString: isString, turn)
        }
        return isMet
    }
}

extension [UInt8] {
    /// Whether a name is that of a value within the object with this name.
    fileprivate func isObject(of name: some Collection<UInt8>) -> Bool {
        name.count > count && name.dropFirst(count).first == UInt8(ascii: ".") && name.starts(with: self)
    }
}

extension PayloadPaths {
    /// Returns the nodes that have one of the names, or are within objects that have one.
    fileprivate func nodes(within names: Set<[UInt8]>) -> [Int] {
        all.filter { node in
            let name = name(of: node)
            return names.contains(name) || names.contains { $0.isObject(of: name) }
        }
    }
}
