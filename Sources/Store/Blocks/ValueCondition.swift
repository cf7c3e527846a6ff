internal import Model

/// That a parameter has one of some names and one of some values.
struct ValueCondition {
    private let names: Set<[UInt8]>
    private let values: [[UInt8]]
    /// Those of them that are whole numbers, as columns of such have them.
    private let numbers: [Int64]
    /// Of what a block's filter must have one; none when any block may have it.
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

    /// Objects are in no column: their members are.
    private static func mayBeObject(_ value: [UInt8]) -> Bool { value.first == UInt8(ascii: "{") }

    /// Leaves of the selection what meets the condition.
    func select(_ block: BlockContent, _ selection: inout [Int]) throws {
        let shapes = try block.shapes()
        var met = [Bool](repeating: false, count: block.count)
        for path in 1..<max(shapes.paths.count, 1) where names.contains(shapes.paths.name(of: path)) {
            try mark(path, block, shapes, &met)
        }
        // What columns do not show: objects, and payloads that have no template.
        let looksIntoAll = values.contains(where: Self.mayBeObject)
        let rest = selection.filter { !met[$0] && (looksIntoAll || shapes.template(of: $0) == nil) }
        let kinds = try block.kinds()
        let objects = rest.filter { kinds[$0].resolution.hasPayload }
        try block.forEachPayload(of: objects) { event, payload in
            if meets(payload) { met[event] = true }
        }
        selection.removeAll { !met[$0] }
    }

    private func mark(_ path: Int, _ block: BlockContent, _ shapes: PayloadShapes, _ met: inout [Bool]) throws {
        // Of each template, the kind of value that it has there.
        var kinds = [PayloadTemplate.Kind?](repeating: nil, count: shapes.templates.count)
        for template in kinds.indices {
            let holes = shapes.templates.holes[shapes.templates.holes(of: template)]
            kinds[template] = holes.first { $0.path == path }?.kind
        }
        let column = try block.values(ofPath: path)
        guard column.count > 0 else { return }
        let (asString, asText) = verdicts(column)
        var place = 0
        for (event, template) in shapes.templateOfEvent.enumerated() {
            guard let template, let kind = kinds[template] else { continue }
            let value = column.distinctNumber(place)
            if kind == .string ? asString[value] : asText[value] { met[event] = true }
            place += 1
        }
    }

    /// Of each different value, whether it is one of those that are asked for: as a string, and as anything else. Escapes
    /// stand for something else in a string, and for nothing in what else there is.
    private func verdicts(_ column: PackedValues) -> (asString: [Bool], asText: [Bool]) {
        if let integers = column.integers {
            let verdicts = (0..<integers.count).map { numbers.contains(integers[$0]) }
            return (verdicts, verdicts)
        }
        let asText = (0..<column.distinctCount).map { column.withDistinct($0, hasValue) }
        let asString = (0..<column.distinctCount).map { number in
            column.withDistinct(number) { $0.withUnescaped(hasValue) }
        }
        return (asString, asText)
    }

    private func hasValue(_ text: UnsafeRawBufferPointer) -> Bool {
        values.contains { $0.withUnsafeBytes { $0.hasSameBytes(as: text) } }
    }

    /// Whether a payload meets the condition, by a look at all of it.
    func meets(_ payload: UnsafeRawBufferPointer) -> Bool {
        var isMet = false
        PayloadParameters.forEach(in: payload) { name, value in
            if names.contains(name), hasValue(value) { isMet = true }
        }
        return isMet
    }
}
