internal import Model

/// A condition: a parameter with one of these names has one of these values.
struct ValueCondition {
    private let names: Set<[UInt8]>
    private let values: [[UInt8]]
    /// Those of the values that are integers, for columns that are stored as integers.
    private let numbers: [Int64]
    /// The hashes of which a block's filter must contain at least one; empty when the filter cannot exclude a block.
    let hashes: [UInt64]

    init(_ condition: ParameterCondition) {
        names = Set(condition.names.map { Array($0.utf8) })
        values = condition.values.map { Array($0.utf8) }
        numbers = values.compactMap { $0.withUnsafeBytes { Int64(exactText: $0) } }
        let asksForObjects = values.contains(where: Self.mayBeObject)
        hashes =
            asksForObjects
            ? []
            : names.flatMap { [values] name in
                let name = BlockFilters.hash(name: name)
                return values.map { $0.withUnsafeBytes { BlockFilters.hash(parameter: name, value: $0) } }
            }
    }

    /// Returns whether a value may be an object. Columns have no objects, only their members.
    private static func mayBeObject(_ value: [UInt8]) -> Bool { value.first == UInt8(ascii: "{") }

    /// Removes the events that do not match the condition from the selection.
    func select(_ block: BlockContent, _ selection: inout [Int]) throws {
        let shapes = try block.shapes()
        var met = EventMarks(of: block.count)
        for path in shapes.paths.nodes(of: names) where shapes.events(ofPath: path) > 0 {
            try mark(path, block, shapes, &met)
        }
        // Columns do not have objects, or the payloads without a template.
        if shapes.wholeCount > 0 || values.contains(where: Self.mayBeObject) {
            try markByPayloads(block, shapes, among: selection, &met)
        }
        met.select(&selection)
    }

    private func markByPayloads(
        _ block: BlockContent, _ shapes: PayloadShapes, among selection: [Int], _ met: inout EventMarks
    ) throws {
        let looksIntoAll = values.contains(where: Self.mayBeObject)
        let rest = selection.filter { !met[$0] && (looksIntoAll || shapes.template(of: $0) == nil) }
        let kinds = try block.kindTexts()
        let hasPayload = try BlockTable.resolutions(kinds.table).map(\.hasPayload)
        try block.forEachPayload(of: rest.filter { hasPayload[Int(kinds.numbers[$0])] }) { event, payload in
            if meets(payload) { met.mark(event) }
        }
    }

    private func mark(_ path: Int, _ block: BlockContent, _ shapes: PayloadShapes, _ met: inout EventMarks) throws {
        let column = try block.values(ofPath: path)
        let verdicts = verdicts(column)
        guard !verdicts.isEmpty else { return }
        let holes = shapes.templates.holes(ofPath: path)
        var place = 0
        for (event, template) in shapes.templateOfEvent.enumerated() {
            guard let template, let hole = holes[template] else { continue }
            let value = column.distinctNumber(place)
            let isString = shapes.templates.holes[hole].kind == .string
            if isString ? verdicts.asString[value] : verdicts.asText[value] { met.mark(event) }
            place += 1
        }
    }

    /// Whether each distinct value is one of the requested values, as a string and as any other value. Escapes have a
    /// meaning only in strings.
    private struct Verdicts {
        var asString: EventMarks
        var asText: EventMarks

        var isEmpty: Bool { asString.isEmpty && asText.isEmpty }
    }

    private func verdicts(_ column: PackedValues) -> Verdicts {
        var marks = EventMarks(of: column.distinctCount)
        if let integers = column.integers {
            guard !numbers.isEmpty else { return Verdicts(asString: marks, asText: marks) }
            for (place, number) in integers.unpacked.enumerated() where numbers.contains(number) { marks.mark(place) }
            return Verdicts(asString: marks, asText: marks)
        }
        var verdicts = Verdicts(asString: marks, asText: marks)
        for number in candidates(column) {
            column.withDistinct(number) { text in
                if hasValue(text) { verdicts.asText.mark(number) }
                if text.withUnescaped(hasValue) { verdicts.asString.mark(number) }
            }
        }
        return verdicts
    }

    /// Returns the distinct texts that contain one of the requested values, or an escape.
    private func candidates(_ column: PackedValues) -> Set<Int> {
        let literals = values + [[UInt8(ascii: "\\")]]
        // With many values, checking every text is faster than searching for each value. An empty value is in every
        // text.
        guard literals.count <= Self.mostLiterals, !values.contains([]) else { return Set(0..<column.distinctCount) }
        return Set(literals.flatMap { column.distinctNumbers(having: Literal($0)) })
    }

    private static let mostLiterals = 8

    private func hasValue(_ text: UnsafeRawBufferPointer) -> Bool {
        values.contains { $0.withUnsafeBytes { $0.hasSameBytes(as: text) } }
    }

    /// Returns whether a payload matches the condition, by parsing it.
    func meets(_ payload: UnsafeRawBufferPointer) -> Bool {
        var isMet = false
        PayloadParameters.forEach(in: payload) { name, value in
            if names.contains(name), hasValue(value) { isMet = true }
        }
        return isMet
    }
}
